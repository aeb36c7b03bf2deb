/** Recurring events: the occurrences that their recurrence lines produce. Exceptions to single ones are the caller's. */
import { SECONDS_OF_DAY } from "./civil";
import { instantOf, wallIn, wallOf, wallsBetween, wallText } from "./clock";
import { type Moment, readLines } from "./lines";
import { difference, inOrder, union } from "./merge";
import type { Rule } from "./rule";
import { countMax, walls } from "./walls";

type SeriesSource = {
  /** RRULE, EXRULE, RDATE and EXDATE lines. */
  readonly recurrence: readonly string[];
  /** `2026-03-09` of an all-day event, or a time of the zone: `2026-03-09T09:00:00`, with or without its offset. */
  readonly start: string;
  /** Of the wall clock that the event repeats in; the days of an all-day event begin at its midnights. */
  readonly zone: string;
  /** Of each occurrence; all-day events have 24 hours a day. */
  readonly durationMs: number;
};

/**
 * Occurrences have keys, in milliseconds and in ascending order: their instants, or the midnights of an all-day event on a
 * clock without a zone.
 */
export type Series = {
  readonly isAllDay: boolean;
  readonly zone: string;
  readonly durationMs: number;
  readonly startWall: number;
  readonly startKey: number;
  readonly rules: readonly Rule[];
  readonly excludedRules: readonly Rule[];
  readonly dates: readonly number[];
  readonly excludedDates: ReadonlySet<number>;
};

export type Occurrence = {
  /** `2026-03-09`, or `2026-03-09T09:00:00` in the zone of the series. */
  readonly start: string;
  readonly startMs: number;
  readonly endMs: number;
};

/** For one window. A caller with pages stops sooner. */
const OCCURRENCES_MAX = 50_000;

const ENDLESS_YEARS = 2;
const ENDLESS_OCCURRENCES = 730;

const DAY_MS = SECONDS_OF_DAY * 1_000;

/** Undefined for a date in a series with times: it is none of its occurrences. */
function keyOf(moment: Moment, isAllDay: boolean, seriesZone: string): number | undefined {
  if (isAllDay) return wallIn(moment.date) * 1_000;
  if ("ms" in moment) return moment.ms;
  if (!("wall" in moment)) return undefined;
  return instantOf(wallIn(moment.wall), moment.zone ?? seriesZone).ms;
}

/** Rules of an all-day event may give times of day, which are ignored. */
const withoutTimes = (rule: Rule): Rule => ({
  ...rule,
  ...{ hours: undefined, minutes: undefined, seconds: undefined },
});

const isSubDaily = ({ frequency }: Rule) => /^(HOURLY|MINUTELY|SECONDLY)$/.test(frequency);

/** Undefined if a recurrence line is not valid: the service answers `Invalid recurrence rule.` */
export function seriesOf(source: SeriesSource): Series | undefined {
  const { start, zone, durationMs } = source;
  const lines = readLines(source.recurrence);
  if (!lines) return undefined;
  const isAllDay = start.length === 10;
  if (isAllDay && [...lines.rules, ...lines.excludedRules].some(isSubDaily)) return undefined;
  const dates = lines.dates.map((moment) => keyOf(moment, isAllDay, zone));
  if (dates.includes(undefined)) return undefined;
  const excludedDates = lines.excludedDates.map((moment) => keyOf(moment, isAllDay, zone));

  // An offset says which of a repeated hour is meant.
  const startMs = /T.*(Z|[+-]\d\d:\d\d)$/.test(start) ? Date.parse(start) : undefined;
  const startWall = startMs === undefined ? wallIn(start) : wallOf(startMs, zone);
  const rulesOf = (rules: readonly Rule[]) => (isAllDay ? rules.map(withoutTimes) : rules);
  return {
    ...{ isAllDay, zone, durationMs, startWall },
    startKey: isAllDay ? startWall * 1_000 : (startMs ?? instantOf(startWall, zone).ms),
    rules: rulesOf(lines.rules),
    excludedRules: rulesOf(lines.excludedRules),
    dates: (dates as number[]).sort((a, b) => a - b),
    excludedDates: new Set(excludedDates.filter((key) => key !== undefined)),
  };
}

/** The last wall clock of a rule with COUNT. The start is counted even if the rule does not produce it. */
function lastCounted(rule: Rule, count: number, startWall: number): number {
  let last = startWall;
  let left = count - 1;
  for (const wall of walls(rule, startWall)) {
    if (wall === startWall) continue;
    if (left-- === 0) break;
    last = wall;
  }
  return last;
}

/** The last wall clock up to `to` at which a rule may still occur. */
function lastWall({ isAllDay, startWall, zone }: Series, rule: Rule, to: number): number {
  const { count, until } = rule;
  // Most windows end long before the last one: then they need not be counted from the start.
  if (count !== undefined)
    return countMax(rule, to - startWall) < count
      ? to
      : Math.min(to, lastCounted(rule, count, startWall));
  if (!until) return to;
  if (isAllDay) return Math.min(to, wallIn(until.date));
  if (until.ms === undefined) return Math.min(to, wallIn(until.date) + SECONDS_OF_DAY - 1);
  return Math.min(to, wallsBetween(until.ms, until.ms, zone)[1]);
}

