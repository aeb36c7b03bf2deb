/**
 * Players: clients that play one episode after the other at the tests of a suite. An episode is an environment, a run
 * and, in the end, a verdict. Whatever ends a player releases its environment.
 */
import { ApiError } from "~/errors";
import { known, quoted } from "~/input/nearest";
import type { Environments } from "~/platform/environments/environments";
import type { Gateway } from "~/platform/gateway";
import type { Reset } from "~/platform/openenv/model";
import { type By, createPlayer, type Player } from "~/platform/openenv/player";
import { testsOf } from "~/platform/openenv/tasks";
import { createQuota } from "~/platform/quota";
import type { Runs } from "~/platform/runs/runs";
import type { SuiteRow, TestRow } from "~/platform/suites/store";
import type { Suites } from "~/platform/suites/suites";

export type Players = ReturnType<typeof createPlayers>;

export const PLAYERS_MAX = 4_000;
export const PLAYERS_PER_KEY_MAX = 1_000;

export function createPlayers(deps: {
  suites: Suites;
  environments: Environments;
  runs: Runs;
  gateway: Gateway;
}) {
  const { environments } = deps;
  const quota = createQuota(
    { max: PLAYERS_MAX, perHolder: PLAYERS_PER_KEY_MAX },
    { limit: "OpenEnv session", plural: "OpenEnv sessions" },
  );
  const releases = new Set<Promise<unknown>>();
  /** The next test of players that ask for none. */
  let turn = 0;

  /** An environment that is not deleted here expires. */
  function remove(userId: string, environmentId: string): Promise<void> {
    const removal = environments.remove(userId, environmentId).then(
      () => undefined,
      () => undefined,
    );
    releases.add(removal);
    return removal.finally(() => releases.delete(removal));
  }

  function choose(tests: readonly TestRow[], { test, split = "mcp", index, seed }: Reset): TestRow {
    const among = testsOf(tests, split);
    const found =
      test === undefined
        ? among[index ?? (seed ?? turn++) % among.length]
        : tests.find(({ testId, name }) => testId === test || name === test);
    if (found) return found;
    throw new ApiError(
      "test_not_found",
      test === undefined
        ? `The split ${split} has ${among.length} tests`
        : `The suite has no test ${quoted(test)}${known(
            test,
            tests.map(({ name }) => name),
          )}`,
    );
  }

  return {
    /** Throws LimitExceeded, or 503, if there are too many. */
    open: (by: By, suite: SuiteRow): Player =>
      createPlayer({ ...deps, choose, remove }, by, suite, quota.take(by.keyId)),

    /** Waits for the environments of players that have left. */
    async stop(): Promise<void> {
      await Promise.all(releases);
    },
  };
}
