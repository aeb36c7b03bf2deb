/** Checks of single values of events. */
import { CalendarError, invalid, required } from "~/replicas/calendar/errors";
import type { EventResource } from "~/replicas/calendar/events/resource";

export const STATUSES = ["confirmed", "tentative", "cancelled"] as const;
export const TRANSPARENCIES = ["opaque", "transparent"] as const;
export const VISIBILITIES = ["default", "public", "private", "confidential"] as const;
export const RESPONSES = ["needsAction", "declined", "tentative", "accepted"] as const;

/** Throws for a word that is not among these. */
export function requireWord(value: string, words: readonly string[]): string {
  if (words.includes(value)) return value;
  throw new CalendarError(
    "invalidParameter",
    `Invalid value '${value.slice(0, 100)}'. Values must match the following regular expression: '(${words.join("|")})'`,
  );
}

/** The value, or null where it is the default, which answers leave out. */
export const unlessDefault = (
  value: string | null | undefined,
  words: readonly string[],
  usual: string,
): string | null =>
  value === null || value === undefined || requireWord(value, words) === usual ? null : value;

const OVERRIDES_MAX = 5;
const MINUTES_MAX = 40_320;

/** Reminders as they are stored. */
export function readReminders(given: EventResource["reminders"]): object {
  const { useDefault, overrides } = given ?? {};
  const list = (overrides ?? []).map(({ method, minutes }) => {
    if (method === undefined || minutes === undefined) throw required();
    requireWord(method, ["email", "popup"]);
    if (minutes < 0 || minutes > MINUTES_MAX) throw invalid("Invalid reminder minutes value.");
    return { method, minutes };
  });
  if (list.length > OVERRIDES_MAX) throw invalid("Too many reminder overrides.");
  const isDefault = useDefault ?? (given ? list.length === 0 && !overrides : true);
  if (isDefault && list.length > 0)
    throw new CalendarError(
      "cannotUseDefaultRemindersAndSpecifyOverride",
      "Cannot specify both default reminders and overrides at the same time.",
    );
  return isDefault
    ? { useDefault: true }
    : { useDefault: false, ...(overrides && { overrides: list }) };
}

const KEY_MAX = 44;
const VALUE_MAX = 1_024;

type Properties = NonNullable<EventResource["extendedProperties"]>["private"];

/** Longer names are dropped, and longer values cut. */
function readProperties(given: Properties | undefined): Record<string, string> | undefined {
  const entries = Object.entries(given ?? {}).flatMap(([key, value]) =>
    value === null || key.length > KEY_MAX
      ? []
      : [[key, value.slice(0, VALUE_MAX).toWellFormed()] as const],
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

export function readExtended(given: EventResource["extendedProperties"]): object | null {
  const own = readProperties(given?.private);
  const shared = readProperties(given?.shared);
  return own || shared ? { ...(own && { private: own }), ...(shared && { shared }) } : null;
}

const ATTACHMENTS_MAX = 25;

export function readAttachments(given: EventResource["attachments"]): readonly object[] | null {
  if (!given || given.length === 0) return null;
  if (given.length > ATTACHMENTS_MAX) throw invalid("Too many attachments.");
  for (const { fileUrl } of given) if (typeof fileUrl !== "string") throw required();
  return given;
}
