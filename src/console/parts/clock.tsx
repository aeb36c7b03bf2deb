/** Times relative to now, with the exact time as a tooltip. */
import { signal } from "@preact/signals";

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

/** `4 min ago`, or `in 26 min`. */
export function Time({ at }: { at: string | number }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const iso = exact(ms);
  if (!iso) return <span>unknown</span>;
  const away = ms - now.value;
  const text = Math.abs(away) < 1000 ? "now" : span(away);
  const words = away > 0 ? `in ${text}` : `${text} ago`;
  return (
    <time dateTime={iso} title={iso}>
      {text === "now" ? text : words}
    </time>
  );
}

const DAY = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeZone: "UTC",
});
const MINUTE = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** In UTC, as the API shows times. */
export const dayOf = (ms: number) => (exact(ms) ? DAY.format(ms) : "unknown day");

export function Minute({ at }: { at: number }) {
  const iso = exact(at);
  return (
    <time dateTime={iso} title={iso}>
      {iso ? MINUTE.format(at) : "??:??"}
    </time>
  );
}
