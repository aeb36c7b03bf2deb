/** Rows of calendars. */
import { columnsOf, keyText, pick, textOf } from "~/console/rows";
import { readOwnRows } from "~/console/services/member";
import { type ServiceRecords, USERS } from "~/console/services/shape";

const SHOWN = ["calendarId", "summary", "status", "start", "end", "location", "recurrence"];
const GUEST = ["eventId", "email"];
const RULE = ["calendarId", "id"];

export const calendarRecords: ServiceRecords = {
  people: USERS,
  identified: ["calendars", "events"],
  subject: undefined,
  keys: {
    list_entries: ["userId", "calendarId"],
    acl: RULE,
    event_attendees: GUEST,
  },
  /** Each event with its guests is a place, and each calendar with its rules. */
  placeOf: (table, row) =>
    row["eventId"] ?? (table === "events" ? row["id"] : (row["calendarId"] ?? row["id"])),
  ownersOf: (table, { eventId }) =>
    table === "event_attendees" ? [["events", { id: eventId }]] : [],
  precedes: () => false,
  named: (_table, name) => name,
  membersOf: () => undefined,

  /** The names of calendars, and the events and guests that the changes concern. */
  async base(ask, environment, events) {
    const tables = ["calendars", "events", "event_attendees", "acl"];
    const rows = await readOwnRows(ask, environment, tables);
    const changed = new Set(events.map(({ table, key }) => keyText(table, key)));
    const owners = new Set(events.map(({ key }) => key["eventId"]));
    const touched = (table: string, columns: readonly string[]) =>
      (rows[table] ?? []).filter((row) => changed.has(keyText(table, pick(row, columns))));
    return {
      calendars: (rows["calendars"] ?? []).map(({ id, summary }) => ({
        ...{ id, name: textOf(summary) },
      })),
      events: columnsOf(
        (rows["events"] ?? []).filter(
          (row) => owners.has(row["id"]) || changed.has(keyText("events", { id: row["id"] })),
        ),
        ["id", ...SHOWN],
      ).map((row) => ({ ...row, name: textOf(row["summary"]) })),
      event_attendees: columnsOf(touched("event_attendees", GUEST), [
        ...GUEST,
        ...["displayName", "responseStatus", "comment"],
      ]),
      acl: columnsOf(touched("acl", RULE), [...RULE, "scopeValue", "role", "deleted"]),
    };
  },
};
