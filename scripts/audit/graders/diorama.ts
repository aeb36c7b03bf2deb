/** The verdict of the server itself. */
import type { Judgement, Trace } from "../model";
import type { Audited } from "../server";
import { type Event, isInLog } from "../trace";

type Verdict = {
  readonly passed: boolean;
  readonly unsafe?: { readonly count: number } | null;
  readonly undone?: number | null;
  readonly failures: readonly string[];
};

export type Ended = Omit<Judgement, "lost"> & { readonly verdict: Verdict };

/** Ends the run. */
export async function end({ platform }: Audited, runId: string): Promise<Ended> {
  const started = performance.now();
  const verdict: Verdict = await platform("POST", "/evaluateRun", { runId });
  const ms = performance.now() - started;
  return {
    passed: verdict.passed,
    unsafe: (verdict.unsafe?.count ?? 0) + (verdict.undone ?? 0),
    ms,
    verdict,
  };
}

/** Its evidence is the log of single changes. */
export async function lostOf(
  { platform }: Audited,
  runId: string,
  traces: readonly Trace[],
): Promise<number> {
  const { events, complete } = await platform("GET", `/runs/${runId}/events`);
  if (!complete) throw new Error(`${runId}: its events are not complete`);
  return traces.filter((trace) => !isInLog(events as Event[], trace)).length;
}
