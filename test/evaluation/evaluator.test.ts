/** Slow evaluations do not delay other work. */
import { afterAll, describe, expect, test } from "bun:test";
import { compile } from "~/evaluation/compile";
import { createEvaluator } from "~/evaluation/evaluator";

const evaluator = createEvaluator(1);
afterAll(() => evaluator.stop());

const vocabulary = {
  tables: [
    {
      name: "things",
      columns: [
        { name: "id", type: "integer" },
        { name: "name", type: "text" },
      ],
    },
  ],
  derived: {},
  calls: new Set<string>(),
};

/** The verdict on one added row, and how often other work went on meanwhile. */
const verdictOf = (name: string, ...conditions: object[]) =>
  verdictFor({ owner: "alice", by: evaluator }, name, ...conditions);

async function verdictFor(
  { owner, by }: { owner: string; by: typeof evaluator },
  name: string,
  ...conditions: object[]
) {
  const assertions = conditions.map((condition) => ({
    ...{ diff_type: "added", entity: "things" },
    where: { name: condition },
  }));
  const expected = JSON.stringify({ assertions });
  const row = { __table__: "things", id: 1, name };
  const rows = { unchangedColumns: [], revertedRows: [], transientRows: [] };
  let turns = 0;
  const others = setInterval(() => turns++, 5);
  const verdict = await by.evaluate(owner, compile(JSON.parse(expected), vocabulary), {
    ...{
      expected,
      vocabulary,
      keys: { things: ["id"] },
      others: null,
      events: null,
      baselineRows: null,
    },
    diff: JSON.stringify({ inserts: [row], updates: [], deletes: [] }),
    evidence: JSON.stringify(rows),
  });
  clearInterval(others);
  return { verdict, turns };
}

const TEXT = "ab".repeat(20_000);
const passed = { passed: true, score: { passed: 1, total: 1, percent: 100 } };

test("a quick one needs no thread", async () => {
  expect(await verdictOf(TEXT, { contains: "ba" })).toMatchObject({ verdict: passed, turns: 0 });
});

test("one that takes too long fails, the next does not, and other work goes on", async () => {
  const [slow, pattern, many] = await Promise.all([
    verdictOf(TEXT, { regex: `${".{0,999}".repeat(9)}\\d$` }),
    verdictOf(TEXT, { regex: "^(ab)+$" }),
    verdictOf(TEXT.repeat(20), ...Array.from({ length: 50 }, () => ({ i_contains: "BA" }))),
  ]);

  expect(slow.verdict).toEqual({
    passed: false,
    success: false,
    score: { passed: 0, total: 1, percent: 0 },
    reward: 0,
    unsafe: null,
    undone: null,
    attack: null,
    failures: ["the evaluation took longer than 1 s"],
    explanations: [],
  });
  expect(slow.turns).toBeGreaterThan(10);
  expect(pattern.verdict).toMatchObject(passed);
  expect(many.verdict.score).toEqual({ passed: 50, total: 50, percent: 100 });
  expect(many.turns).toBeGreaterThan(0);
});

test("one that takes too long ends with its time: nothing computes any more", async () => {
  const brief = createEvaluator(0.3);
  const slow = { regex: `${".{0,999}".repeat(9)}\\d$` };
  const { verdict } = await verdictFor({ owner: "alice", by: brief }, TEXT, slow);
  await Bun.sleep(200);

  const before = process.cpuUsage();
  await Bun.sleep(500);
  const { user, system } = process.cpuUsage(before);

  expect(verdict.passed).toBe(false);
  expect((user + system) / 1000).toBeLessThan(250);
});

/** Counts the threads that are started and ended while `work` runs. */
async function watched(work: (threads: { started: number; ended: number }) => Promise<void>) {
  const Original = globalThis.Worker;
  const threads = { started: 0, ended: 0 };
  globalThis.Worker = class extends Original {
    constructor(...args: ConstructorParameters<typeof Original>) {
      super(...args);
      threads.started++;
    }

    override terminate() {
      threads.ended++;
      super.terminate();
    }
  };
  try {
    await work(threads);
  } finally {
    globalThis.Worker = Original;
  }
}

describe("a thread", () => {
  const ask = async (by: typeof evaluator, owner: string, regex = "^(ab)+$") =>
    (await verdictFor({ owner, by }, TEXT, { regex })).verdict;

  test("is kept for the next evaluation, until the evaluator stops", async () => {
    await watched(async (threads) => {
      const several = createEvaluator();
      for (let n = 0; n < 3; n++) expect(await ask(several, "alice")).toMatchObject(passed);
      expect(threads).toEqual({ started: 1, ended: 0 });

      several.stop();
      expect(threads).toEqual({ started: 1, ended: 1 });
    });
  });

  test("is ended if another one is already kept", async () => {
    await watched(async (threads) => {
      const several = createEvaluator();
      await Promise.all([ask(several, "alice"), ask(several, "bob")]);
      expect(threads).toEqual({ started: 2, ended: 1 });

      several.stop();
      expect(threads).toEqual({ started: 2, ended: 2 });
    });
  });

  test("is waited for while two are busy", async () => {
    await watched(async (threads) => {
      const several = createEvaluator();
      const owners = ["alice", "bob", "carol", "dan"];
      const verdicts = await Promise.all(owners.map((owner) => ask(several, owner)));
      expect(verdicts).toMatchObject(owners.map(() => passed));
      expect(threads.started - threads.ended).toBe(1);
      expect(threads.started).toBeLessThan(owners.length);
      several.stop();
    });
  });

  test("is ended with an evaluation that takes too long", async () => {
    await watched(async (threads) => {
      await ask(createEvaluator(0.3), "alice", `${".{0,999}".repeat(9)}\\d$`);
      expect(threads).toEqual({ started: 1, ended: 1 });
    });
  });
});

test("slow ones of one owner do not delay those of another", async () => {
  const patient = createEvaluator();
  const slow = { regex: `${".{0,999}".repeat(9)}\\d$` };
  let slowEnded = 0;
  for (let n = 0; n < 3; n++)
    void verdictFor({ owner: "mallory", by: patient }, TEXT, slow).then(() => slowEnded++);

  const { verdict } = await verdictFor({ owner: "bob", by: patient }, TEXT, { regex: "^(ab)+$" });

  patient.stop();
  expect(verdict).toMatchObject(passed);
  expect(slowEnded).toBe(0);
});
