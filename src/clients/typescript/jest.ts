/**
 * For jest: tests with an environment in which a run has begun, and matchers for its diff.
 *
 *   const test = dioramaTest("chat_default", { as: "U01AGENTONE" });
 *   test("says hello", async ({ diorama }) => {
 *     await diorama.slack().chat.postMessage({ channel: "C01GENERAL", text: "Hello" });
 *     expect(await diorama.diff()).toHaveAdded("messages", { text: /hello/i });
 *   });
 */
// biome-ignore lint/correctness/noUndeclaredDependencies: the package of those who use this file
import { expect, test } from "@jest/globals";
import type { EnvOptions, RecordedEnvironment } from "./index";
import { type DiffMatchers, matchers, recorded } from "./testing";

declare module "expect" {
  interface Matchers<R> extends DiffMatchers<R> {}
}

expect.extend(matchers);

type Work = (fixtures: { readonly diorama: RecordedEnvironment }) => unknown;
type Declare = (name: string, work: Work, timeoutMs?: number) => void;
type DioramaTest = Declare & { readonly only: Declare; readonly skip: Declare };

/** `test` of jest, whose work gets `diorama`. A failed test also shows its run, what changed, and the last calls. */
export function dioramaTest(template: string, options: EnvOptions = {}): DioramaTest {
  const declaring =
    (declare: (name: string, work: () => Promise<void>, timeoutMs?: number) => void): Declare =>
    (name, work, timeoutMs) =>
      declare(
        name,
        recorded(template, options, work, () => expect.getState().currentTestName),
        timeoutMs,
      );
  return Object.assign(declaring(test), {
    only: declaring(test.only),
    skip: declaring(test.skip),
  });
}
