/** The load of the server over time, from differences of its counters. Kept in the page, so it begins when that opens. */
import { signal } from "@preact/signals";
import type { Overview } from "~/clients/typescript/schema";

/** Half an hour, at a reading every five seconds. */
const READINGS_MAX = 360;
/** Times of calls are those of the last minute: fewer calls have no useful quantiles. */
const QUANTILES_SECONDS = 60;
const CREATE = "/api/platform/initEnv";

type Reading = {
  /** Seconds since 1970. */
  readonly at: number;
  readonly calls: number;
  readonly errors: number;
  readonly created: number;
  /** Calls that took at most as long as each bound. */
  readonly buckets: readonly number[];
};

/** Columns of equal length. Null where nothing is known: at the start, after a restart, or without a call. */
export type History = {
  readonly at: readonly number[];
  readonly calls: readonly (number | null)[];
  readonly errors: readonly (number | null)[];
  /** Milliseconds. */
  readonly median: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
};

let readings: readonly Reading[] = [];
export const history = signal<History>({ at: [], calls: [], errors: [], median: [], p95: [] });

/** Adds an answer of `/overview` to the history. */
export function note({ at, calls: { routes, errors, bucketSeconds } }: Overview): void {
  const created = routes.find(({ route }) => route === CREATE);
  const reading = {
    at: Date.parse(at) / 1000,
    calls: routes.reduce((sum, { count }) => sum + count, 0),
    errors: errors.reduce((sum, { count }) => sum + count, 0),
    created: created?.count ?? 0,
    buckets: created?.buckets ?? bucketSeconds.map(() => 0),
  };
  if (reading.at <= (readings.at(-1)?.at ?? 0)) return;
  readings = [...readings, reading].slice(-READINGS_MAX);
  history.value = {
    at: readings.map(({ at }) => at),
    calls: readings.map((now, n) => rate(now, readings[n - 1], "calls")),
    errors: readings.map((now, n) => rate(now, readings[n - 1], "errors")),
    median: readings.map((now) => quantile(0.5, now, bucketSeconds)),
    p95: readings.map((now) => quantile(0.95, now, bucketSeconds)),
  };
}

/** Per second. */
function rate(now: Reading, before: Reading | undefined, name: "calls" | "errors"): number | null {
  if (!before || now[name] < before[name]) return null;
  return (now[name] - before[name]) / (now.at - before.at);
}

/** Milliseconds, with calls spread evenly over their bucket, as Prometheus assumes it. */
function quantile(part: number, now: Reading, bounds: readonly number[]): number | null {
  const before = readings.find(({ at }) => at >= now.at - QUANTILES_SECONDS) ?? now;
  const count = now.created - before.created;
  if (count <= 0) return null;
  const rank = part * count;
  let [lower, below] = [0, 0];
  for (const [n, bound] of bounds.entries()) {
    const within = (now.buckets[n] ?? 0) - (before.buckets[n] ?? 0);
    if (within >= rank)
      return 1000 * (lower + ((bound - lower) * (rank - below)) / (within - below));
    [lower, below] = [bound, within];
  }
  return 1000 * lower;
}
