/** Custom scalars: parsing and serialization. */
import { GraphQLError, Kind, type ValueNode } from "graphql";
import type { ScalarResolver } from "~/graphql/schema";
import { isUuid } from "~/graphql/uuid";
import { Duration, dayOf, parseDuration } from "~/input/duration";
import { isObject, makeTellable, parseBounded } from "~/input/json";

const MOMENT =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i;

const refuse = (what: string) => new GraphQLError(what);

/** A moment in ISO 8601, full or shortened (`2026`, `2026-03`); undefined for anything else. */
function parseMoment(text: string): Date | undefined {
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", part, zone] =
    MOMENT.exec(text) ?? [];
  if (year === undefined) return undefined;
  const milliseconds = (part ?? "").padEnd(3, "0").slice(0, 3);
  const moment = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${(zone ?? "Z").toUpperCase()}`,
  );
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // Rejects 31 February instead of rolling over to March.
  const exists =
    !Number.isNaN(moment.getTime()) && midnight.toISOString().startsWith(`${year}-${month}-${day}`);
  return exists ? moment : undefined;
}

const YEAR_MAX = 9999;
/** Whether the year has four digits, in which JavaScript and Postgres agree. */
export const hasPlainYear = (moment: Date): boolean =>
  moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= YEAR_MAX;

function moment(value: unknown): Date {
  const parsed = momentOrDuration(value);
  if (parsed === undefined) throw refuse("A moment must be written as ISO 8601.");
  return parsed instanceof Duration ? parsed.after(new Date()) : parsed;
}

function momentOrDuration(value: unknown): Date | Duration | undefined {
  if (typeof value !== "string") return undefined;
  const parsed = parseDuration(value) ?? parseMoment(value);
  const meant = parsed instanceof Duration ? parsed.after(new Date()) : parsed;
  if (meant && !hasPlainYear(meant))
    throw refuse(`A moment must be in the years 1 to ${YEAR_MAX}.`);
  return parsed;
}

function dayOrDuration(value: unknown): string | Duration {
  const parsed = momentOrDuration(value);
  if (parsed === undefined) throw refuse("A day must be written as YYYY-MM-DD.");
  return parsed instanceof Duration ? parsed : dayOf(parsed);
}

/** Columns are Date, values in JSON are text. */
function isoText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "string") return parseMoment(value)?.toISOString() ?? value;
  throw refuse("This is not a moment.");
}

function literalValue(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map(literalValue);
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, literalValue(value)]),
      );
    case Kind.VARIABLE:
      throw refuse("A variable cannot be used inside JSON.");
    default:
      return node.value;
  }
}

const scalar = (
  parseValue: (value: unknown) => unknown,
  serialize: (value: unknown) => unknown = (value) => value,
): ScalarResolver => ({
  parseValue,
  parseLiteral: (node) => {
    const value = literalValue(node);
    makeTellable(value);
    return parseValue(value);
  },
  serialize,
});

export const SCALARS: { readonly [name: string]: ScalarResolver } = {
  DateTime: scalar(moment, isoText),
  DateTimeOrDuration: scalar((value) => {
    const parsed = momentOrDuration(value);
    if (parsed === undefined)
      throw refuse("A moment must be written as ISO 8601, or as a duration.");
    return parsed;
  }),
  TimelessDate: scalar((value) => {
    const day = dayOrDuration(value);
    return day instanceof Duration ? dayOf(day.after(new Date())) : day;
  }),
  TimelessDateOrDuration: scalar(dayOrDuration),
  Duration: scalar((value) => {
    if (typeof value === "number" && Number.isSafeInteger(value))
      return new Duration(String(value), 0, value);
    const parsed = typeof value === "string" ? parseDuration(value) : undefined;
    if (parsed === undefined)
      throw refuse("A duration must be written as ISO 8601, or in milliseconds.");
    return parsed;
  }),
  JSON: scalar(jsonIn, (value) => (typeof value === "string" ? value : JSON.stringify(value))),
  JSONObject: scalar((value) => {
    if (!isObject(value)) throw refuse("This must be a JSON object.");
    return value;
  }),
  UUID: scalar((value) => {
    if (!isUuid(value)) throw refuse("This must be a UUID.");
    return value.toLowerCase();
  }),
};

/** JSON in a string, as the service accepts it; an object is accepted as well. */
function jsonIn(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseBounded(value);
  } catch {
    throw refuse("This must be JSON in a string.");
  }
}
