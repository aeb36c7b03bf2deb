/** The tests of a suite as OpenEnv's tasks. */
import { ApiError } from "~/errors";
import type { Split } from "~/platform/openenv/model";
import type { SuiteRow, TestRow } from "~/platform/suites/store";
import type { Suites } from "~/platform/suites/suites";

export const SPLITS: readonly Split[] = ["mcp", "api"];

/** The tests that can be solved in this way, as far as that is known. */
export const testsOf = (tests: readonly TestRow[], split: Split) =>
  tests.filter(({ surfaces }) => surfaces?.includes(split) ?? true);

/** `chat-benchmark` for "Chat benchmark". */
export const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

export function createTasks(suites: Suites) {
  async function list(suite: SuiteRow, split: Split) {
    const tests = testsOf(await suites.testsWithTime(suite), split);
    return tests.map(({ testId, name, prompt }, index) => ({
      test: testId,
      name,
      prompt,
      split,
      index,
    }));
  }

  return {
    list,

    /** Throws `test_not_found`. */
    async at(suite: SuiteRow, split: Split, index: number) {
      const task = (await list(suite, split))[index];
      if (task) return task;
      throw new ApiError("test_not_found", `The split ${split} has no task ${index}`);
    },
  };
}
