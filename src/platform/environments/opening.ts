/** Looks up a live environment when a server begins to serve its calls. */
import type { Sql } from "~/db/connect";
import type { Opening } from "~/db/pinned-session";
import { sourceOfCalls } from "~/platform/environments/clock";
import { findOpening } from "~/platform/environments/clock-store";
import type { Fault } from "~/platform/faults/model";

/** Its faults, which only change between its calls; null without any. */
export type Settings = readonly Fault[] | null;

/** Undefined if the environment has ended. */
export async function openEnvironment(
  sql: Sql,
  environmentId: string,
): Promise<Opening<Settings> | undefined> {
  const row = await findOpening(sql, environmentId);
  if (!row) return undefined;
  const { timing, state } = row;
  return { source: sourceOfCalls(timing, environmentId), settings: state?.faults ?? null };
}
