/** A tool that reads too much is rejected, and what it wrote is rolled back. */

import { beforeAll, expect, test } from "bun:test";
import { NO_ALIASES } from "~/aliases";
import { connect } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { READ_ROWS_MAX } from "~/graphql/limits";
import { runTool } from "~/replicas/tracker/mcp/run";
import type { Work } from "~/replicas/tracker/mcp/tool";
import { TABLES, type TrackerSession } from "~/replicas/tracker/store/tables";
import { useDatabase } from "../../../support/database";
import { ENG, ROBIN, useTracker } from "../../../support/tracker";

const database = useDatabase();
const tracker = useTracker(database);
let session: TrackerSession;
beforeAll(() => {
  const pool = connect(database.url, { max: 1, name: "test" });
  const names = [...TABLES.keys()].map((name) => ({ name }));
  const tables = tablesOf(pool, tracker.schema, names);
  session = openSession(pool, tracker.schema, tables) as TrackerSession;
  return () => pool.end();
});

async function greedy(_values: object, { context }: Work) {
  const { sql, t } = context.session;
  if (context.isMutation) await sql`update ${t.teams} set name = 'changed' where id = ${ENG}`;
  context.budget.read(Array.from({ length: READ_ROWS_MAX + 1 }, () => ({})));
  return await context.budget.never;
}

test.each([false, true])("a tool over its budget ends, writing: %p", async (writes) => {
  const caller = {
    session,
    actor: ROBIN,
    baseUrl: "http://x",
    secret: new Uint8Array(),
    aliases: NO_ALIASES,
  };

  const running = runTool(caller, greedy, {}, writes);

  await expect(running).rejects.toThrow(`reads more than ${READ_ROWS_MAX} objects`);
  const [team] = await session.sql`select name from ${session.t.teams} where id = ${ENG}`;
  expect(team?.["name"]).not.toBe("changed");
});
