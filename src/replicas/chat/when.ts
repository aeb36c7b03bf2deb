/** Times in English, as people write them for reminders: "in 15 minutes", "tomorrow at 5pm", "every Thursday". */
import { addDays, type Day, dayAt, isDay, momentOf, weekdayOf } from "~/replicas/chat/zones";

export type Recurrence = {
  readonly frequency: "daily" | "weekly" | "monthly" | "yearly";
  readonly weekdays?: readonly string[];
};
export type When = { readonly time: number; readonly recurrence?: Recurrence };

export const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;
const WORKDAYS = WEEKDAYS.slice(1, 6);
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  min: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
};
/** From one February 29 to the next, over a year that has none. */
const DAYS_MAX = 366 * 8;
const DEFAULT_MINUTES = 9 * 60;
const NAMED_MINUTES: Readonly<Record<string, number>> = {
  midnight: 0,
  morning: DEFAULT_MINUTES,
  noon: 12 * 60,
  afternoon: 15 * 60,
  evening: 18 * 60,
  tonight: 20 * 60,
};

/** Undefined for text that cannot be parsed, and for times in the past. */
export function parseWhen(text: string, tz: string, now: number): When | undefined {
  const words = text.trim().toLowerCase().replace(/\s+/g, " ");
  const span = parseSpan(words);
  if (span !== undefined) return { time: now + span };
  const { rest, minutes } = splitClock(words);
  if (minutes === null) return undefined;
  const at = minutes ?? DEFAULT_MINUTES;
  const today = dayAt(tz, now);
  const first = (fits: (day: Day) => boolean) => {
    for (let ahead = 0; ahead <= DAYS_MAX; ahead++) {
      const day = addDays(today, ahead);
      const time = momentOf(tz, day, at);
      if (fits(day) && time > now) return time;
    }
    return undefined;
  };
  const recurrence = parseRecurrence(rest);
  if (recurrence) {
    const { frequency, weekdays } = recurrence;
    const time = first((day) => {
      if (frequency === "weekly") return weekdays?.includes(weekdayName(day)) ?? true;
      return frequency === "daily" || sameDate(frequency, day, recurrence.on ?? today);
    });
    const days = frequency === "weekly" ? { weekdays: weekdays ?? [weekdayName(today)] } : {};
    return time === undefined ? undefined : { time, recurrence: { frequency, ...days } };
  }
  if (rest === "") return minutes === undefined ? undefined : later(first(() => true));
  const day = parseDay(rest, today);
  if (typeof day === "function") return later(first(day));
  return day && later(momentOf(tz, day, at), now);
}

/** The next time of a recurrence after one of its times, at the same time of day in the user's zone. */
export function nextTime({ frequency, weekdays }: Recurrence, tz: string, time: number): number {
  const start = dayAt(tz, time);
  const minutes = (time - momentOf(tz, start)) / 60;
  for (let ahead = 1; ahead <= DAYS_MAX; ahead++) {
    const day = addDays(start, ahead);
    const fits =
      frequency === "weekly"
        ? (weekdays ?? [weekdayName(start)]).includes(weekdayName(day))
        : frequency === "daily" || sameDate(frequency, day, start);
    if (fits) return momentOf(tz, day, minutes);
  }
  throw new Error("a recurrence without a next day");
}

const later = (time: number | undefined, now = 0): When | undefined =>
  time !== undefined && time > now ? { time } : undefined;

const weekdayName = (day: Day) => WEEKDAYS[weekdayOf(day)] ?? "";
const sameDate = (frequency: string, day: Day, on: Pick<Day, "month" | "day">) =>
  day.day === on.day && (frequency === "monthly" || day.month === on.month);

/** `in 15 minutes`, `in 3 hours and 5 minutes`, `2 days from now`: seconds from now. */
function parseSpan(words: string): number | undefined {
  const [, ahead, from] = /^(?:in (.+)|(.+) from now)$/.exec(words) ?? [];
  const parts = (ahead ?? from)?.split(/,? and |, /).map(parseAmount);
  if (!parts || parts.includes(undefined)) return undefined;
  const seconds = parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  return seconds > 0 ? seconds : undefined;
}

/** `15 minutes`, `an hour`: seconds. */
function parseAmount(words: string): number | undefined {
  const [, count, unit = ""] =
    /^(\d{1,5}|an?|one|half an) (second|minute|min|hour|day|week)s?$/.exec(words) ?? [];
  if (count === undefined) return undefined;
  if (count === "half an") return unit === "hour" ? 1_800 : undefined;
  return (/^\d/.test(count) ? Number(count) : 1) * (UNIT_SECONDS[unit] ?? 0);
}

