/** Comparing snapshots: a run that cannot be compared fails by name and leaves nothing behind. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { record, startCapture } from "../support/capture";
import { useDatabase } from "../support/database";

const KEYS = { things: ["id"] };
let ids = 1;
const database = useDatabase();
let server: Awaited<ReturnType<typeof startCapture>>;

beforeAll(async () => {
  server = await startCapture(database, "snapshot");
  await database.sql.unsafe(
    "create schema env_1; create table env_1.things (id int primary key, note text)",
  );
});
afterAll(() => server.stop());

const start = () => record(server.pool, server.capture, "env_1", KEYS);
const lost = (failure: string) => ({
  status: "failed",
  failures: [failure],
  diff: null,
});
const nextIsComplete = async (id: number) => {
  const run = await start();
  await database.sql`insert into env_1.things values (${id}, 'n')`;
  expect((await run.end()).diff?.inserts).toEqual([{ __table__: "things", id, note: "n" }]);
};

test.each([
  [
    "more rows than a run may",
    "set local session_replication_role = replica; insert into env_1.things select i from generate_series(1001, 201001) i",
    "agent_limit: more than 200000 changed rows",
  ],
  [
    "more bytes than a run may",
    "insert into env_1.things select i, repeat('x', 1000000) from generate_series(1001, 1070) i",
    "agent_limit: more than 32 MB of changed rows",
  ],
  [
    "a table that was not there",
    "create table env_1.more (id int primary key)",
    "capture_lost: a table was dropped or created",
  ],
])("a run with %s fails by name; the next one is complete", async (_case, change, reason) => {
  const run = await start();
  await database.sql.unsafe(change);

  expect(await run.end()).toEqual(lost(reason));

  await database.sql.unsafe(
    "delete from env_1.things where id > 1000; drop table if exists env_1.more",
  );
  await nextIsComplete(ids++);
});

test("a run whose result Postgres rejects fails by name; the next one is complete", async () => {
  const run = await start();
  await database.sql.unsafe(
    `create function public.refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
     create trigger refuse before update on diorama.runs for each row
       when (new.diff is not null) execute function public.refuse()`,
  );

  expect(await run.end()).toEqual(lost("capture_lost: its states could not be compared"));

  await database.sql`drop function public.refuse() cascade`;
  await nextIsComplete(-1);
});
