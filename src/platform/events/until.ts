/** Looks for an event of an environment that somebody waits for. */
import type { Pool } from "~/db/connect";
import { ApiError } from "~/errors";
import { compileEventCondition } from "~/evaluation/event-condition";
import { SpecError } from "~/evaluation/mistakes";
import type { Row } from "~/evaluation/predicate";
import { PAGE_LENGTH_MAX } from "~/http/page";
import { shown } from "~/platform/events/listing";
import { listEventsOfType } from "~/platform/events/listing-store";
import { requireListedType } from "~/platform/events/types";
import type { Until } from "~/platform/events/waiting-model";
import { listApps } from "~/platform/outbox/store";
import { createSemaphore } from "~/semaphore";

/** Events that are read together. */
const PAGE = 100;
/** Pages that are read at the same time, each into memory. */
const READING_MAX = 4;
/** Even a short wait looks at the events so far for at least this long. */
const SEARCH_MS = 10_000;
const inTurn = createSemaphore(READING_MAX);

function compiled({ where = {} }: Until): (event: Row) => boolean {
  try {
    return compileEventCondition(where, "until.where");
  } catch (error) {
    if (error instanceof SpecError) throw new ApiError("invalid_request", error.message);
    throw error;
  }
}

/**
 * Returns a function that looks at the events since its last call, until a time of performance.now(). It returns the
 * number of the first one that is as wanted. Throws `invalid_request` for one that cannot happen.
 */
export async function createSearch(
  pool: Pool,
  { environmentId, services }: { readonly environmentId: string; readonly services: string[] },
  until: Until,
) {
  const { type } = until;
  requireListedType(services, type, "until.type");
  if ((await listApps(pool, environmentId)).length === 0)
    throw new ApiError(
      "invalid_request",
      "until: the environment has no apps, so that it has no events",
    );
  const matches = compiled(until);
  let after = until.after ?? 0;

  return async (deadline: number): Promise<number | undefined> => {
    const end = Math.max(deadline, performance.now() + SEARCH_MS);
    for (;;) {
      const page = { type, after, limit: PAGE, lengthMax: PAGE_LENGTH_MAX };
      const found = await inTurn(async () => {
        const events = await listEventsOfType(pool, environmentId, page);
        after = events.at(-1)?.number ?? after;
        const number = events.find((each) => matches(shown(each) as Row))?.number;
        return { number, isLast: events.length === 0 };
      });
      if (found.number !== undefined) after = found.number;
      if (found.number !== undefined || found.isLast || performance.now() > end)
        return found.number;
    }
  };
}
