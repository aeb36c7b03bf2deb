/** The lines of an event's `recurrence`. */
import { isZone } from "./clock";
import { calendarDate, type Rule, readRule, utcInstant } from "./rule";

const LINE_CHARACTERS_MAX = 2_000;
/** RRULE and EXRULE lines: each costs time in every window. */
const RULES_MAX = 10;
/** Dates and times of RDATE and EXDATE lines. */
const MOMENTS_MAX = 2_000;

/** A date or a time of RDATE or EXDATE, in the zone of the line or else of the series. */
export type Moment =
  | { readonly date: string }
  | { readonly ms: number; readonly date: string }
  | { readonly wall: string; readonly zone: string | undefined; readonly date: string };

export type Lines = {
  readonly rules: readonly Rule[];
  readonly excludedRules: readonly Rule[];
  readonly dates: readonly Moment[];
  readonly excludedDates: readonly Moment[];
};

function readMoment(text: string, zone: string | undefined): Moment | undefined {
  const date = calendarDate(text.slice(0, 8));
  if (date === undefined) return undefined;
  if (text.length === 8) return { date };
  const ms = utcInstant(text.endsWith("Z") ? text : `${text}Z`);
  if (ms === undefined) return undefined;
  if (text.endsWith("Z")) return { ms, date };
  return { wall: new Date(ms).toISOString().slice(0, 19), zone, date };
}

/** Dates and times after the colon, one kind in a line; periods are not supported. */
function readMoments(parameters: readonly string[], value: string): Moment[] | undefined {
  let zone: string | undefined;
  let kind: string | undefined;
  for (const parameter of parameters) {
    const [name = "", text = ""] = parameter.split("=");
    if (name.toUpperCase() === "TZID") zone = text.replaceAll('"', "");
    else if (name.toUpperCase() === "VALUE") kind = text.toUpperCase();
    else return undefined;
  }
  if (zone !== undefined && !isZone(zone)) return undefined;
  const moments = value
    .toUpperCase()
    .split(",")
    .map((text) => readMoment(text, zone));
  const isDate = moments.every((moment) => moment && !("ms" in moment) && !("wall" in moment));
  const fits = { undefined: true, DATE: isDate, "DATE-TIME": !isDate }[`${kind}`] ?? false;
  return !fits || moments.includes(undefined) ? undefined : (moments as Moment[]);
}

/** Undefined if a line is not valid, or there are too many. */
export function readLines(recurrence: readonly string[]): Lines | undefined {
  const rules: Rule[] = [];
  const excludedRules: Rule[] = [];
  const dates: Moment[] = [];
  const excludedDates: Moment[] = [];
  for (const line of recurrence) {
    if (line.length > LINE_CHARACTERS_MAX) return undefined;
    const [, head = "", value = ""] = /^([^:]*):(.*)$/.exec(line) ?? [];
    const [name = "", ...parameters] = head.split(";");
    const property = name.toUpperCase();
    if (property === "RRULE" || property === "EXRULE") {
      const rule = parameters.length === 0 ? readRule(value) : undefined;
      if (!rule) return undefined;
      (property === "RRULE" ? rules : excludedRules).push(rule);
    } else if (property === "RDATE" || property === "EXDATE") {
      const moments = readMoments(parameters, value);
      if (!moments) return undefined;
      (property === "RDATE" ? dates : excludedDates).push(...moments);
    } else return undefined;
    if (rules.length + excludedRules.length > RULES_MAX) return undefined;
    if (dates.length + excludedDates.length > MOMENTS_MAX) return undefined;
  }
  return { rules, excludedRules, dates, excludedDates };
}
