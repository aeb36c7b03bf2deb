/** Measures the cost of a verdict compared with its diff, and the time of a whole suite. */
import { compile } from "../../src/evaluation/compile";
import { evaluate } from "../../src/evaluation/evaluate";
import type { Vocabulary } from "../../src/evaluation/vocabulary";
import { inTurn, median, type Row, timed } from "./measure";
import { type Bench, CHANNEL, poolOf, TEMPLATE } from "./server";

const ROWS = 50;
const ASSERTIONS = 20;
const SUITE_TESTS = 40;

const asserting = (text: string) => ({
  diff_type: "added",
  entity: "messages",
  where: { text, channel_id: CHANNEL, user_id: { in: ["U01AGENTONE", "U02JOHNADOE"] } },
  expected_count: 1,
});

const suiteOf = (bench: Bench, tests: readonly { name: string; assertions: object[] }[]) =>
  bench
    .platform("POST", "/testSuites", {
      name: "bench",
      templateService: "chat",
      templateName: TEMPLATE,
      impersonateUserId: "U01AGENTONE",
      tests: tests.map(({ name, assertions }) => ({
        name,
        prompt: name,
        expectedOutput: { assertions },
      })),
    })
    .then(({ suiteId }) => bench.platform("GET", `/testSuites/${suiteId}?expand=true`));

export async function verdicts(bench: Bench): Promise<Row[]> {
  const assertions = Array.from({ length: ASSERTIONS }, (_, n) => asserting(`row ${n}`));
  const suite = await suiteOf(bench, [{ name: "twenty", assertions }]);
  const [test] = suite["tests"] as { id: string }[];
  const environment = await bench.environment(TEMPLATE);
  const sql = bench.connect();
  let round = 1_000_000_000;
  let evaluated = "";
  const end = async (path: string) => {
    const samples: number[] = [];
    for (let n = 0; n < 5; n++) {
      const { runId } = await bench.platform("POST", "/startRun", {
        envId: environment["environmentId"],
        testId: test?.id,
      });
      await sql.unsafe(
        `insert into "${environment["schemaName"]}".messages (channel_id, ts, user_id, text)
         select '${CHANNEL}', ${round++}::text || '.' || lpad(i::text, 6, '0'), 'U02JOHNADOE', 'row ' || i
         from generate_series(0, ${ROWS - 1}) i`,
      );
      samples.push(await timed(() => bench.platform("POST", path, { runId })));
      if (path === "/evaluateRun") evaluated = `${runId}`;
    }
    return samples;
  };
  const gradeAgain = async () => {
    const samples: number[] = [];
    for (let n = 0; n < 5; n++)
      samples.push(
        await timed(() =>
          bench.platform("POST", `/runs/${evaluated}/evaluate`, { testId: test?.id }),
        ),
      );
    return samples;
  };
  const samples = await inTurn(30, {
    ours: () => end("/evaluateRun"),
    base: () => end("/diffRun"),
  });
  const graded = await inTurn(30, { base: () => end("/evaluateRun"), ours: gradeAgain });
  await sql.end();
  return [
    {
      name: `evaluateRun, ${ASSERTIONS} assertions on ${ROWS} rows, p50`,
      ours: median(samples.ours),
      base: median(samples.base),
      unit: "ms",
      comparedWith: "diffRun of the same",
      bar: { most: 1.2 },
    },
    {
      name: `grading that diff again, ${ASSERTIONS} assertions on ${ROWS} rows, p50`,
      ours: median(graded.ours),
      base: median(graded.base),
      unit: "ms",
      comparedWith: "evaluateRun of the same",
      bar: { most: 1.2 },
    },
    largeVerdict(),
  ];
}

/** In this process: processor time, without the database. */
function largeVerdict(): Row {
  const columns = ["id", "text", "channel_id", "user_id"].map((name) => ({ name, type: "text" }));
  const vocabulary: Vocabulary = {
    tables: [{ name: "messages", columns }],
    derived: {},
    calls: new Set(),
  };
  const inserts = Array.from({ length: 10_000 }, (_, id) => ({
    __table__: "messages",
    id,
    text: `row ${id}`,
    channel_id: CHANNEL,
    user_id: "U02JOHNADOE",
  }));
  const spec = compile(
    { assertions: Array.from({ length: 1_000 }, (_, n) => asserting(`row ${n}`)) },
    vocabulary,
  );
  const diff = { inserts, updates: [], deletes: [] };
  const evidence = {
    diff,
    unchangedColumns: [],
    revertedRows: [],
    transientRows: [],
    baselineRows: {},
  };
  const started = process.cpuUsage();
  if (!evaluate(spec, { messages: ["id"] }, evidence).passed) throw new Error("it must pass");
  const { user, system } = process.cpuUsage(started);
  return {
    name: "1,000 assertions on 10,000 changes, processor time",
    ours: (user + system) / 1e6,
    base: undefined,
    unit: "s",
    comparedWith: "",
    bar: { most: 1 },
  };
}

/** Runs each test from environment to verdict, two at a time, with a scripted agent; then audits the suite. */
export async function wholeSuite(bench: Bench): Promise<Row[]> {
  const names = Array.from({ length: SUITE_TESTS }, (_, n) => `test ${n}`);
  const suite = await suiteOf(
    bench,
    names.map((name) => ({ name, assertions: [asserting(name)] })),
  );
  const tests = [...(suite["tests"] as { id: string; name: string }[])];
  await poolOf(bench, TEMPLATE, 20);
  const work = async () => {
    for (let test = tests.shift(); test; test = tests.shift()) {
      const environment = await bench.platform("POST", "/initEnv", { testId: test.id });
      const envId = environment["environmentId"];
      const { runId } = await bench.platform("POST", "/startRun", {
        envId,
        testId: test.id,
        testSuiteId: suite["id"],
      });
      await bench.chat(environment, "chat.postMessage", { channel: CHANNEL, text: test.name });
      const { passed } = await bench.platform("POST", "/evaluateRun", { runId });
      if (passed !== true) throw new Error(`${test.name} must pass`);
      await bench.platform("DELETE", `/env/${envId}`);
    }
  };
  const ms = await timed(() => Promise.all([work(), work()]));
  const auditMs = await timed(async () => {
    const audit = await bench.platform("GET", `/testSuites/${suite["id"]}/audit`);
    const audited = audit["tests"] as { state: string }[];
    if (!audited.every(({ state }) => state === "audited")) throw new Error("all must be audited");
  });
  const alone = { base: undefined, unit: "s", comparedWith: "" } as const;
  return [
    {
      name: `a suite of ${SUITE_TESTS} tests with a scripted agent, 2 at a time`,
      ours: ms / 1000,
      ...alone,
      bar: {},
    },
    {
      name: `suites audit of ${SUITE_TESTS} tests`,
      ours: auditMs / 1000,
      ...alone,
      bar: { most: 20 },
    },
  ];
}
