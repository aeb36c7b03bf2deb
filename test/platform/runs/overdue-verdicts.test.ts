/** Verdicts that a dead server owed: another one gives them, and one that fails does not stop the others. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { LOSSES } from "~/capture/loss";
import { connect, type Pool } from "~/db/connect";
import { unavailable } from "~/errors";
import { createLog } from "~/log";
import { claimVerdict, releaseVerdict } from "~/platform/runs/claims-store";
import { createOverdueVerdicts } from "~/platform/runs/overdue-verdicts";
import { eventually, useDatabase } from "../../support/database";

const database = useDatabase();
let pool: Pool;
/** Of this server, and of another one. */
let [lock, elsewhere]: Pool[] = [];
let logged: { msg: string; run_id?: string }[];
let given: string[];
let overdue: ReturnType<typeof createOverdueVerdicts>;

beforeEach(() => {
  const open = (max: number) => connect(database.url, { max, name: "test", camel: true });
  [pool, lock, elsewhere] = [open(2), open(1), open(1)];
  logged = [];
  given = [];
  const log = createLog({ level: "error", write: (line) => logged.push(JSON.parse(line)) });
  overdue = createOverdueVerdicts({ pool, lock, log });
});
afterEach(async () => {
  overdue.stop();
  await pool`delete from diorama.runs`;
  await Promise.all([pool, lock, elsewhere].map((each) => each?.end()));
});

/** A run that has waited for a verdict for so many seconds. */
const owe = async (runId: string, userId: string, seconds: number) =>
  await pool`
    insert into diorama.runs (run_id, environment_id, schema_name, user_id, before_snapshot, capture, status, ended_at)
    values (${runId}, 'e', 's', ${userId}, 'b', 'log', 'evaluating', now() - ${seconds} * interval '1 second')
  `;
const stateOf = async (runId: string) => {
  const [row] = await pool<{ status: string; failures: string[] }[]>`
    select status, failures from diorama.runs where run_id = ${runId}
  `;
  return row?.status === "failed" ? row.failures[0] : row?.status;
};
/** How many verdicts servers are giving. Looking does not claim one. */
async function claims(): Promise<number> {
  const [row] = await pool<{ count: number }[]>`
    select count(*)::int as count from pg_locks
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
  `;
  return row?.count ?? 0;
}
const begin = (give: (runId: string) => void = () => {}) =>
  overdue.begin(async (runId) => {
    given.push(runId);
    give(runId);
  });
const throwing = (error: Error, runId: string) => (each: string) => {
  if (each === runId) throw error;
};

test("a verdict that cannot be given fails its run, and the others are given", async () => {
  await owe("first", "ann", 60);
  await owe("second", "ann", 50);
  await owe("other", "bob", 40);

  begin(throwing(new Error("broken"), "first"));

  await eventually(() => expect(given.toSorted()).toEqual(["first", "other", "second"]));
  await eventually(async () =>
    expect(await stateOf("first")).toBe(`capture_lost: ${LOSSES.verdict_failed}`),
  );
  expect(await stateOf("second")).toBe("evaluating");
  expect(logged).toMatchObject([{ msg: "run lost", run_id: "first" }]);
});

test("a verdict for which there is no room yet is given later", async () => {
  await owe("first", "ann", 60);
  let isFull = true;

  await eventually(() => {
    begin(() => {
      if (isFull) throw unavailable("too many evaluations are waiting");
    });
    expect(given.length).toBeGreaterThan(1);
  });
  isFull = false;

  expect(new Set(given)).toEqual(new Set(["first"]));
  expect([await stateOf("first"), logged]).toEqual(["evaluating", []]);
});

test("a database that is gone ends the pass, and the next one begins with the same run", async () => {
  await owe("first", "ann", 60);
  await owe("second", "ann", 50);
  const lost = Object.assign(new Error("the connection was closed"), { code: "CONNECTION_CLOSED" });

  await eventually(() => {
    begin(() => {
      if (given.length === 1) throw lost;
    });
    expect(given).toContain("second");
  });

  expect(given.slice(0, 3)).toEqual(["first", "first", "second"]);
  expect([await stateOf("first"), logged]).toEqual(["evaluating", []]);
});

test("a verdict that another server is giving, or is about to give, is left to it", async () => {
  await owe("theirs", "ann", 60);
  await owe("fresh", "bob", 1);
  await owe("dead", "cat", 50);
  expect(await claimVerdict(elsewhere!, "theirs")).toBe(true);

  begin();
  await eventually(() => expect(given).toContain("dead"));
  expect(given).toEqual(["dead"]);

  await releaseVerdict(elsewhere!, "theirs");
  await eventually(() => {
    begin();
    expect(given).toContain("theirs");
  });
});

test("a verdict that this server is giving is not overdue, and no other server gives it", async () => {
  await owe("own", "ann", 60);
  await owe("dead", "bob", 50);
  const { promise: verdict, resolve } = Promise.withResolvers<string>();

  const giving = overdue.giving("own", () => verdict);
  await eventually(async () => expect(await claims()).toBe(1));
  expect(await claimVerdict(elsewhere!, "own")).toBe(false);
  begin();
  await eventually(() => expect(given).toEqual(["dead"]));

  resolve("passed");
  expect(await giving).toBe("passed");
  await eventually(async () => expect(await claimVerdict(elsewhere!, "own")).toBe(true));
});
