/** The verdict on an attempt that did not finish. */
import { expect, test } from "bun:test";
import { afterEnding, type FinalVerdict } from "~/evaluation/ending";

const score = { passed: 2, total: 2, percent: 100 };
const verdict = {
  ...{ passed: true, success: true, score, reward: 1, attack: null, unsafe: null, undone: null },
  ...{ failures: [], explanations: [] },
} as unknown as FinalVerdict;

test.each([null, "answered"] as const)("ending %p leaves it as it is", (ending) => {
  expect(afterEnding(verdict, { ending, exitCode: 1 })).toBe(verdict);
});

test("a crash fails, and keeps the verdict on the state that it left", () => {
  expect(afterEnding(verdict, { ending: "crashed", exitCode: 3 })).toEqual({
    ...verdict,
    ...{ passed: false, success: false, reward: 0, failures: ["attempt crashed: exit code 3"] },
    stateVerdict: { passed: true, success: true, score, reward: 1, failures: [] },
  });
});

test("an attempt that was stopped from outside has that as its cause", () => {
  const stopped = afterEnding(verdict, { ending: "interrupted", exitCode: null });

  expect(stopped).toMatchObject({ passed: false, cause: "interrupted" });
  expect(stopped.failures).toEqual(["attempt interrupted"]);
});
