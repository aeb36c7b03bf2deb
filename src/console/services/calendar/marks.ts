/** How the events of calendars differ from the template. */
import type { RunEvent } from "~/clients/typescript/schema";
import { ask } from "~/console/api";
import type { Cause, Mark, Marks } from "~/console/marks";
import type { CalendarEvent } from "~/console/services/calendar/data";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";

/** The numbers of the template's events and of their guests, the higher one, by the event's id. */
type Baseline = ReadonlyMap<string, number>;
export type CalendarMarks = Marks<Baseline>;

/** The event that a change belongs to. */
export const subjectsOf = ({ table, key }: RunEvent): string[] => {
  if (table === "events") return [String(key["id"])];
  return table === "event_attendees" ? [String(key["eventId"])] : [];
};

/** Undefined if the template does not exist any more. */
export async function readBaseline(environment: ServiceEnvironment): Promise<Baseline | undefined> {
  const tables = ["events", "event_attendees"];
  const rows = await readOwnRows(ask, environment, tables).catch(() => undefined);
  if (!rows) return undefined;
  const versions = new Map<string, number>();
  for (const table of tables)
    for (const { id, eventId, version } of rows[table] ?? []) {
      const key = String(eventId ?? id);
      versions.set(key, Math.max(versions.get(key) ?? 0, Number(version)));
    }
  return versions;
}

/** The change of an event since the template, and the call that made it. Instances change with their series. */
export function changeOf(
  { id, etag, status, recurringEventId = "" }: CalendarEvent,
  { baseline, causes }: CalendarMarks,
): { readonly mark: Mark; readonly cause: Cause | undefined } {
  const cause = causes.get(id) ?? causes.get(recurringEventId);
  const known = baseline?.get(id) ?? baseline?.get(recurringEventId);
  if (!baseline) return { mark: undefined, cause };
  // An etag is twice the number.
  if (known !== undefined && `"${known * 2}"` === etag) return { mark: undefined, cause };
  if (status === "cancelled") return { mark: "removed", cause };
  return { mark: known === undefined ? "new" : "changed", cause };
}
