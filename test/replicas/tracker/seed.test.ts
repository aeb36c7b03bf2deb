import { beforeAll, describe, expect, test } from "bun:test";
import { connect, inTransaction, type Pool, quote } from "~/db/connect";
import { type Tables, tablesOf } from "~/db/session";
import { resolveSeed, type Seed } from "~/platform/templates/seeds";
import { seedTracker } from "~/replicas/tracker/seed";
import { TABLES } from "~/replicas/tracker/store/tables";
import ddl from "~/replicas/tracker/tables.sql" with { type: "text" };
import { SEEDS } from "../../../seeds/index";
import { useDatabase } from "../../support/database";

const database = useDatabase({ empty: true });
const TRACKER = (SEEDS as Seed[]).filter(({ service }) => service === "tracker");
const seedOf = (name: string) =>
  resolveSeed(TRACKER.find(({ template }) => template === name)!, TRACKER);

let pool: Pool;
beforeAll(() => {
  pool = connect(database.url, { max: 1, name: "test" });
  return () => pool.end();
});

/** The tables of a seed in a schema of their own. */
async function plant(seed: unknown): Promise<{ sql: Pool; t: Tables }> {
  const schema = `seed_${crypto.randomUUID().slice(0, 8)}`;
  const t = tablesOf(
    pool,
    schema,
    [...TABLES.keys()].map((name) => ({ name })),
  );
  await inTransaction(pool, async (tx) => {
    await tx.unsafe(
      `create schema ${quote(schema)}; set local search_path to ${quote(schema)}; ${ddl}; set local search_path to ''`,
    );
    await seedTracker(tx, t, seed);
  });
  return { sql: pool, t };
}

const base = structuredClone(seedOf("tracker_base")) as any;

describe("a seed", () => {
  test.each(TRACKER.map(({ template }) => template))("%s becomes rows", async (name) => {
    const { sql, t } = await plant(seedOf(name));

    const [counts] = await sql`
      select (select count(*)::int from ${t["users"]!}) as users,
        (select count(*)::int from ${t["teams"]!}) as teams,
        (select count(*)::int from ${t["issues"]!}) as issues
    `;
    expect(counts!["teams"]).toBe(2);
    expect(counts!["issues"]).toBeGreaterThanOrEqual(
      ({ tracker_base: 0, tracker_default: 5, tracker_expanded: 60 } as any)[name],
    );
    expect(counts!["users"]).toBeGreaterThanOrEqual(name === "tracker_expanded" ? 15 : 3);
  });

  test("gives the same rows each time", async () => {
    const rowsOf = async () => {
      const { sql, t } = await plant(seedOf("tracker_default"));
      return await sql`select * from ${t["issues"]!} order by id`;
    };
    expect(await rowsOf()).toEqual(await rowsOf());
  });

  test("gives what the service computes by itself", async () => {
    const { sql, t } = await plant(seedOf("tracker_default"));

    const [issue] = await sql`
      select i.*, s.name as state, s.type, array(
        select l.name from ${t["issue_label_assignments"]!} a join ${t["issue_labels"]!} l on l.id = a."labelId"
        where a."issueId" = i.id) as labels, array(
        select u."displayName" from ${t["issue_subscribers"]!} b join ${t["users"]!} u on u.id = b."userId"
        where b."issueId" = i.id order by 1) as subscribers
      from ${t["issues"]!} i join ${t["workflow_states"]!} s on s.id = i."stateId"
      where i.identifier = 'ENG-2'
    `;
    expect(issue).toMatchObject({
      number: 2,
      state: "In Progress",
      type: "started",
      labels: ["Bug"],
      subscribers: ["john", "robin"],
      sortOrder: -2,
      updatedAt: new Date("2026-01-07T08:45:00Z"),
    });
  });

  const issue = {
    identifier: "ENG-1",
    title: "One",
    state: "Todo",
    creator: "john",
    createdAt: "2026-01-05T09:00:00Z",
  };
  test.each([
    ["an unknown field", { issues: [{ ...issue, asignee: "john" }] }, "issues[0].asignee"],
    ["a missing field", { issues: [{ ...issue, title: undefined }] }, "issues[0].title"],
    ["a value of another type", { issues: [{ ...issue, priority: "high" }] }, "issues[0].priority"],
    [
      "a time without a zone",
      { issues: [{ ...issue, createdAt: "2026-01-05" }] },
      "issues[0].createdAt",
    ],
    ["an unknown section", { tickets: [] }, "tickets"],
    ["an unknown user", { issues: [{ ...issue, assignee: "jon" }] }, "issues[0].assignee"],
    ["an unknown team", { issues: [{ ...issue, identifier: "OPS-1" }] }, "issues[0].team"],
    ["a state of another team", { issues: [{ ...issue, state: "Nope" }] }, "issues[0].state"],
    ["an unknown label", { issues: [{ ...issue, labels: ["Bug"] }] }, "issues[0].labels[0]"],
    ["the same identifier twice", { issues: [issue, issue] }, "issues[1]"],
    [
      "a reply by an unknown user",
      {
        issues: [
          {
            ...issue,
            comments: [
              {
                user: "john",
                body: "a",
                createdAt: issue.createdAt,
                replies: [{ user: "jon", body: "b", createdAt: issue.createdAt }],
              },
            ],
          },
        ],
      },
      "issues[0].comments[0].replies[0].user",
    ],
  ])("is refused for %s, with the path to it", async (_case, part, path) => {
    await expect(plant({ ...base, ...part })).rejects.toThrow(`${path}: `);
  });
});
