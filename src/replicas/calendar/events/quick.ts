/** Events from one line of text: the time is taken out of it, and the place; what is left is the summary. */
import type { ParsedComponents, ParsedResult } from "chrono-node";
import { casual } from "chrono-node/en";
import { type Place, requireWriter } from "~/replicas/calendar/access";
import { isAgentDiff } from "~/replicas/calendar/compatibility";
import { required, wrongParameter } from "~/replicas/calendar/errors";
import type { WriteOptions } from "~/replicas/calendar/events/columns";
import { createEvent } from "~/replicas/calendar/events/creation";
import type { EventResource } from "~/replicas/calendar/events/resource";
import type { WritingCall } from "~/replicas/calendar/operation";
import { settingOf } from "~/replicas/calendar/settings";
import type { EventRow } from "~/replicas/calendar/store/events";
import { wallClock } from "~/replicas/calendar/times";
import { millisOf } from "~/source";

type Moment = {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Of the calendar. */
  readonly zone: string;
  /** The length of an event whose text has neither an end nor a length. */
  readonly minutes: number;
};

/** Characters of a text. */
const TEXT_MAX = 1_024;
const MINUTE_MS = 60_000;
const HOUR = 60;
const DAY = 24 * HOUR;

/** `for 45 minutes`, `for an hour and a half`, `for 1 hour 30 minutes`. */
const LENGTH =
  /\bfor\s+(?:(\d{1,3}(?:\.\d+)?|an?|half an?)\s*(minutes?|mins?|m|hours?|hrs?|h|days?|d)\b)(?:\s*(?:and\s+)?(?:(a half)|(\d{1,2})\s*(?:minutes?|mins?|m)\b))?/i;
/** The library knows noon as a time, and not as an end of a range. */
const NOON =
  /\bnoon(?=\s*(?:-|–|to\b|until\b)\s*\d)|(?<=\d\s*(?:[ap]m)?\s*(?:-|–|to|until)\s*)noon\b/gi;
const PART_OF_DAY = /\b(?:morning|afternoon|evening|night|tonight)\b/i;
const LINKING = "(?:on|at|for|from|by|in)";
const LINKING_END = new RegExp(`(?:^|\\s)${LINKING}$`, "i");
const LINKING_START = new RegExp(`^${LINKING}(?=\\s|$)`, "i");
const PLACE = /\s(?:at|in)\s+((?:the\s+|room\s+)?[\p{Lu}\d].*)$/u;

type Found = { readonly index: number; readonly text: string };

/** The text without this part, and without the words that led to it. */
function without(text: string, { index, text: part }: Found): string {
  const before = text.slice(0, index).trimEnd().replace(LINKING_END, "");
  const after = text.slice(index + part.length).trimStart();
  return `${before} ${before === "" ? after.replace(LINKING_START, "") : after}`.trim();
}

function lengthOf([, count = "", unit = "", half, more]: RegExpExecArray): number {
  const each = { m: 1, h: HOUR }[unit.charAt(0).toLowerCase()] ?? DAY;
  const number = { h: 0.5, a: 1 }[count.charAt(0).toLowerCase()] ?? Number(count);
  const rest = half ? each / 2 : Number(more ?? 0);
  return Math.round(number * each + rest);
}

const hasTime = ({ text, start }: ParsedResult) =>
  start.isCertain("hour") || PART_OF_DAY.test(text);

const dateOf = (of: ParsedComponents) =>
  new Temporal.PlainDate(of.get("year") ?? 1, of.get("month") ?? 1, of.get("day") ?? 1);

/** The moment, in the zone of the calendar unless the text names another one. */
function momentOf(of: ParsedComponents, zone: string): number {
  if (of.isCertain("timezoneOffset")) return of.date().getTime();
  const time = { hour: of.get("hour") ?? 0, minute: of.get("minute") ?? 0 };
  return dateOf(of).toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds;
}

function timed({ start, end }: ParsedResult, length: number | undefined, moment: Moment) {
  const { zone, minutes } = moment;
  const from = momentOf(start, zone);
  const to =
    end && length === undefined ? momentOf(end, zone) : from + (length ?? minutes) * MINUTE_MS;
  const at = (time: number) => ({ dateTime: wallClock(time, zone), timeZone: zone });
  return { start: at(from), end: at(Math.max(from, to)) };
}

function allDay(found: ParsedResult | undefined, length: number | undefined, moment: Moment) {
  const today = Temporal.Instant.fromEpochMilliseconds(moment.now).toZonedDateTimeISO(moment.zone);
  const from = found ? dateOf(found.start) : today.toPlainDate();
  const last = found?.end ? dateOf(found.end) : from;
  const to = length === undefined ? last.add({ days: 1 }) : from.add({ days: daysOf(length) });
  return { start: { date: from.toString() }, end: { date: to.toString() } };
}

const daysOf = (length: number) => Math.max(1, Math.ceil(length / DAY));

/** Reads the text as a person in the calendar's zone means it at that moment. */
function readText(given: string, moment: Moment): EventResource {
  let text = given.replace(NOON, "12pm");
  const length = LENGTH.exec(text);
  if (length) text = without(text, { index: length.index, text: length[0] });
  const { now, zone } = moment;
  const offset = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
  const reference = {
    instant: new Date(now),
    timezone: offset.offsetNanoseconds / 1_000_000 / MINUTE_MS,
  };
  const all = casual.parse(text, reference, { forwardDate: true });
  const found = all.find(hasTime) ?? all[0];
  if (found) text = without(text, found);
  const [, location] = PLACE.exec(text) ?? [];
  const summary = (location ? text.replace(PLACE, "") : text).replace(/^[\s,:;-]+|[\s,:;-]+$/g, "");
  const minutes = length ? lengthOf(length) : undefined;
  return {
    summary: summary.replaceAll(/\s+/g, " "),
    ...(location && { location: location.replace(/[\s,;]+$/, "") }),
    ...(found && hasTime(found) ? timed(found, minutes, moment) : allDay(found, minutes, moment)),
  };
}

/** Creates the event that `text` describes. Throws `required` without a text. */
export async function quickAddEvent(
  call: WritingCall,
  place: Place,
  { text = "", ...options }: WriteOptions & { readonly text?: string | undefined },
): Promise<EventRow> {
  requireWriter(place);
  if (text.trim() === "") throw required();
  if (text.length > TEXT_MAX)
    throw wrongParameter("text", `The text is longer than ${TEXT_MAX} characters.`);
  const body = readText(text, {
    now: millisOf(call.session.source),
    zone: place.calendar.timeZone,
    minutes: Number(settingOf(place.me, "defaultEventLength")) || HOUR,
  });
  const whole = isAgentDiff(place.me) ? { ...body, summary: text } : body;
  return await createEvent(call, place, whole, options);
}
