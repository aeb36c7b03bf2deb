/**
 * Postgres and the decoder keep what they know of every table whose changes a replication connection has read: together
 * some 70 kB for a schema. So a connection that has read those of many is replaced. A run that is open for long postpones
 * that, at most until the slot retains more log than it may.
 */
import type { Lsn } from "~/capture/change";
import type { Recorder } from "~/capture/recorder";

/** `wanted`: a run is about to start on this server, since then. */
export type Demand = { wanted: boolean; since: number };

const SCHEMAS_MAX = 2_000;
/** The next connection reads again what open runs need: at most this part of what this one has read. */
const REREAD_PART = 4n;

/** Whether a connection that began at `start` and has read up to `received` is to be replaced. */
export const isWorn = (
  { changed, safe }: Pick<Recorder, "changed" | "safe">,
  { start, received }: { readonly start: Lsn; readonly received: Lsn },
  schemasMax = SCHEMAS_MAX,
): boolean => changed > schemasMax && (received - safe) * REREAD_PART <= received - start;

/** Ends a connection so that the next one takes over, also if no run is open. */
export function renew(demand: Demand, finish: () => void): void {
  demand.wanted = true;
  demand.since = performance.now();
  finish();
}
