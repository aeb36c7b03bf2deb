/** Runs as answers show them. */
import type { ListedRun } from "~/platform/runs/evaluation-store";
import type { RunRow } from "~/platform/runs/store";

/** Whether the run's end is still undecided. */
export const isOpen = (status: RunRow["status"]) =>
  status === "running" || status === "ending" || status === "evaluating";

export const summary = (run: ListedRun) => ({
  status: run.status,
  passed: run.passed,
  score: run.score,
  success: run.success,
  reward: run.reward,
  unsafeCount: run.unsafeCount,
  ending: run.ending,
  exitCode: run.exitCode,
  execution_time: run.executionSeconds,
  gradable: run.gradable,
  ...(run.cause !== null && { cause: run.cause }),
});

/** The page of a run in the console, without the host. */
export const consoleUrl = (runId: string) => `/console/runs/${runId}`;

/** A run as lists show it. */
export const view = (run: ListedRun) => ({
  runId: run.runId,
  environmentId: run.environmentId,
  testId: run.testId,
  testSuiteId: run.suiteId,
  startedAt: run.startedAt.toISOString(),
  labels: run.labels,
  note: run.note,
  bookmarked: run.bookmarked,
  costUsd: run.costUsd,
  ...run.names,
  consoleUrl: consoleUrl(run.runId),
  ...summary(run),
});
