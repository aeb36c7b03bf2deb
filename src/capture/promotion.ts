/**
 * A promoted standby continues the log of its primary on a new timeline. Runs go on if it has the slot, too: Postgres 17
 * and later copy one that was created with `failover` to their standbys.
 */
import { type Lsn, parseLsn } from "~/capture/change";
import type { ReplicationClient } from "~/capture/protocol";
import type { Slot } from "~/capture/slot";

/** A cluster, and its part of the history of its log. */
type System = { readonly id: string; readonly timeline: number };

/** Identifies the server. Throws on a standby, whose promotion may be in progress: it still has its old timeline. */
export async function identify(client: ReplicationClient): Promise<System> {
  const state = (await client.query("select pg_is_in_recovery() as waits")).rows[0];
  if (state?.["waits"] !== false) throw new Error("the server is a standby");
  const identity = (await client.query("IDENTIFY_SYSTEM")).rows[0] ?? {};
  return { id: String(identity["systemid"]), timeline: Number(identity["timeline"]) };
}

/**
 * Returns where `timeline` ended, as the history of a later one tells: a line for each of its ancestors. Undefined if it
 * is none of them.
 */
export function endOf(timeline: number, history: string): Lsn | undefined {
  for (const line of history.split("\n")) {
    const [, number, end] = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/.exec(line) ?? [];
    if (end !== undefined && Number(number) === timeline) return parseLsn(end);
  }
  return undefined;
}

/**
 * Whether the slot delivers everything since the start marks of open runs: always on the same server; after a promotion
 * if Postgres copied the slot to it, and nothing was read from the old timeline after its end. `read`: the last commit
 * that was read.
 */
export async function continuesLog(
  client: ReplicationClient,
  previous: { readonly systemId: string | null; readonly timeline: number | null },
  system: System,
  slot: Slot,
  read: Lsn,
): Promise<boolean> {
  if (previous.systemId !== system.id) return false;
  if (previous.timeline === system.timeline) return true;
  if (!slot.synced || previous.timeline === null) return false;
  const answer = (await client.query(`TIMELINE_HISTORY ${system.timeline}`)).rows[0];
  const end = endOf(previous.timeline, String(answer?.["content"] ?? ""));
  return end !== undefined && parseLsn(slot.confirmed) <= end && read <= end;
}
