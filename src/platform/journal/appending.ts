/** Appends ended calls to the runs that were active during them, by the clock that all servers share. */
import type { Pool } from "~/db/connect";
import { createBatches, type EndedCall } from "~/platform/journal/batches";
import { createClock } from "~/platform/journal/clock";
import { type Line, rounded } from "~/platform/journal/line";
import type { Dropped, Taken } from "~/platform/journal/queue";
import * as store from "~/platform/journal/store";

/** Clocks differ, and a run may have ended while its calls were on their way here. */
const MARGIN_MS = 60_000;
/** Environments that are known to have no run. */
const IDLE_MAX = 10_000;
/** Comparisons of the clocks that are made at the start. */
const CLOCKS_AT_START = 10;

/** A call of a run, once it is in the journal. */
export type CallOfRun = {
  readonly runId: string;
  readonly environmentId: string;
  readonly line: Line;
};

/** Takes calls for an export. Does not wait or throw. */
export type Spans = { readonly add: (calls: readonly CallOfRun[]) => void };

export function createAppending({ pool, spans }: { pool: Pool; spans: Spans | undefined }) {
  const clock = createClock();
  /** Environments that had no run when their calls were last appended. */
  const idle = new Set<string>();
  const batchesOf = createBatches(headText);

  async function append({ calls: batch, dropped }: Taken<EndedCall>): Promise<void> {
    const asked = performance.now();
    const oldest = batch.reduce((least, { began }) => Math.min(least, began), asked);
    const environmentIds = new Set(dropped.keys());
    for (const { environmentId } of batch) environmentIds.add(environmentId);
    const { now, runs } = await store.findActive(
      pool,
      [...environmentIds],
      asked - oldest + MARGIN_MS,
    );
    clock.compare(asked, performance.now(), now);
    noteIdle(environmentIds, runs);
    if (runs.length === 0) return;
    const callsOf = new Map(runs.map((run) => [run, [] as EndedCall[]]));
    const runsOf = Map.groupBy(runs, ({ environmentId }) => environmentId);
    const traced: CallOfRun[] = [];
    for (const call of batch) {
      const { environmentId } = call;
      const run = runsOf.get(environmentId)?.find((run) => isDuring(run, call));
      if (!run) continue;
      callsOf.get(run)?.push(call);
      if (spans) traced.push({ runId: run.runId, environmentId, line: JSON.parse(headText(call)) });
    }
    const lost = new Map<store.JournaledRun, Dropped>();
    for (const [environmentId, calls] of dropped) {
      const run = runsOf.get(environmentId)?.find((run) => isDuring(run, calls));
      if (run) lost.set(run, calls);
    }
    const batches = [...callsOf].flatMap(([run, calls]) => batchesOf(run, calls, lost.get(run)));
    if (batches.length > 0) await store.append(pool, batches);
    if (traced.length > 0) spans?.add(traced);
  }

  function noteIdle(environmentIds: Iterable<string>, runs: readonly store.JournaledRun[]): void {
    for (const environmentId of environmentIds) idle.add(environmentId);
    for (const { environmentId, endedAt } of runs) if (endedAt === null) idle.delete(environmentId);
    for (const environmentId of idle) {
      if (idle.size <= IDLE_MAX) break;
      idle.delete(environmentId);
    }
  }

  function isDuring(
    { startedAt, endedAt }: store.JournaledRun,
    { began, ended }: Pick<EndedCall, "began" | "ended">,
  ) {
    return clock.at(ended) >= startedAt && clock.at(began) <= (endedAt ?? Infinity);
  }

  /** The line of a call without its arguments, as JSON text. */
  function headText({ head, began }: EndedCall): string {
    return `{"at":${rounded(clock.at(began))},${head.slice(1)}`;
  }

  return {
    /** Compares the clocks before the first call. */
    async compareClocks(): Promise<void> {
      for (let n = 0; n < CLOCKS_AT_START; n++) {
        const sent = performance.now();
        const { now } = await store.findActive(pool, [], 0);
        clock.compare(sent, performance.now(), now);
      }
    },

    append,

    /** Whether an environment is known to have no run. */
    isIdle: (environmentId: string) => idle.has(environmentId),

    /** The time of a call as its line has it. */
    timeOf: (at: number) => rounded(clock.at(at)),
  };
}
