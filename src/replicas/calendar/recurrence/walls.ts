/**
 * The wall-clock times of one rule, as seconds since 1970 on a clock without zones.
 *
 * Own code rather than rrule-temporal 2.2.8: of 4,000 random valid rules, its occurrences differ from python-dateutil's in
 * 1.9 % (yearly rules lose BYMONTHDAY or BYYEARDAY beside BYDAY or BYWEEKNO), and 3 % end in an error after up to 0.9 s,
 * because they have no occurrence within 10,000 iterations.
 */
import { civilDate, dayNumber, daysInMonth, SECONDS_OF_DAY, weekStartOf } from "./civil";
import { type DayRule, hasDay, withDaysOf } from "./day-filter";
import type { Frequency, Rule } from "./rule";

/** 9999-12-31T23:59:59, the last time that the service can write. */
const LAST = dayNumber(10_000, 1, 1) * SECONDS_OF_DAY - 1;

/** Days, or shorter periods, without an occurrence before a rule counts as ended: the calendar repeats after 400 years. */
const IDLE_MAX = 146_097;

/** The shortest period of each frequency. */
const PERIOD_SECONDS: Readonly<Record<Frequency, number>> = {
  YEARLY: 365 * SECONDS_OF_DAY,
  MONTHLY: 28 * SECONDS_OF_DAY,
  WEEKLY: 7 * SECONDS_OF_DAY,
  DAILY: SECONDS_OF_DAY,
  HOURLY: 3_600,
  MINUTELY: 60,
  SECONDLY: 1,
};

/** Times of day, as every combination. They are not multiplied out: there may be 86,400. */
type Times = {
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  readonly seconds: readonly number[];
};

const countTimes = ({ hours, minutes, seconds }: Times) =>
  hours.length * minutes.length * seconds.length;

function timeAt({ hours, minutes, seconds }: Times, index: number): number {
  const minute = Math.floor(index / seconds.length);
  const hour = Math.floor(minute / minutes.length);
  return (
    (hours[hour] ?? 0) * 3_600 +
    (minutes[minute % minutes.length] ?? 0) * 60 +
    (seconds[index % seconds.length] ?? 0)
  );
}

/** The first index below `length` whose value reaches a bound; the values ascend. */
function firstReaching(length: number, value: (index: number) => number, bound: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value(middle) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The occurrences of one period from `from` on: days by times of day, of which positions may select some. */
function* select(days: readonly number[], times: Times, rule: Rule, from: number) {
  const perDay = countTimes(times);
  const total = days.length * perDay;
  const candidate = (index: number) =>
    (days[Math.floor(index / perDay)] ?? 0) * SECONDS_OF_DAY + timeAt(times, index % perDay);
  const chosen =
    rule.positions &&
    [...new Set(rule.positions.map((at) => (at > 0 ? at - 1 : total + at)))]
      .filter((index) => index >= 0 && index < total)
      .sort((a, b) => a - b);
  const length = chosen ? chosen.length : total;
  const value = (index: number) => candidate(chosen ? (chosen[index] ?? 0) : index);
  for (let index = firstReaching(length, value, from); index < length; index++) yield value(index);
}

/** How the periods of a frequency are numbered, and which days of one a rule takes. */
type Calendar = {
  readonly indexOf: (day: number) => number;
  readonly firstDay: (index: number) => number;
  readonly daysOf: (index: number) => number[];
  /** Days that are looked at in one period. */
  readonly size: number;
};

function daysOfMonth(rule: DayRule, year: number, month: number): number[] {
  if (rule.months && !rule.months.includes(month)) return [];
  const first = dayNumber(year, month, 1);
  const days: number[] = [];
  for (let day = 1; day <= daysInMonth(year, month); day++)
    if (hasDay(rule, first + day - 1, { year, month, day })) days.push(first + day - 1);
  return days;
}

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

function calendarOf(rule: DayRule): Calendar {
  const week = weekStartOf(0, rule.weekStart);
  const consecutive = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => first + index).filter((day) => hasDay(rule, day));
  switch (rule.frequency) {
    case "YEARLY":
      return {
        indexOf: (day) => civilDate(day).year,
        firstDay: (year) => dayNumber(year, 1, 1),
        daysOf: (year) =>
          (rule.months ?? MONTHS).flatMap((month) => daysOfMonth(rule, year, month)),
        size: (rule.months ?? MONTHS).length * 31,
      };
    case "MONTHLY":
      return {
        indexOf: (day) => {
          const { year, month } = civilDate(day);
          return year * 12 + month - 1;
        },
        firstDay: (index) => dayNumber(Math.floor(index / 12), (index % 12) + 1, 1),
        daysOf: (index) => daysOfMonth(rule, Math.floor(index / 12), (index % 12) + 1),
        size: 31,
      };
    case "WEEKLY":
      return {
        indexOf: (day) => Math.floor((day - week) / 7),
        firstDay: (index) => week + index * 7,
        daysOf: (index) => consecutive(week + index * 7, 7),
        size: 7,
      };
    default:
      return {
        indexOf: (day) => day,
        firstDay: (day) => day,
        daysOf: (day) => consecutive(day, 1),
        size: 1,
      };
  }
}