function* keysOfRule(series: Series, rule: Rule, from: number, to: number): Generator<number> {
  const { isAllDay, startWall, startKey, zone } = series;
  const found = walls(rule, startWall, { from, to: lastWall(series, rule, to) });
  const untilMs = (isAllDay ? undefined : rule.until?.ms) ?? Number.POSITIVE_INFINITY;
  const keys = inOrder(found, (wall) => {
    if (isAllDay) return { ms: wall * 1_000, isMoved: false };
    return wall === startWall
      ? { ms: startKey, isMoved: wallOf(startKey, zone) !== wall }
      : instantOf(wall, zone);
  });
  for (const key of keys) if (key <= untilMs) yield key;
}

/** The occurrences that start in a range of instants, the end not included. */
function* starting(series: Series, fromMs: number, toMs: number): Generator<Occurrence> {
  const { isAllDay, zone, durationMs } = series;
  const [from, to] = wallsBetween(fromMs, toMs, zone);
  const rules = series.rules.map((rule) => keysOfRule(series, rule, from, to));
  const excluded = series.excludedRules.map((rule) => keysOfRule(series, rule, from, to));
  const produced = union([...rules, [series.startKey].values(), series.dates.values()]);
  for (const key of difference(produced, union(excluded), series.excludedDates)) {
    const startMs = isAllDay ? instantOf(key / 1_000, zone).ms : key;
    if (startMs < fromMs) continue;
    if (startMs >= toMs) return;
    yield isAllDay
      ? {
          start: wallText(key / 1_000).slice(0, 10),
          startMs,
          endMs: instantOf((key + durationMs) / 1_000, zone).ms,
        }
      : { start: wallText(wallOf(key, zone)), startMs, endMs: key + durationMs };
  }
}

const isEndless = ({ count, until }: Rule) => count === undefined && until === undefined;

/** Occurrences that end after `fromMs` and start before `toMs`. */
type Window = { readonly fromMs?: number; readonly toMs?: number; readonly nowMs: number };

/**
 * The occurrences of a window in order, computed as they are taken. A series without an end stops, in a window without
 * one, two years after `nowMs` or after 730 occurrences.
 */
export function* occurrences(series: Series, window: Window): Generator<Occurrence> {
  const { fromMs = Number.NEGATIVE_INFINITY, toMs, nowMs } = window;
  const isOpen = toMs === undefined && series.rules.some(isEndless);
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO("UTC");
  const endMs = isOpen ? now.add({ years: ENDLESS_YEARS }).epochMilliseconds : toMs;
  // Days that are longer than 24 hours end later.
  const earliest = fromMs - series.durationMs - (series.isAllDay ? DAY_MS : 0);
  let left = isOpen ? ENDLESS_OCCURRENCES : OCCURRENCES_MAX;
  for (const found of starting(series, earliest, endMs ?? Number.POSITIVE_INFINITY)) {
    if (found.endMs <= fromMs) continue;
    yield found;
    if (--left === 0) return;
  }
}

/** The occurrence that starts at this date or instant; undefined if the series has none. */
export function occurrenceAt(series: Series, start: string | number): Occurrence | undefined {
  if ((typeof start === "string") !== series.isAllDay) return undefined;
  const ms = typeof start === "string" ? instantOf(wallIn(start), series.zone).ms : start;
  return starting(series, ms, ms + 1).next().value ?? undefined;
}

/** An instant after which a rule with an end does not occur. */
function lastInstant(series: Series, rule: Rule): number {
  const { zone, isAllDay } = series;
  if (rule.until?.ms !== undefined && !isAllDay) return rule.until.ms;
  const { ms } = instantOf(lastWall(series, rule, Number.POSITIVE_INFINITY), zone);
  // A gap may have moved an earlier one behind it.
  const gap = Math.abs(wallOf(ms, zone) - wallOf(ms - DAY_MS, zone) - SECONDS_OF_DAY);
  return ms + gap * 1_000;
}

/** The end of the last occurrence in milliseconds; null if the series has no end. */
export function endOfSeries(series: Series): number | null {
  if (series.rules.some(isEndless)) return null;
  const { isAllDay, startKey, durationMs } = series;
  const lasts = series.rules.map((rule) => lastInstant(series, rule));
  const dates = series.dates.map((key) => (isAllDay ? key + DAY_MS : key));
  const lastMs = Math.max(startKey, ...lasts, ...dates);
  // Backwards in growing steps: the last ones may be excluded, or a rule ends long before its UNTIL.
  for (let spanMs = DAY_MS / 24; ; spanMs *= 8) {
    const last = [...starting(series, lastMs - spanMs, lastMs + 1)].at(-1);
    if (last) return last.endMs;
    if (lastMs - spanMs < startKey - DAY_MS) return startKey + durationMs;
  }
}
