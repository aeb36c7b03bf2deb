/**
 * For vitest: tests with an environment in which a run has begun, and matchers for its diff.
 *
 *   const test = dioramaTest("chat_default", { as: "U01AGENTONE" });
 *   test("says hello", async ({ diorama }) => {
 *     await diorama.slack().chat.postMessage({ channel: "C01GENERAL", text: "Hello" });
 *     expect(await diorama.diff()).toHaveAdded("messages", { text: /hello/i });
 *   });
 */
// biome-ignore lint/correctness/noUndeclaredDependencies: the package of those who use this file
import { expect, type TestAPI, test } from "vitest";
import type { EnvOptions, RecordedEnvironment } from "./index";
import { type DiffMatchers, explain, matchers, record } from "./testing";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it
  interface Matchers<T = any> extends DiffMatchers<void> {}
}

expect.extend(matchers);

/** `test` of vitest with the fixture `diorama`. A failed test also shows its run, what changed, and the last calls. */
export const dioramaTest = (
  template: string,
  options: EnvOptions = {},
): TestAPI<{ diorama: RecordedEnvironment }> =>
  test.extend<{ diorama: RecordedEnvironment }>({
    diorama: async ({ task }, use) => {
      const name = [task.suite?.name, task.name].filter(Boolean).join(" > ");
      await using environment = await record(template, options, name);
      await use(environment);
      const [error] = task.result?.errors ?? [];
      if (error) explain(error, await environment.report());
    },
  });
