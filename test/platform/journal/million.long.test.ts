/** A run of a million calls has a verdict, in seconds and without the memory for all of them. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";

const CALLS = 1_000_000;
const BATCH = 1_000;
const SECONDS_MAX = 180;
const MEGABYTES_MAX = 250;

const database = useDatabase();
const program = useProgram(database);

const NAMES = ["auth.test", "users.list", "chat.postMessage"];

/** Calls as a server appends them, two batches at a time interleaved: every third of a name, every tenth a failure. */
async function fill(runId: string, calls: number, hasHash: boolean): Promise<void> {
  await database.sql`
    insert into diorama.calls (run_id, lines, line_count)
    select ${runId}, json_agg(json_build_object(
      'id', 'test' || n, 'at', 1e12 + n, 'ms', 0.5, 'service', 'chat', 'via', 'rest',
      'name', (${NAMES}::text[])[n % 3 + 1], 'status', case when n % 10 = 0 then 503 else 200 end,
      'error', case when n % 10 = 0 then 'service_unavailable' end,
      'request', md5(n::text), 'trace', null, 'arguments', json_build_object('text', n % 7)
    )::jsonb || case when ${hasHash} then jsonb_build_object('hash', md5((n % 7)::text)) else '{}' end order by n), count(*)
    from generate_series(0, ${calls - 1}) as n
    group by n / ${2 * BATCH}, n % 2
  `;
}

async function ended(calls: number, hasHash = true): Promise<string> {
  const { environmentId: envId } = await program.environment();
  const { body: run } = await program.post("/startRun", { envId });
  expectStatus(await program.post("/diffRun", { runId: run.runId }), 200);
  await fill(run.runId, calls, hasHash);
  return run.runId;
}

const called = (entity: string, expected_count: unknown, where: object = {}) => ({
  ...{ diff_type: "called", entity, expected_count, where },
});

async function judge(runId: string, ...assertions: object[]) {
  const { body } = await program.post(`/runs/${runId}/evaluate`, {
    expectedOutput: { assertions },
  });
  return body;
}

/** The failures of each number in their order: those of a name that fail before it with the same arguments. */
function retries(calls: number, atLeast: number): number {
  const failed = new Map<string, number>();
  let found = 0;
  for (let n = 0; n < calls; n++) {
    const same = `${n % 3} ${n % 7}`;
    const before = failed.get(same) ?? 0;
    if (before >= atLeast) found++;
    failed.set(same, n % 10 === 0 ? before + 1 : 0);
  }
  return found;
}

describe("a million calls", () => {
  let runId: string;
  beforeAll(async () => {
    runId = await ended(CALLS);
  });

  test("are counted by name, outcome and retry", async () => {
    Bun.gc(true);
    const before = process.memoryUsage().rss;
    let most = before;
    const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    const started = performance.now();

    const verdict = await judge(
      runId,
      called("*", CALLS),
      called("users.*", Math.floor(CALLS / 3)),
      called("auth.test", Math.ceil(CALLS / 30), { status: { gte: 500 } }),
      called("*", CALLS / 10, { error: "service_unavailable" }),
      called("*", retries(CALLS, 1), { retry: { gte: 1 } }),
    );

    const seconds = (performance.now() - started) / 1000;
    clearInterval(sampling);
    const megabytes = (most - before) / 2 ** 20;
    expect(verdict).toMatchObject({ passed: true, failures: [] });
    expect(seconds).toBeLessThan(SECONDS_MAX);
    expect(megabytes).toBeLessThan(MEGABYTES_MAX);
    process.stderr.write(`a million calls: ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB\n`);

    const again = performance.now();
    expect(await judge(runId, called("*", { max: CALLS - 1 }))).toMatchObject({
      passed: false,
      failures: [`assertion#1 * expected count at most ${CALLS - 1} but got ${CALLS}`],
    });
    expect((performance.now() - again) / 1000).toBeLessThan(10);
  }, 300_000);

  test("are too many to compare by arguments that the journal has left out", async () => {
    expect(await judge(runId, called("*", 1, { "arguments.text": 3 }))).toMatchObject({
      passed: false,
      failures: ["agent_limit: more calls, or longer ones, than its journal keeps"],
    });
  });

  test("are numbered in the order in which they were answered", async () => {
    const { body: page } = await program.get(`/runs/${runId}/calls?after=${CALLS - 2}`);

    expect(page.complete).toBe(true);
    expect(page.calls.map(({ n, name }: any) => [n, name])).toEqual([
      [CALLS - 1, NAMES[(CALLS - 2) % 3]],
      [CALLS, NAMES[(CALLS - 1) % 3]],
    ]);
  });
});

test("arguments of a long run are compared where the journal has them", async () => {
  const calls = 20_000;
  const runId = await ended(calls, false);
  // Of a run that its statistics do not know, Postgres expects one batch with ten lines.
  await database.sql`analyze diorama.calls`;

  const verdict = await judge(
    runId,
    called("*", Math.ceil((calls - 3) / 7), { "arguments.text": 3 }),
    called("auth.test", { min: 1 }, { "arguments.text": 3, retry: 0 }),
    called("*", retries(calls, 1), { retry: { gte: 1 } }),
  );

  expect(verdict).toMatchObject({ passed: true, failures: [] });
});

test("a short and a long run of the same calls have the same verdicts", async () => {
  const [short, long] = [await ended(9_900, false), await ended(10_100, false)];
  for (const runId of [short, long]) {
    const calls = runId === short ? 9_900 : 10_100;
    expect(
      await judge(
        runId,
        called("*", retries(calls, 1), { retry: { gte: 1 } }),
        called("*", retries(calls, 2), { retry: { gte: 2 } }),
        called("users.list", Math.floor((calls + 1) / 3), { "arguments.text": { gte: 0 } }),
      ),
    ).toMatchObject({ passed: true, failures: [] });
  }
});

test("a call that only the log knows has a line in a long run too, until its own arrives", async () => {
  const calls = 10_100;
  const runId = await ended(calls, false);
  const logged = (id: string, at: number) => ({
    id,
    line: {
      ...{ id, at, ms: null, service: "chat", via: "rest", name: "chat.update" },
      ...{ status: null, error: null, request: id, trace: null },
    },
    arguments: { ts: "1" },
  });
  const last = 1e12 + calls + 10;
  const marks = JSON.stringify([logged("test7", 1e12 + 7), logged("dead", last)]);
  await database.sql`update diorama.runs set call_marks = ${marks}::text::json where run_id = ${runId}`;
  const tail = async () =>
    (await program.get(`/runs/${runId}/calls?after=${calls - 1}`)).body.calls.map(
      ({ n, name, status }: any) => [n, name, status],
    );
  const own = [calls, NAMES[(calls - 1) % 3], 200];

  expect(await tail()).toEqual([own, [calls + 1, "chat.update", null]]);

  const late = { ...logged("dead", last).line, ms: 1, status: 200, arguments: { ts: "1" } };
  const other = { ...late, id: "later", name: "auth.test", at: last + 1 };
  await database.sql`
    insert into diorama.calls (run_id, lines, line_count)
    values (${runId}, ${JSON.stringify([late, other])}::text::json, 2)
  `;
  expect(await tail()).toEqual([
    own,
    [calls + 1, "chat.update", 200],
    [calls + 2, "auth.test", 200],
  ]);
  expect(
    await judge(runId, called("chat.update", 1, { status: 200 }), called("*", calls + 2)),
  ).toMatchObject({
    passed: true,
    failures: [],
  });
});
