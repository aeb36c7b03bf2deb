/** The time of an event in the words of the service's mails. The forms for series are from invitations in archives of mailing lists. */
import { readLines } from "~/replicas/calendar/recurrence/lines";
import type { Frequency, Rule } from "~/replicas/calendar/recurrence/rule";
import type { EventRow } from "~/replicas/calendar/store/events";
import { isAllDay, wallClock, zoneNameAt } from "~/replicas/calendar/times";

type Timed = Pick<EventRow, "start" | "end" | "startAt" | "endAt" | "recurrence" | "updated">;

const inZone = (options: Intl.DateTimeFormatOptions) => (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat("en-US", { timeZone, ...options }).format(at);

const weekdayIn = inZone({ weekday: "short" });
const dayIn = inZone({ month: "short", day: "numeric", year: "numeric" });
/** `Thu Jan 8, 2026` */
const dayText = (at: Date, zone: string) => `${weekdayIn(at, zone)} ${dayIn(at, zone)}`;
/** `10am`, `10:30am` */
const clockText = (at: Date, zone: string) =>
  inZone({ hour: "numeric", minute: "2-digit" })(at, zone)
    .replace(":00", "")
    .replace(/\s/g, "")
    .toLowerCase();

const DAY_MS = 24 * 3_600_000;

/** `Thu Jan 8, 2026 10am - 11am (GMT)` */
function singleText({ start, end }: Timed, zone: string): string {
  if (isAllDay(start)) {
    const first = dayText(new Date(start.date ?? ""), "UTC");
    const last = dayText(new Date(Date.parse(end.date ?? "") - DAY_MS), "UTC");
    return first === last ? first : `${first} - ${last}`;
  }
  const from = new Date(start.dateTime ?? "");
  const to = new Date(end.dateTime ?? "");
  const [day, lastDay] = [dayText(from, zone), dayText(to, zone)];
  const until = `${day === lastDay ? "" : `${lastDay} `}${clockText(to, zone)}`;
  return `${day} ${clockText(from, zone)} - ${until} (${zoneNameAt(from.getTime(), zone)})`;
}

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const WEEKDAYS = "0,1,2,3,4";
const PLACES: { readonly [ordinal: string]: string } = {
  ...{ "1": "first", "2": "second", "3": "third", "4": "fourth", "-1": "last" },
};
const WORDS: { readonly [frequency in Frequency]?: readonly [always: string, unit: string] } = {
  DAILY: ["Daily", "days"],
  WEEKLY: ["Weekly", "weeks"],
  MONTHLY: ["Monthly", "months"],
  YEARLY: ["Annually", "years"],
};

const BY_OTHER = [
  ...["months", "weekNumbers", "yearDays", "hours", "minutes", "seconds", "positions"],
] as (keyof Rule)[];

/** ` on Monday`, ` on the second Tuesday`. Undefined for a rule without a form. `first`: the day of the first instance. */
function daysText({ frequency, weekdays = [], monthDays = [] }: Rule, first: string) {
  const day = Temporal.PlainDate.from(first);
  const [{ weekday, ordinal } = { weekday: -1, ordinal: 0 }] = weekdays;
  if (frequency === "WEEKLY") {
    const days = weekdays.map((each) => each.weekday).toSorted();
    if (days.join() === WEEKDAYS) return " on weekdays";
    return ` on ${(days.length === 0 ? [day.dayOfWeek - 1] : days).map((each) => DAYS[each]).join(", ")}`;
  }
  if (frequency === "MONTHLY" && weekdays.length === 1 && monthDays.length === 0 && PLACES[ordinal])
    return ` on the ${PLACES[ordinal]} ${DAYS[weekday]}`;
  if (frequency === "MONTHLY" && weekdays.length === 0 && monthDays.length < 2)
    return ` on day ${monthDays[0] ?? day.day}`;
  if (weekdays.length + monthDays.length > 0) return undefined;
  if (frequency !== "YEARLY") return "";
  return ` on ${inZone({ month: "long", day: "numeric" })(new Date(first), "UTC")}`;
}

/** Without the year of the mail. */
const shortDay = (at: Date, zone: string, mailed: Date) =>
  dayText(at, zone).replace(`, ${mailed.getUTCFullYear()}`, "");

/** The start of the last instance of a series with an end; of whole days, midnight in UTC. */
function lastStart({ start, end, startAt, endAt }: Timed): Date {
  const from = start.date ?? start.dateTime ?? "";
  const duration = Date.parse(end.date ?? end.dateTime ?? "") - Date.parse(from);
  const last = (endAt?.getTime() ?? 0) - duration;
  if (!isAllDay(start)) return new Date(last);
  // Midnights are those of a calendar whose zone is not known here: 23 to 25 hours apart.
  const days = Math.round((last - startAt.getTime()) / DAY_MS);
  return new Date(Date.parse(from) + days * DAY_MS);
}

/** ` from Thu Jan 8 to Thu Mar 5`; empty for a series without an end. */
function rangeText({ count, until }: Rule, event: Timed, zone: string) {
  if (count === undefined && !until) return "";
  const { start, startAt, updated } = event;
  const shown = isAllDay(start) ? "UTC" : zone;
  const first = shortDay(start.date ? new Date(start.date) : startAt, shown, updated);
  if (!until) return ` from ${first} to ${shortDay(lastStart(event), shown, updated)}`;
  const lastZone = until.ms === undefined ? "UTC" : shown;
  return ` from ${first} to ${shortDay(new Date(until.ms ?? until.date), lastZone, updated)}`;
}

/** `Weekly from 10am to 11am on Monday (GMT)`. Undefined for a series without a form. */
function seriesText(event: Timed, zone: string): string | undefined {
  const { rules = [], dates = [], excludedRules = [] } = readLines(event.recurrence ?? []) ?? {};
  const [rule] = rules;
  const words = rule && WORDS[rule.frequency];
  const extra = rules.length + dates.length + excludedRules.length;
  if (!words || extra > 1 || BY_OTHER.some((part) => rule[part] !== undefined)) return undefined;
  const { start, startAt } = event;
  const own = start.timeZone ?? zone;
  const first = isAllDay(start)
    ? (start.date ?? "")
    : wallClock(startAt.getTime(), own).slice(0, 10);
  const days = daysText(rule, first);
  if (days === undefined) return undefined;
  const every = rule.interval === 1 ? words[0] : `Every ${rule.interval} ${words[1]}`;
  if (isAllDay(start)) return `${every}${days}${rangeText(rule, event, zone)}`;
  // The days of the rule are those of its own zone.
  const isSameDay = wallClock(startAt.getTime(), zone).startsWith(first);
  const shown = isSameDay ? zone : own;
  const [from, to] = [start, event.end].map(({ dateTime }) =>
    clockText(new Date(dateTime ?? ""), shown),
  );
  const name = zoneNameAt(startAt.getTime(), shown);
  return `${every} from ${from} to ${to}${days}${rangeText(rule, event, shown)} (${name})`;
}

/** In a zone. A series whose rule has no form gets the time of its first instance. */
export const whenText = (event: Timed, zone: string): string =>
  seriesText(event, zone) ?? singleText(event, zone);
