/** A run as a record, from which each format takes what it has a place for. */
import type { Call, RunEvent } from "~/clients/typescript/schema";
import type { RunParts } from "~/console/run-data";
import { VERSION } from "~/version";

/** A call with the rows that it changed, in the order of their commits. */
export type RecordedCall = Call & { readonly id: string; readonly rows: readonly RunEvent[] };
export type RunRecord = ReturnType<typeof recordOf>;

/** `page`: of the run in the console. */
export function recordOf({ run, calls, events, reasons, isComplete }: RunParts, page: string) {
  const attributed = new Set(calls.flatMap(({ changes }) => changes ?? []));
  const { runId, environmentId, service, templateName, testId, testName, labels } = run;
  const { testSuiteId, testSuiteName, startedAt, status, passed, success, reward, score } = run;
  const { gradable, cause = null, ending, exitCode } = run;
  const seconds = run.execution_time;
  return {
    about: {
      ...{ runId, consoleUrl: page, environmentId, service, templateName, testId, testName },
      ...{ testSuiteId, testSuiteName, labels, startedAt, seconds, diorama: VERSION },
      /** False if calls or changes are missing: the run goes on, or has too many. */
      complete: isComplete && status !== "running",
    },
    verdict: {
      ...{ status, passed, success, reward, score, unsafe: run.unsafe?.count ?? null },
      ...{ gradable, cause, ending, exitCode, reasons: reasons?.text ?? "" },
    },
    prompt: reasons?.prompt ?? null,
    /** As the labels name them. */
    agent: labels["agent"],
    model: labels["model"],
    startedAt: Date.parse(startedAt),
    endedAt: Date.parse(startedAt) + (seconds ?? 0) * 1000,
    calls: calls.map((call): RecordedCall => {
      const rows = (call.changes ?? []).flatMap((position) => events[position - 1] ?? []);
      return { ...call, id: `call_${call.n}`, rows };
    }),
    /** Changes that belong to no call. */
    others: events.filter((_, index) => !attributed.has(index + 1)),
  };
}

/** As far as it is known, the result that the agent got: the answer of a run that keeps answers; else the error, or the status. */
export const answerOf = ({ answer, error, status }: RecordedCall): string =>
  answer === undefined ? (error ?? `HTTP ${status}`) : JSON.stringify(answer);

/** As an object, which the formats require. */
export const argumentsOf = ({ arguments: given }: RecordedCall): object =>
  typeof given === "object" && given !== null && !Array.isArray(given) ? given : { value: given };

export const iso = (ms: number) => new Date(ms).toISOString();
