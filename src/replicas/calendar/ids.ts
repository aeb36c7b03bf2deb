/** The forms of ids. */
import { invalid } from "~/replicas/calendar/errors";
import { hexOf, type Source } from "~/source";

const DIGITS = "0123456789abcdefghijklmnopqrstuv";
const EVENT_ID_LENGTH = 26;
const EVENT_ID = /^[a-v0-9]{5,1024}$/;

/** Characters of base32hex, as the service's own ids have them. */
const base32hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => DIGITS[byte % DIGITS.length]).join("");

export const newEventId = ({ bytes }: Source): string => base32hex(bytes(EVENT_ID_LENGTH));

/** An id that a client chooses. */
export function requireEventId(id: string): string {
  if (!EVENT_ID.test(id)) throw invalid("Invalid resource id value.");
  return id;
}

export const newCalendarId = (source: Source): string =>
  `c_${hexOf(source, 32)}@group.calendar.google.com`;

export const uidOf = (eventId: string): string => `${eventId}@google.com`;

/** The address of an event on the web. */
export const htmlLinkOf = (eventId: string, calendarId: string): string =>
  `https://www.google.com/calendar/event?eid=${Buffer.from(`${eventId} ${calendarId}`).toString("base64url")}`;

const ADDRESS = /^[^\s@<>",;:]+@[^\s@<>",;:]+$/;

export const isAddress = (text: string): boolean => ADDRESS.test(text);