/** Number of the first period from `index` on that the rule reaches from the start's in whole intervals. */
const aligned = (startIndex: number, interval: number, index: number) =>
  startIndex + Math.max(0, Math.ceil((index - startIndex) / interval)) * interval;

function* byDays(rule: Rule, start: number, from: number, to: number): Generator<number> {
  const startDay = Math.floor(start / SECONDS_OF_DAY);
  const calendar = calendarOf(withDaysOf(rule, startDay));
  const times = timesOf(rule, start);
  const first = calendar.indexOf(Math.floor(from / SECONDS_OF_DAY));
  let index = aligned(calendar.indexOf(startDay), rule.interval, first);
  let idle = 0;
  for (; calendar.firstDay(index) * SECONDS_OF_DAY <= to; index += rule.interval) {
    idle += calendar.size;
    if (idle > IDLE_MAX) return;
    const days = calendar.daysOf(index);
    if (days.length === 0) continue;
    for (const wall of select(days, times, rule, from)) {
      if (wall > to) return;
      idle = 0;
      yield wall;
    }
  }
}

const partsOf = (wall: number) => {
  const second = wall - Math.floor(wall / SECONDS_OF_DAY) * SECONDS_OF_DAY;
  return {
    hour: Math.floor(second / 3_600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
  };
};

function timesOf(rule: Rule, start: number): Times {
  const { hour, minute, second } = partsOf(start);
  return {
    hours: rule.hours ?? [hour],
    minutes: rule.minutes ?? [minute],
    seconds: rule.seconds ?? [second],
  };
}

/** The end of the day, hour or minute around a time that a rule leaves out as a whole; undefined if it may occur. */
function leftOutUntil(rule: Rule, unit: number, wall: number): number | undefined {
  const { hour, minute, second } = partsOf(wall);
  const after = (length: number) => (Math.floor(wall / length) + 1) * length;
  if (!hasDay(rule, Math.floor(wall / SECONDS_OF_DAY))) return after(SECONDS_OF_DAY);
  if (rule.hours && !rule.hours.includes(hour)) return after(3_600);
  if (unit <= 60 && rule.minutes && !rule.minutes.includes(minute)) return after(60);
  return unit === 1 && rule.seconds && !rule.seconds.includes(second) ? after(1) : undefined;
}

/** Hourly rules and those that are more frequent. A period is one hour, minute or second. */
function* byUnits(rule: Rule, unit: number, start: number, from: number, to: number) {
  const startIndex = Math.floor(start / unit);
  const next = (wall: number) => aligned(startIndex, rule.interval, Math.ceil(wall / unit));
  let index = next(Math.floor(from / unit) * unit);
  for (let idle = 0; index * unit <= to; ) {
    if (++idle > IDLE_MAX) return;
    const skipped = leftOutUntil(rule, unit, index * unit);
    if (skipped !== undefined) {
      index = next(skipped);
      continue;
    }
    const { hour, minute, second } = partsOf(index * unit);
    const times = timesOf(rule, start);
    const own = {
      hours: [hour],
      minutes: unit <= 60 ? [minute] : times.minutes,
      seconds: unit === 1 ? [second] : times.seconds,
    };
    for (const wall of select([Math.floor((index * unit) / SECONDS_OF_DAY)], own, rule, from)) {
      if (wall > to) return;
      idle = 0;
      yield wall;
    }
    index += rule.interval;
  }
}

/**
 * The times of a rule within a range, in order, without its COUNT and UNTIL. It takes no longer for a range far from the
 * start, and ends at the year 9999, or where none follows in 400 years.
 */
export function walls(rule: Rule, start: number, range: { from?: number; to?: number } = {}) {
  const from = Math.max(start, range.from ?? start);
  const to = Math.min(LAST, range.to ?? LAST);
  const unit = PERIOD_SECONDS[rule.frequency];
  return unit >= SECONDS_OF_DAY
    ? byDays(rule, start, from, to)
    : byUnits(rule, unit, start, from, to);
}

/** How many times a period can have at most. */
function periodMax({ frequency, positions, monthDays, weekdays, ...rule }: Rule): number {
  if (positions) return positions.length;
  const perDay =
    (rule.hours?.length ?? 1) * (rule.minutes?.length ?? 1) * (rule.seconds?.length ?? 1);
  if (frequency === "YEARLY") return 366 * perDay;
  if (frequency === "MONTHLY") return (monthDays?.length ?? (weekdays ? 31 : 1)) * perDay;
  if (frequency === "WEEKLY") return (weekdays?.length ?? 1) * perDay;
  return perDay;
}

/** An upper limit of the times that a rule has in so many seconds after its start. */
export const countMax = (rule: Rule, seconds: number): number =>
  (Math.ceil(seconds / (PERIOD_SECONDS[rule.frequency] * rule.interval)) + 1) * periodMax(rule);
