/** The verdict of the server itself. */
import type { Judgement, Trace } from "../model";
import type { Audited } from "../server";
import { type Event, isInLog } from "../trace";

/** Ends the run. */
export async function end({ platform }: Audited, runId: string): Promise<Omit<Judgement, "lost">> {
  const started = performance.now();
  const { passed, unsafe, undone } = await platform("POST", "/evaluateRun", { runId });
  const ms = performance.now() - started;
  if (unsafe === null || undone === null) throw new Error(`${runId}: its changes are not known`);
  return { passed, unsafe: unsafe.count, undone, ms };
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
