/** Events in iCalendar (RFC 5545), as invitations carry them. */
import { zoneLines } from "~/replicas/calendar/events/vtimezone";
import type { AttendeeRow, EventRow } from "~/replicas/calendar/store/events";
import { type EventTime, isAllDay } from "~/replicas/calendar/times";

export type Method = "REQUEST" | "CANCEL" | "REPLY";

const LINE_BYTES = 75;

/** Lines of at most 75 bytes; the rest of a longer one follows after a space. */
function folded(line: string): string {
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > LINE_BYTES) {
      parts.push(part);
      part = " ";
      bytes = 1;
    }
    part += character;
    bytes += size;
  }
  return [...parts, part].join("\r\n");
}

const escaped = (text: string) => text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");

/** A value of a parameter cannot have quotes. */
const quoted = (text: string) => `"${text.replace(/["\r\n]/g, "")}"`;

/** `20260108T100000Z` */
const utc = (at: Date) => at.toISOString().replace(/\.\d+/, "").replace(/[-:]/g, "");

const digits = (text: string) => text.replace(/[-:]/g, "");
const CLOCK_LENGTH = "2026-01-08T10:00:00".length;

/** Series keep their clock in their zone; other times are in UTC. */
function timeLine(name: string, time: EventTime, isSeries: boolean): string {
  const { date, dateTime, timeZone } = time;
  if (isAllDay(time)) return `${name};VALUE=DATE:${digits(date ?? "")}`;
  const text = dateTime ?? "";
  return isSeries && timeZone
    ? `${name};TZID=${timeZone}:${digits(text.slice(0, CLOCK_LENGTH))}`
    : `${name}:${utc(new Date(text))}`;
}

const ANSWERS: { readonly [status: string]: string } = {
  accepted: "ACCEPTED",
  declined: "DECLINED",
  tentative: "TENTATIVE",
};

const attendeeLine = ({ email, displayName, responseStatus, optional, resource }: AttendeeRow) =>
  [
    ...["ATTENDEE", `CUTYPE=${resource ? "RESOURCE" : "INDIVIDUAL"}`],
    `ROLE=${optional ? "OPT-PARTICIPANT" : "REQ-PARTICIPANT"}`,
    `PARTSTAT=${ANSWERS[responseStatus] ?? "NEEDS-ACTION"};RSVP=TRUE`,
    `CN=${quoted(displayName ?? email)}:mailto:${email}`,
  ].join(";");

const line = (name: string, value: string | null) =>
  value === null ? [] : [`${name}:${escaped(value)}`];

/** The zones that the lines of an event name. */
const zonesOf = ({ start, end, recurrence }: EventRow) =>
  recurrence === null ? [] : [...new Set([start, end].flatMap(({ timeZone }) => timeZone ?? []))];

/** The event with these attendees, for one method. */
export function icalendarOf(
  event: EventRow,
  attendees: readonly AttendeeRow[],
  method: Method,
): string {
  const { organizer, originalStartTime, recurrence, status, transparency } = event;
  const isSeries = recurrence !== null;
  const lines = [
    ...["BEGIN:VCALENDAR", "PRODID:-//Google Inc//Google Calendar 70.9054//EN", "VERSION:2.0"],
    ...["CALSCALE:GREGORIAN", `METHOD:${method}`],
    ...zonesOf(event).flatMap((zone) => zoneLines(zone, event.startAt)),
    "BEGIN:VEVENT",
    timeLine("DTSTART", event.start, isSeries),
    timeLine("DTEND", event.end, isSeries),
    ...(recurrence ?? []),
    `DTSTAMP:${utc(event.updated)}`,
    `ORGANIZER;CN=${quoted(organizer.displayName ?? organizer.email)}:mailto:${organizer.email}`,
    `UID:${event.iCalUID}`,
    ...attendees.map(attendeeLine),
    ...(originalStartTime ? [timeLine("RECURRENCE-ID", originalStartTime, false)] : []),
    `CREATED:${utc(event.created)}`,
    ...line("DESCRIPTION", event.description),
    `LAST-MODIFIED:${utc(event.updated)}`,
    ...line("LOCATION", event.location),
    `SEQUENCE:${event.sequence}`,
    `STATUS:${method === "CANCEL" ? "CANCELLED" : status.toUpperCase()}`,
    ...line("SUMMARY", event.summary),
    `TRANSP:${(transparency ?? "opaque").toUpperCase()}`,
    ...["END:VEVENT", "END:VCALENDAR"],
  ];
  return `${lines.map(folded).join("\r\n")}\r\n`;
}
