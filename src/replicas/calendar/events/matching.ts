/** Which events a list shows: conditions on what the user sees of them. */

import { isObject } from "~/input/json";
import { badRequest, CalendarError, invalid, wrongParameter } from "~/replicas/calendar/errors";
import { isZone, readMoment } from "~/replicas/calendar/times";

export type EventsQuery = {
  readonly eventTypes?: readonly string[];
  readonly iCalUID?: string;
  readonly maxAttendees?: number;
  readonly maxResults?: number;
  readonly orderBy?: string;
  readonly pageToken?: string;
  readonly privateExtendedProperty?: readonly string[];
  readonly sharedExtendedProperty?: readonly string[];
  readonly q?: string;
  readonly showDeleted?: boolean;
  readonly showHiddenInvitations?: boolean;
  readonly singleEvents?: boolean;
  readonly syncToken?: string;
  readonly timeMax?: string;
  readonly timeMin?: string;
  readonly timeZone?: string;
  readonly updatedMin?: string;
};

/** A moment of a query, in milliseconds. */
export function momentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = readMoment(text);
  if (at === undefined) throw badRequest();
  return at;
}

/** The window of a query. Throws for one that is empty. */
export function windowOf({ timeMin, timeMax }: Pick<EventsQuery, "timeMin" | "timeMax">) {
  const from = momentOf(timeMin);
  const to = momentOf(timeMax);
  if (from !== undefined && to !== undefined && to <= from)
    throw new CalendarError("timeRangeEmpty", "The specified time range is empty.", [
      "parameter",
      "timeMax",
    ]);
  return { from, to };
}

export function requireZone(zone: string | undefined): void {
  if (zone !== undefined && !isZone(zone)) throw invalid("Invalid time zone definition.");
}

type View = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The texts of an event that a search reads. */
function textsOf(view: View): string {
  const people = [view["organizer"], ...((view["attendees"] as readonly unknown[]) ?? [])];
  const named = people.flatMap((who) =>
    isObject(who) ? [textOf(who["displayName"]), textOf(who["email"])] : [],
  );
  const fields = ["summary", "description", "location"].map((name) => textOf(view[name]));
  const place = view["workingLocationProperties"];
  return [...fields, ...named, place ? JSON.stringify(place) : ""].join("\n").toLowerCase();
}

/** A function of views: `name=value` are properties that an event must have. */
function propertyTest(kind: "private" | "shared", wanted: readonly string[] = []) {
  const pairs = wanted.map((text) => {
    const at = text.indexOf("=");
    if (at < 1)
      throw wrongParameter(`${kind}ExtendedProperty`, `Invalid value '${text.slice(0, 100)}'.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return (view: View) => {
    const { [kind]: found } = (view["extendedProperties"] ?? {}) as View;
    return pairs.every(([name, value]) => isObject(found) && found[name] === value);
  };
}

const TERM = /"([^"]*)"|(\S+)/g;

/** True of views that a query asks for. */
export function testOf(query: EventsQuery, hidesInvitations: boolean): (view: View) => boolean {
  const { q = "", eventTypes = [], updatedMin, showHiddenInvitations } = query;
  const terms = [...q.toLowerCase().matchAll(TERM)].map(([, phrase, word]) => phrase ?? word ?? "");
  const hasPrivate = propertyTest("private", query.privateExtendedProperty);
  const hasShared = propertyTest("shared", query.sharedExtendedProperty);
  const since = momentOf(updatedMin);
  const hides = hidesInvitations && !showHiddenInvitations;
  return (view) => {
    if (eventTypes.length > 0 && !eventTypes.includes(textOf(view["eventType"]))) return false;
    if (since !== undefined && Date.parse(textOf(view["updated"])) < since) return false;
    if (!hasPrivate(view) || !hasShared(view)) return false;
    if (hides && isUnanswered(view)) return false;
    if (terms.length === 0) return true;
    const texts = textsOf(view);
    return terms.every((term) => texts.includes(term));
  };
}

const isUnanswered = (view: View) =>
  ((view["attendees"] as readonly View[] | undefined) ?? []).some(
    (each) => each["self"] && !each["organizer"] && each["responseStatus"] === "needsAction",
  );
