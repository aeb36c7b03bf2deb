/** The bytes of calls that arrive in several requests, while they are made. */
import { expect, test } from "bun:test";
import { createUploads } from "~/platform/uploads/uploads";
import type { Uploads } from "~/replicas/uploads";
import { LIMITS } from "~/wire/limits";
import { HeaderList, HttpRequest, httpAnswer } from "~/wire/message";
import { useSharedDatabase } from "../../support/database";
import { useProgram } from "../../support/program";

const database = useSharedDatabase();
useProgram(database);

const request = new HttpRequest("PUT", "/", HeaderList.of({}));
const delivery = { request, path: "", body: new Uint8Array(), address: "" };
const owner = { keyId: "k", environmentId: "e" };
/** As much as an environment may hold. */
const SHARE = LIMITS.heldBytes / 4;

test("are bounded together for an environment, and free again when the calls have ended", async () => {
  const calls = createUploads({ pool: database.sql });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  /** Makes a call of so many bytes, which lasts until `end`. */
  const make = (bytes: number) => {
    const taken = Promise.withResolvers<void>();
    const uploads: Uploads = {
      matches: () => true,
      async answer(_, store) {
        await store.take("none", bytes);
        taken.resolve();
        await ended;
        return httpAnswer(200, {});
      },
    };
    const place = { environmentId: "e", owner };
    const answer = calls.answer(uploads, delivery, place, async () => httpAnswer(200, {}));
    return { answer, taken: taken.promise };
  };

  const first = make(SHARE / 4);
  await first.taken;
  const second = make(SHARE / 4);
  await second.taken;
  await expect(make(SHARE / 4).answer).rejects.toMatchObject({ code: "service_unavailable" });
  end();
  await Promise.all([first.answer, second.answer]);
  expect((await make(SHARE / 4).answer).status).toBe(200);
});
