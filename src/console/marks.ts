/** How an environment differs from its template, and the calls that caused it. */
import type { CallPage, RunEvent, RunEvents, RunList } from "~/clients/typescript/schema";
import { ask } from "~/console/api";
import { useLoad } from "~/console/loading";
import { ownEvent, type ServiceEnvironment } from "~/console/services/member";

/** A call of a run. */
export type Cause = { readonly runId: string; readonly n: number; readonly name: string };

/** `touched`: a call changed what belongs to it, or what is not compared. */
export type Mark = "new" | "changed" | "removed" | "touched" | undefined;

export type Marks<Baseline> = {
  /** The parts of the template that a service compares; undefined if the template does not exist any more. */
  readonly baseline: Baseline | undefined;
  /** The last call that touched each thing. */
  readonly causes: ReadonlyMap<string, Cause>;
};

/** A run that has ended, with its calls and changes. */
export type EndedRun = {
  readonly runId: string;
  readonly calls: CallPage["calls"];
  /** Undefined for a change of another service. */
  readonly events: readonly (RunEvent | undefined)[];
};

const RUNS_MAX = 10;
const CALLS_MAX = 1_000;
const NO_CAUSES: ReadonlyMap<string, Cause> = new Map();

/** The newest runs of an environment that have ended, the oldest of them first. */
export async function readEndedRuns(environment: ServiceEnvironment): Promise<EndedRun[]> {
  const { runs } = await ask<RunList>(
    `/api/platform/runs?environmentId=${environment.environmentId}&limit=${RUNS_MAX}`,
  );
  const ended: EndedRun[] = [];
  for (const { runId, status } of runs.toReversed()) {
    if (status === "running") continue;
    const [{ events }, { calls }] = await Promise.all([
      ask<RunEvents>(`/api/platform/runs/${runId}/events`),
      ask<CallPage>(`/api/platform/runs/${runId}/calls?limit=${CALLS_MAX}`),
    ]);
    ended.push({ runId, calls, events: events.map((event) => ownEvent(environment, event)) });
  }
  return ended;
}

/** The last call that touched each thing. `subjectsOf`: the things that a change belongs to. */
export function causesOf(
  runs: readonly EndedRun[],
  subjectsOf: (event: RunEvent) => readonly string[],
): ReadonlyMap<string, Cause> {
  const causes = new Map<string, Cause>();
  for (const { runId, calls, events } of runs)
    for (const { n, name, changes } of calls)
      for (const position of changes ?? []) {
        const event = events[position - 1];
        for (const subject of event ? subjectsOf(event) : [])
          causes.set(subject, { runId, n, name });
      }
  return causes;
}

/** Reads how an environment differs, and again after each run. */
export function useMarks<Baseline>(
  environment: ServiceEnvironment,
  readBaseline: (environment: ServiceEnvironment) => Promise<Baseline | undefined>,
  subjectsOf: (event: RunEvent) => readonly string[],
): Marks<Baseline> {
  const { environmentId, run } = environment;
  const baseline = useLoad(() => readBaseline(environment), [environmentId]);
  const causes = useLoad(
    async () => causesOf(await readEndedRuns(environment), subjectsOf),
    [environmentId, run?.runId, run?.status],
  );
  return { baseline: baseline.data, causes: causes.data ?? NO_CAUSES };
}
