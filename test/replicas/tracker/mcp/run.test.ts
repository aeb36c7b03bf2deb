/** How tools run: one that reads too much is rejected, and each of its questions gets its own answer. */

import { beforeAll, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { READ_ROWS_MAX } from "~/graphql/limits";
import { NO_ALIASES } from "~/input/aliases";
import { runTool } from "~/replicas/tracker/mcp/run";
import type { Work } from "~/replicas/tracker/mcp/tool";
import { TABLES, type TrackerSession } from "~/replicas/tracker/store/tables";
import { useSharedDatabase } from "../../../support/database";
import { ENG, ROBIN, useTracker } from "../../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);
let session: TrackerSession;
beforeAll(() => {
  const pool = connect(database.url, { max: 1, name: "test" });
  const names = [...TABLES.keys()].map((name) => ({ name }));
  const tables = tablesOf(pool, tracker.schema, names);
  session = openSession(pool, tracker.schema, tables) as TrackerSession;
  return () => pool.end();
});

const caller = () => ({
  session,
  actor: ROBIN,
  baseUrl: "http://x",
  secret: new Uint8Array(),
  aliases: NO_ALIASES,
});

async function greedy(_values: object, { context }: Work) {
  const { sql, t } = context.session;
  if (context.isMutation) await sql`update ${t.teams} set name = 'changed' where id = ${ENG}`;
  context.budget.read(Array.from({ length: READ_ROWS_MAX + 1 }, () => ({})));
  return await context.budget.never;
}

test.each([false, true])("a tool over its budget ends, writing: %p", async (writes) => {
  const running = runTool(caller(), greedy, {}, { writes });

  await expect(running).rejects.toThrow(`reads more than ${READ_ROWS_MAX} objects`);
  const [team] = await session.sql`select name from ${session.t.teams} where id = ${ENG}`;
  expect(team?.["name"]).not.toBe("changed");
});

test("the same document with other variables has its own page of related rows", async () => {
  const document = `query($first: Int!) { team(id: "${ENG}") { issues(first: $first) { nodes { id } } } }`;
  type Asked = { team: { issues: { nodes: object[] } } };
  const twice = async (_values: object, { ask }: Work) => {
    const lengths: number[] = [];
    for (const first of [1, 2]) {
      const { team } = (await ask(document, { first })) as Asked;
      lengths.push(team.issues.nodes.length);
    }
    return lengths;
  };

  expect(await runTool(caller(), twice, {}, { writes: false })).toEqual([1, 2]);
});
