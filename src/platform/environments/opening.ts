/** Looks up a live environment when a server begins to serve its calls. */
import type { Sql } from "~/db/connect";
import type { Opening } from "~/db/opening";
import { openTiming } from "~/platform/environments/clock";
import { findOpening } from "~/platform/environments/clock-store";
import type { Fault } from "~/platform/faults/model";

/** Facts that only change between its calls. */
export type Settings = {
  /** Null without any. */
  readonly faults: readonly Fault[] | null;
  readonly hasCounterparts: boolean;
  /** Their beginning, as in their progress. */
  readonly begun: string | null;
  /** The calls that its rules name, as assertions do. */
  readonly namedCalls: readonly string[];
  /** The time that it shows, in milliseconds since 1970; null: real time. */
  readonly now: (() => number) | null;
};

/** Undefined if the environment has ended. */
export async function openEnvironment(
  sql: Sql,
  environmentId: string,
): Promise<Opening<Settings> | undefined> {
  const row = await findOpening(sql, environmentId);
  if (!row) return undefined;
  const { timing, state, noted, counterparts: hasCounterparts, begun, namedCalls } = row;
  const { source, now } = openTiming(timing, environmentId);
  const settings = { faults: state?.faults ?? null, hasCounterparts, begun, namedCalls, now };
  return { source, settings, isNoted: noted };
}
