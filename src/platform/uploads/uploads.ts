/** Calls whose bodies arrive in several requests. What they hold while they are made is bounded together. */
import type { Pool } from "~/db/connect";
import { uploadsOf } from "~/platform/uploads/store";
import type { Delivery, Uploads } from "~/replicas/uploads";
import { createBudget, noRoom, type Owner } from "~/wire/budget";
import { LIMITS } from "~/wire/limits";
import type { HttpAnswer } from "~/wire/message";

/** The bytes of a call are there in pieces, and as a whole. */
const COPIES = 2;

export function createUploads({ pool }: { pool: Pool }) {
  const budget = createBudget(LIMITS.heldBytes);
  return {
    /** Answers one of the requests. `perform` makes the call. Throws `service_unavailable` without room for its bytes. */
    async answer(
      uploads: Uploads,
      delivery: Parameters<Uploads["answer"]>[0],
      { environmentId, owner }: { environmentId: string; owner: Owner | undefined },
      perform: (whole: Delivery) => Promise<HttpAnswer>,
    ): Promise<HttpAnswer> {
      const store = uploadsOf(pool, environmentId);
      const claim = budget.claim();
      const take: typeof store.take = async (id, count) => {
        if (!claim(COPIES * count, owner)) throw noRoom();
        return await store.take(id, count);
      };
      try {
        return await uploads.answer(delivery, { ...store, take }, perform);
      } finally {
        claim(0, owner);
      }
    },
  };
}