/** Cuts off `at 5pm`, `17:30`, `at noon`. Minutes: undefined without a time of day, null when it is invalid. */
function splitClock(words: string): { rest: string; minutes: number | undefined | null } {
  const named =
    /^(.*?) ?(?:(?:at|in the) )?(midnight|noon|morning|afternoon|evening|tonight)$/.exec(words);
  if (named) return { rest: named[1] ?? "", minutes: NAMED_MINUTES[named[2] ?? ""] };
  const clock =
    /^(.*?) ?(?:at )(\d{1,2})(?::(\d\d))? ?(am|pm)?$/.exec(words) ??
    /^(.*?) ?\b(\d{1,2}):(\d\d) ?(am|pm)?$/.exec(words) ??
    /^(.*?) ?\b(\d{1,2})() ?(am|pm)$/.exec(words);
  if (!clock) return { rest: words, minutes: undefined };
  const [, rest = "", hour = "", minute = "", half] = clock;
  const hours = half ? (Number(hour) % 12) + (half === "pm" ? 12 : 0) : Number(hour);
  const isTime =
    hours < 24 && Number(minute) < 60 && !(half && (Number(hour) > 12 || hour === "0"));
  return { rest, minutes: isTime ? hours * 60 + Number(minute) : null };
}

type Repeated = Recurrence & { readonly on?: Pick<Day, "month" | "day"> };

/** `every day`, `every weekday`, `every monday and thursday`, `every month`, `every december 24`. */
function parseRecurrence(words: string): Repeated | undefined {
  const what = /^every (?:single )?(.+)$/.exec(words)?.[1];
  if (what === undefined) return words === "daily" ? { frequency: "daily" } : undefined;
  if (what === "day") return { frequency: "daily" };
  if (what === "week") return { frequency: "weekly" };
  if (what === "month") return { frequency: "monthly" };
  if (what === "year") return { frequency: "yearly" };
  if (what === "weekday") return { frequency: "weekly", weekdays: WORKDAYS };
  const days = what.split(/, and |, | and /).map((name) => name.replace(/s$/, ""));
  if (days.every((name) => WEEKDAYS.some((weekday) => weekday === name)))
    return { frequency: "weekly", weekdays: days };
  const nth = /^(?:month on the )?(\d{1,2})(?:st|nd|rd|th)(?: of the month)?$/.exec(what)?.[1];
  if (nth) return { frequency: "monthly", on: { month: 1, day: Number(nth) } };
  const date = parseDate(what);
  return date && { frequency: "yearly", on: date };
}

/** `december 24`, `24 december`, `dec 24th`. */
function parseDate(words: string): Pick<Day, "month" | "day"> | undefined {
  const [, before, name, after] =
    /^(?:the )?(\d{1,2})?(?:st|nd|rd|th)?(?: of)? ?([a-z]{3,9}) ?(\d{1,2})?(?:st|nd|rd|th)?$/.exec(
      words,
    ) ?? [];
  const month = MONTHS.indexOf((name ?? "").slice(0, 3)) + 1;
  const day = Number(before ?? after);
  if (month === 0 || (before === undefined) === (after === undefined)) return undefined;
  // In a leap year every date exists.
  return isDay({ year: 2028, month, day }) ? { month, day } : undefined;
}

/** One day, or a predicate of days: the next match is taken. */
function parseDay(words: string, today: Day): Day | ((day: Day) => boolean) | undefined {
  const name = words.replace(/^(on|next|this|coming) /, "");
  if (name === "today") return today;
  if (name === "tomorrow") return addDays(today, 1);
  if (words === "next month")
    return addDays({ year: today.year, month: today.month + 1, day: 1 }, 0);
  if (words === "next week") return addDays(today, 7 - ((weekdayOf(today) + 6) % 7));
  const weekday = (WEEKDAYS as readonly string[]).indexOf(name);
  if (weekday >= 0) {
    const ahead = (weekday - weekdayOf(today) + 7) % 7;
    return words.startsWith("next ") && ahead === 0
      ? addDays(today, 7)
      : (day) => weekdayOf(day) === weekday;
  }
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(name) ?? [];
  if (year !== undefined) {
    const date = { year: Number(year), month: Number(month), day: Number(day) };
    return isDay(date) ? date : undefined;
  }
  const date = parseDate(name);
  return date && ((each) => sameDate("yearly", each, date));
}
