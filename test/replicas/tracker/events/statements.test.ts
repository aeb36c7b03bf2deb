/** The cost of events: the number of statements, and how much is read of what an event lists. */
import { expect, test } from "bun:test";
import { openSession, tablesOf } from "~/db/session";
import type { EventRow, RowChange } from "~/replicas/events";
import { events } from "~/replicas/tracker/events/index";
import { TABLES, type TrackerSession } from "~/replicas/tracker/store/tables";
import { plainPool, useSharedDatabase } from "../../../support/database";
import { AGENT, ENG, JOHN, ROBIN, useTracker } from "../../../support/tracker";
import { MEMBER } from "./observe";

const database = useSharedDatabase();
const tracker = useTracker(database);
/** The workspace, computed values of projects, and the rows: five levels of relations. */
const STATEMENTS_MAX = 8;

const idOf = (kind: string, n: number) =>
  `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, "0")}`;
const AT = "2026-03-11T09:00:00+00:00";

/** A comment on an issue, a reaction to it, and a project, all new. */
function changesOf(n: number): Pick<RowChange, "table" | "before" | "after">[] {
  const own = { createdAt: AT, updatedAt: AT };
  const rows: [string, EventRow][] = [
    ["issues", { ...own, id: idOf("a", n), teamId: ENG, assigneeId: ROBIN, title: "One" }],
    ["comments", { ...own, id: idOf("b", n), issueId: idOf("a", n), userId: JOHN, body: "Hi" }],
    ["reactions", { ...own, id: idOf("c", n), commentId: idOf("b", n), emoji: "eyes" }],
    ["projects", { ...own, id: idOf("d", n), name: "Move", slugId: "0123456789ab" }],
    ["project_teams", { projectId: idOf("d", n), teamId: ENG }],
  ];
  return rows.map(([table, row]) => ({ table, before: null, after: row }));
}

test("a batch takes as many statements as a single change", async () => {
  let statements = 0;
  const pool = plainPool(database.url, { max: 1, debug: () => statements++ });
  await pool`select`;
  const list = [...TABLES.keys()].map((name) => ({ name }));
  const { schema } = tracker;
  const session = openSession(pool, schema, tablesOf(pool, schema, list)) as TrackerSession;
  const cost = async (size: number) => {
    const changes = Array.from({ length: size }, (_, n) => changesOf(n)).flat();
    statements = 0;
    const numbered = changes.map((change, at) => ({
      ...change,
      ...{ number: at + 1, transaction: `${Math.floor(at / 5)}`, user: AGENT },
      micros: 1_767_603_800_000_000 + at,
    }));
    const found = await events.derive(session, numbered, [MEMBER], async () => []);
    expect(found).toHaveLength(size * 4);
    return statements;
  };

  await cost(1); // reads the types of parameters
  const [one, many] = [await cost(1), await cost(40)];
  await pool.end();

  expect(many).toBe(one);
  expect(one).toBeLessThanOrEqual(STATEMENTS_MAX);
});

test("of the many rows that an event lists, long texts that it does not show are not read", async () => {
  const pool = plainPool(database.url, { max: 1, max_result: 2 ** 20 });
  const list = [...TABLES.keys()].map((name) => ({ name }));
  const { schema } = tracker;
  const session = openSession(pool, schema, tablesOf(pool, schema, list)) as TrackerSession;
  const project = changesOf(1).at(-2)!;
  await database.sql`
    insert into ${database.sql(`${schema}.project_milestones`)}
      (id, "createdAt", "updatedAt", "projectId", name, description, "documentContentId")
    select gen_random_uuid(), now(), now(), ${idOf("d", 1)}, 'Part ' || n, repeat('d', 200000), gen_random_uuid()
    from generate_series(1, 10) n
  `;
  const change = { ...project, number: 1, transaction: "1", user: AGENT, micros: 1 };
  const found = await events.derive(session, [change], [MEMBER], async () => []);
  await pool.end();

  expect(found[0]?.payload).toMatchObject({ data: { milestones: { length: 10 } } });
});
