/** A slow pattern does not delay other work. */
import { afterAll, expect, test } from "bun:test";
import { createPatternWorker, type EvaluationInput } from "~/evaluation/pattern-worker";

const patternWorker = createPatternWorker(1);
afterAll(() => patternWorker.stop());

function trial(regex: string): EvaluationInput {
  const row = { __table__: "things", id: 1, name: "ab".repeat(20_000) };
  return {
    expected: JSON.stringify({
      assertions: [{ diff_type: "added", entity: "things", where: { name: { regex } } }],
    }),
    world: {
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
      calls: new Set(),
    },
    keys: { things: ["id"] },
    evidence: {
      diff: { inserts: [row], updates: [], deletes: [] },
      unchangedColumns: [],
      revertedRows: [],
      transientRows: [],
      baselineRows: {},
    },
  };
}

test("a pattern over its time limit fails, the next is evaluated normally, and the event loop is not blocked", async () => {
  let longest = 0;
  let at = performance.now();
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - at);
    at = performance.now();
  }, 5);

  const [slow, quick] = await Promise.all([
    patternWorker.evaluate(trial(`${".{0,999}".repeat(9)}\\d$`)),
    patternWorker.evaluate(trial("^(ab)+$")),
  ]);
  clearInterval(ticking);

  expect(slow).toEqual({
    passed: false,
    score: { passed: 0, total: 1, percent: 0 },
    failures: ["the patterns took longer than 1 s"],
    explanations: [],
  });
  expect(quick).toMatchObject({ passed: true, score: { passed: 1, total: 1, percent: 100 } });
  expect(longest).toBeLessThan(500);
});
