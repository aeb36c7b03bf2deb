/** Slow evaluations do not delay other work. */
import { afterAll, expect, test } from "bun:test";
import { compile } from "~/evaluation/compile";
import { createEvaluator } from "~/evaluation/evaluator";

const evaluator = createEvaluator(1);
afterAll(() => evaluator.stop());

const world = {
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
  const verdict = await by.evaluate(owner, compile(JSON.parse(expected), world), {
    ...{ expected, world, keys: { things: ["id"] }, clock: null, events: null, baselineRows: null },
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
    failures: ["the evaluation took longer than 1 s"],
    explanations: [],
  });
  expect(slow.turns).toBeGreaterThan(10);
  expect(pattern.verdict).toMatchObject(passed);
  expect(many.verdict.score).toEqual({ passed: 50, total: 50, percent: 100 });
  expect(many.turns).toBeGreaterThan(0);
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
