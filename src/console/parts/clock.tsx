/** Times relative to now, with the exact time as a tooltip. */
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";

const TICK_MS = 5_000;
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, TICK_MS);
document.addEventListener("visibilitychange", () => {
  now.value = Date.now();
});

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** `4 min`, `2 h`. */
export function span(ms: number): string {
  const [name, size] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? UNITS[3];
  return `${Math.floor(Math.abs(ms) / size)} ${name}`;
}

/** `12.3 ms`, `1.24 s`. */
export function duration(ms: number): string {
  if (ms >= 60_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

const exact = (at: number) => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

/** The clock of an environment, as it was read. */
export type WorldClock = {
  readonly now: number;
  readonly readAt: number;
  readonly isRunning: boolean;
};

/** The environment's clock, which its service's times are compared with. */
export function useWorldClock({
  clock: { mode, now },
}: Pick<EnvironmentDetail, "clock">): WorldClock {
  return useMemo(
    () => ({
      now: Date.parse(now),
      readAt: Date.now(),
      isRunning: mode !== "frozen" && mode !== "step",
    }),
    [mode, now],
  );
}

const nowOf = ({ now: then, readAt, isRunning }: WorldClock) =>
  isRunning ? then + Math.max(0, now.value - readAt) : then;

/** Ticks are rare: what has just happened is not in the future. */
const SOON_MS = 2 * TICK_MS;

/** `4 min ago`, or `in 26 min`; by the clock of an environment if there is one. */
export function Time({ at, clock }: { at: string | number; clock?: WorldClock }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const iso = exact(ms);
  if (!iso) return <span>unknown</span>;
  const away = ms - (clock ? nowOf(clock) : now.value);
  const isNow = Math.abs(away) < 1000 || (clock !== undefined && away > 0 && away < SOON_MS);
  const words = away > 0 ? `in ${span(away)}` : `${span(away)} ago`;
  return (
    <time dateTime={iso} title={iso}>
      {isNow ? "now" : words}
    </time>
  );
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });
const MINUTE = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});

const DAY_MS = 86_400_000;

/** The day of a time, in UTC, as the API shows times: `Monday 9 March 2026`, or its distance to the clock's. */
export function dayOf(ms: number, clock?: WorldClock): string {
  if (!exact(ms)) return "Unknown day";
  const away = clock ? Math.floor(nowOf(clock) / DAY_MS) - Math.floor(ms / DAY_MS) : undefined;
  if (away === 0) return "Today";
  return away === 1 ? "Yesterday" : DAY.format(ms);
}

const MOMENT = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** `9 Mar 2026, 09:30`. */
export function Moment({ at }: { at: string | number }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const iso = exact(ms);
  return (
    <time dateTime={iso} title={iso}>
      {iso ? MOMENT.format(ms) : "unknown"}
    </time>
  );
}

export function Minute({ at }: { at: number }) {
  const iso = exact(at);
  return (
    <time dateTime={iso} title={iso}>
      {iso ? MINUTE.format(at) : "??:??"}
    </time>
  );
}
