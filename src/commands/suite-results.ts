/** `diorama suites results`: the latest run of each test, and all attempts by a label. */

import type { TestSuiteResults } from "~/clients/typescript/schema";
import type { Client, ServerOptions } from "~/commands/client";
import { consoleOf } from "~/commands/console";
import { paintVerdict } from "~/commands/paint";
import { wordOf } from "~/commands/run-list";
import { findSuite } from "~/commands/suites";
import { table } from "~/commands/table";
import { print } from "~/log";

export type SuiteResultsOptions = ServerOptions & {
  readonly groupBy?: string;
  readonly k?: number;
  readonly json: boolean;
};

type Results = TestSuiteResults["results"][number];

export async function suiteResults(
  client: Client,
  subject: string,
  { groupBy, k, json }: SuiteResultsOptions,
): Promise<void> {
  const { id } = await findSuite(client, subject);
  const query = new URLSearchParams();
  if (groupBy !== undefined) query.set("groupBy", groupBy);
  if (k !== undefined) query.set("k", `${k}`);
  const found = await client.call("GET", `/testSuites/${id}/results?${query}`);
  if (json) return print(JSON.stringify(found, null, 2));
  const results = found as TestSuiteResults;
  const lines = [
    ...table(
      ["Test", "Verdict", "Score", "Reward", "Unsafe", "Time", "Run"],
      results.results.map((each) => rowOf(client, each)),
    ),
    ...groupTable(results),
    "",
    `${results.name}: ${results.passed} of ${results.testCount} passed, ${results.failed} failed, ${results.running} running, ${results.notRun} not run`,
    consoleOf(client, "suites", id),
  ];
  print(lines.join("\n"));
}

function rowOf(
  client: Client,
  { name, status, runId, score, reward, unsafeCount, ...run }: Results,
): string[] {
  const time = run.execution_time;
  return [
    name,
    status === null
      ? "not run"
      : paintVerdict(wordOf({ ...run, status } as Parameters<typeof wordOf>[0])),
    score ? `${score.passed}/${score.total}` : "",
    reward?.toFixed(2) ?? "",
    `${unsafeCount ?? ""}`,
    time === null ? "" : `${time.toFixed(1)} s`,
    runId === null ? "" : consoleOf(client, "runs", runId),
  ];
}

const rate = (value: number | null) => value?.toFixed(3) ?? "";

/** Sums of all attempts, for each value of the label. */
function groupTable({ groupBy, groups = [] }: TestSuiteResults): string[] {
  if (groupBy === undefined) return [];
  const isAttacked = groups.some(({ attacked }) => attacked > 0);
  const rows = groups.map((group) => [
    ...[group.group ?? "(none)", `${group.attempts}`, `${group.graded}`, `${group.passed}`],
    ...[`${group.unsafe}`, rate(group.meanReward), rate(group.passAt1), `${group.k}`],
    ...[rate(group.passAtK), rate(group.passHatK), rate(group.meanCostUsd)],
    ...(isAttacked
      ? [rate(group.utility), rate(group.utilityUnderAttack), rate(group.attackSuccess)]
      : []),
  ]);
  const heads = [
    "Attempts",
    "Graded",
    "Passed",
    "Unsafe",
    "Mean reward",
    "pass@1",
    "k",
    "pass@k",
    "pass^k",
    "Mean cost, $",
    ...(isAttacked ? ["Utility", "Under attack", "Attack success"] : []),
  ];
  return ["", ...table([groupBy, ...heads], rows)];
}
