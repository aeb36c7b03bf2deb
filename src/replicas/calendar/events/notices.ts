/**
 * Mails about events, in the transaction that changes them: invitations, changes and cancellations for the guests,
 * answers for the organizer. Words and order are those of the service's own mails.
 */
import type { OutgoingMail } from "~/outgoing";
import type { Place } from "~/replicas/calendar/access";
import { icalendarOf, type Method } from "~/replicas/calendar/events/icalendar";
import { whenText } from "~/replicas/calendar/events/when";
import type { WritingCall } from "~/replicas/calendar/operation";
import { zonesOf } from "~/replicas/calendar/store/calendars";
import type { AttendeeRow, EventRow } from "~/replicas/calendar/store/events";

type Notice = { readonly title: string; readonly intro: string; readonly method: Method };

const INVITED: Notice = {
  title: "Invitation",
  intro: "You have been invited to the following event.",
  method: "REQUEST",
};
const CHANGED: Notice = {
  title: "Updated invitation",
  intro: "This event has been changed.",
  method: "REQUEST",
};
const CANCELLED: Notice = {
  title: "Canceled event",
  intro: "This event has been canceled and removed from your calendar.",
  method: "CANCEL",
};
const ANSWERS: { readonly [status: string]: string } = {
  accepted: "Accepted",
  declined: "Declined",
  tentative: "Tentative",
};

/** Columns of which guests are told. */
const SHOWN = [
  ...["summary", "description", "location", "start", "end", "recurrence", "conferenceData"],
  "organizer",
] as (keyof EventRow)[];

const isCancelled = (event: EventRow | undefined) => event?.status === "cancelled";

/** The notices of a change for its guests, by address. */
function noticesOf(before: EventRow | undefined, after: EventRow): Map<string, Notice> {
  const notices = new Map<string, Notice>();
  if (isCancelled(before)) return notices;
  const known = new Set(before?.attendees.map(({ email }) => email));
  const isChanged =
    before && SHOWN.some((name) => !Bun.deepEquals(before[name] ?? null, after[name] ?? null));
  for (const { email, resource } of after.attendees) {
    if (resource) continue;
    if (isCancelled(after)) notices.set(email, CANCELLED);
    else if (!known.has(email)) notices.set(email, INVITED);
    else if (isChanged) notices.set(email, CHANGED);
  }
  const left = new Set(after.attendees.map(({ email }) => email));
  for (const email of known) if (!left.has(email)) notices.set(email, CANCELLED);
  return notices;
}

/** The answer of the guest whose calendar it is, if the change is one. */
function answerOf(before: EventRow | undefined, after: EventRow, email: string) {
  const statusIn = (event: EventRow | undefined) =>
    event?.attendees.find((each) => each.email === email)?.responseStatus;
  const status = statusIn(after);
  return status === statusIn(before) ? undefined : ANSWERS[status ?? ""];
}

export const nameOf = ({ summary }: EventRow) => summary ?? "(No title)";

/** Guests whom a recipient sees. */
export const visibleTo = (
  { attendees, guests, organizer }: EventRow,
  email: string,
): AttendeeRow[] =>
  guests.guestsCanSeeOtherGuests === false
    ? attendees.filter((each) => each.email === email || each.email === organizer.email)
    : [...attendees];

export function textOf(
  event: EventRow,
  intro: string,
  when: string,
  guests: readonly AttendeeRow[],
) {
  const { location, description, organizer } = event;
  const who = guests.map(({ email, displayName, optional }) => {
    const part = email === organizer.email ? " - organizer" : "";
    return `    * ${displayName ?? email}${part}${optional ? " - optional" : ""}`;
  });
  return [
    ...[intro, "", `Title: ${nameOf(event)}`],
    ...(description === null ? [] : [description]),
    `When: ${when}`,
    ...(location === null ? [] : [`Where: ${location}`]),
    ...(who.length === 0 ? [] : ["Who:", ...who]),
  ].join("\n");
}

type Told = { readonly email: string; readonly notice: Notice; readonly zone: string };

function mailOf({ me }: Place, event: EventRow, { email, notice, zone }: Told): OutgoingMail {
  const { title, intro, method } = notice;
  const when = whenText(event, zone);
  const guests = visibleTo(event, email);
  return {
    from: { email: me.email, name: me.displayName },
    to: [{ email }],
    subject: `${title}: ${nameOf(event)} @ ${when} (${method === "REPLY" ? me.email : email})`,
    text: textOf(event, intro, when, guests),
    calendar: { method, content: icalendarOf(event, guests, method) },
  };
}

/**
 * Tells those whom a change concerns, as `sendUpdates` says; nobody without it. `before`: undefined of a new event. The
 * one who makes the change is told nothing.
 */
export async function tellGuests(
  { session }: WritingCall,
  place: Place,
  { before, after }: { readonly before: EventRow | undefined; readonly after: EventRow },
  sendUpdates: string | null,
): Promise<void> {
  if (sendUpdates !== "all" && sendUpdates !== "externalOnly") return;
  const { calendar, me } = place;
  const notices = noticesOf(before, after);
  const answer =
    calendar.id === after.calendarId ? undefined : answerOf(before, after, calendar.id);
  if (answer !== undefined)
    notices.set(after.organizer.email, {
      title: answer,
      intro: `${me.displayName} has replied: ${answer}.`,
      method: "REPLY",
    });
  for (const own of [calendar.id, me.email]) notices.delete(own);
  if (notices.size === 0) return;
  const zones = await zonesOf(session, [...notices.keys()]);
  for (const [email, notice] of notices) {
    const zone = zones.get(email);
    if (sendUpdates === "externalOnly" && zone !== undefined) continue;
    await session.send(mailOf(place, after, { email, notice, zone: zone ?? calendar.timeZone }));
  }
}
