/** Random series, the same ones for a seed. They avoid what python-dateutil reads in another way than RFC 5545. */

const ZONES = [
  ...["America/New_York", "America/Los_Angeles", "America/St_Johns", "America/Sao_Paulo"],
  ...["Europe/Berlin", "Europe/London", "Australia/Lord_Howe", "Pacific/Auckland"],
  ...["Africa/Cairo", "Asia/Kathmandu"],
];
const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const DAILY = ["YEARLY", "MONTHLY", "MONTHLY", "WEEKLY", "WEEKLY", "DAILY"];
const SUB_DAILY = ["HOURLY", "MINUTELY", "SECONDLY"];

export type RandomSeries = {
  readonly zone: string;
  readonly start: string;
  readonly rule: string;
  readonly excludedRule: string | undefined;
  readonly dates: readonly string[];
  readonly excludedDates: readonly string[];
  /** Milliseconds. Neither this nor `count` is part of `rule`. */
  readonly until: number | undefined;
  readonly count: number | undefined;
};

function random(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    integer,
    chance: (probability: number) => next() < probability,
    pick: <T>(items: readonly T[]) => items[integer(0, items.length - 1)] as T,
    some: <T>(max: number, one: () => T) => [
      ...new Set(Array.from({ length: integer(1, max) }, one)),
    ],
  };
}
type Random = ReturnType<typeof random>;

function weekdays(r: Random, frequency: string, hasMonths: boolean, hasWeeks: boolean) {
  const hasOrdinals = /^(YEAR|MONTH)LY$/.test(frequency) && !hasWeeks && r.chance(0.6);
  const max = frequency === "YEARLY" && !hasMonths ? 20 : 5;
  // dateutil takes the intersection of those with an ordinal and those without.
  return r.some(4, () => {
    const ordinal = hasOrdinals ? r.pick([r.integer(1, max), -r.integer(1, 4)]) : "";
    return `${ordinal}${r.pick(WEEKDAYS)}`;
  });
}

function rule(r: Random): string {
  const frequency = r.pick(r.chance(0.15) ? SUB_DAILY : DAILY);
  const isSubDaily = SUB_DAILY.includes(frequency);
  const isYearly = frequency === "YEARLY";
  const parts: string[] = [];
  const add = (name: string, probability: number, values: () => readonly unknown[]) => {
    const isAdded = r.chance(probability);
    if (isAdded) parts.push(`${name}=${values().join(",")}`);
    return isAdded;
  };
  const fromEnd = (max: number) => () => r.pick([r.integer(1, max), -r.integer(1, max)]);

  const hasMonths = add("BYMONTH", 0.25, () => r.some(4, () => r.integer(1, 12)));
  // dateutil does not count the week 1 that begins in December from the end.
  const hasWeeks = add("BYWEEKNO", isYearly ? 0.15 : 0, () => r.some(4, fromEnd(50)));
  add("BYYEARDAY", isYearly || isSubDaily ? 0.12 : 0, () => r.some(6, fromEnd(366)));
  add("BYMONTHDAY", frequency === "WEEKLY" ? 0 : 0.3, () => r.some(5, fromEnd(31)));
  // Without a weekday, dateutil takes all seven of a week.
  add("BYDAY", hasWeeks ? 1 : 0.45, () => weekdays(r, frequency, hasMonths, hasWeeks));
  add("BYHOUR", 0.15, () => r.some(4, () => r.integer(0, 23)));
  add("BYMINUTE", 0.12, () => r.some(4, () => r.integer(0, 59)));
  add("BYSECOND", 0.06, () => r.some(3, () => r.integer(0, 59)));
  // dateutil begins the first week at the start.
  if (parts.length > 0 && frequency !== "WEEKLY")
    add("BYSETPOS", 0.2, () => r.some(3, () => r.pick([r.integer(1, 5), -r.integer(1, 4)])));
  add("WKST", 0.2, () => [r.pick(WEEKDAYS)]);
  const intervalMax = isSubDaily ? 40 : 10;
  add("INTERVAL", 0.5, () => [r.integer(2, isYearly ? 4 : intervalMax)]);
  return [`FREQ=${frequency}`, ...parts].join(";");
}

/** Often in the hours that clocks skip or repeat. */
function wall(r: Random): string {
  const hour = r.chance(0.5) ? r.integer(0, 3) : r.integer(0, 23);
  const date = [r.integer(1996, 2027), r.integer(1, 12), r.integer(1, 28)];
  const time = [hour, r.pick([0, 15, 30, r.integer(0, 59)]), r.chance(0.9) ? 0 : r.integer(0, 59)];
  const text = (values: readonly number[], by: string) =>
    values.map((value) => String(value).padStart(2, "0")).join(by);
  return `${text(date, "-")}T${text(time, ":")}`;
}

function series(r: Random): RandomSeries {
  const start = wall(r);
  const ends = r.pick(["never", "never", "count", "until"]);
  const day = 86_400_000;
  return {
    zone: r.pick(ZONES),
    start,
    rule: rule(r),
    excludedRule: r.chance(0.1) ? rule(r) : undefined,
    dates: r.chance(0.1) ? r.some(3, () => wall(r)) : [],
    excludedDates: r.chance(0.1) ? [start] : [],
    until: ends === "until" ? Date.parse(`${start}Z`) + r.integer(1, 3_000) * day : undefined,
    count: ends === "count" ? r.integer(1, 60) : undefined,
  };
}

export function randomSeries(seed: number, count: number): RandomSeries[] {
  const r = random(seed);
  return Array.from({ length: count }, () => series(r));
}
