/** The runs of a suite's tests, summed up. */
import type { Pool } from "~/db/connect";
import { ApiError } from "~/errors";
import { percentOf } from "~/evaluation/score";
import { groupAttempts } from "~/platform/runs/attempts";
import { countAttempts, latestOfSuite } from "~/platform/runs/evaluation-store";
import type { Expiry } from "~/platform/runs/expiry";
import type { SuiteResultsQuery } from "~/platform/runs/suite-model";
import { summary } from "~/platform/runs/view";
import type { Suites } from "~/platform/suites/suites";

/** Pairs of a test and a value of a label. */
const ATTEMPT_ROWS_MAX = 20_000;
const NOT_RUN = {
  status: null,
  passed: null,
  score: null,
  execution_time: null,
  gradable: null,
  success: null,
  reward: null,
  unsafeCount: null,
  ending: null,
  exitCode: null,
};

export function createSuiteResults(deps: { pool: Pool; suites: Suites; expiry: Expiry }) {
  const { pool, suites, expiry } = deps;

  async function attempts(userId: string, suiteId: string, label: string) {
    const rows = await countAttempts(pool, userId, suiteId, label, ATTEMPT_ROWS_MAX + 1);
    if (rows.length <= ATTEMPT_ROWS_MAX) return rows;
    throw new ApiError("invalid_request", "groupBy: the label has too many values to compare");
  }

  return {
    /** Sums up this user's latest runs of a suite's tests, and all attempts by a label. */
    async suiteResults(userId: string, suiteId: string, { groupBy, k }: SuiteResultsQuery) {
      if (k !== undefined && groupBy === undefined)
        throw new ApiError("invalid_request", "k: groupBy is needed with it");
      const { name } = await suites.require(userId, suiteId);
      await expiry.end({ userId });
      const latest = new Map(
        (await latestOfSuite(pool, userId, suiteId)).map((run) => [run.testId, run]),
      );
      const tests = await suites.tests(suiteId);
      const results = tests.map((test) => {
        const run = latest.get(test.testId);
        const head = { testId: test.testId, name: test.name, runId: run?.runId ?? null };
        return run ? { ...head, ...summary(run) } : { ...head, ...NOT_RUN };
      });
      const testCount = results.length;
      const count = (...wanted: (string | null)[]) =>
        results.filter(({ status }) => wanted.includes(status)).length;
      const passed = count("passed");
      return {
        suiteId,
        name,
        testCount,
        passed,
        failed: count("failed", "completed"),
        running: count("running"),
        notRun: count(null),
        percent: testCount === 0 ? 0 : percentOf(passed, testCount),
        results,
        ...(groupBy !== undefined && {
          groupBy,
          groups: groupAttempts(
            await attempts(userId, suiteId, groupBy),
            tests,
            k === undefined ? undefined : Number(k),
          ),
        }),
      };
    },
  };
}
