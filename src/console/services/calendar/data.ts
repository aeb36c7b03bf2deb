/** Calendars through their own API, as one person sees them. */
import { errorOf, jsonOf, send, VIEW } from "~/console/api";
import { addDays } from "~/console/services/calendar/days";
import type { ServiceEnvironment } from "~/console/services/member";

type Time = { readonly date?: string; readonly dateTime?: string };
type Guest = {
  readonly email: string;
  readonly displayName?: string;
  readonly responseStatus: string;
  readonly comment?: string;
  readonly self?: boolean;
};
export type CalendarEvent = {
  readonly id: string;
  readonly etag: string;
  readonly status: string;
  readonly summary?: string;
  readonly description?: string;
  readonly location?: string;
  readonly organizer?: { readonly email: string; readonly displayName?: string };
  readonly start?: Time;
  readonly end?: Time;
  readonly originalStartTime?: Time;
  readonly recurringEventId?: string;
  readonly transparency?: string;
  readonly visibility?: string;
  readonly eventType?: string;
  readonly hangoutLink?: string;
  readonly attendees?: readonly Guest[];
};
export type ListedCalendar = {
  readonly id: string;
  readonly summary: string;
  readonly summaryOverride?: string;
  readonly backgroundColor?: string;
  readonly primary?: boolean;
};
/** An event in one of the shown calendars. Times are wall clocks of the shown zone: `2026-01-06T15:00`. */
export type Entry = {
  readonly event: CalendarEvent;
  readonly calendar: ListedCalendar;
  readonly begin: string;
  readonly end: string;
  readonly isAllDay: boolean;
};
/** `periods`: undefined if the person may not see the times. */
export type Busy = {
  readonly id: string;
  readonly periods: readonly { readonly begin: string; readonly end: string }[] | undefined;
};

type BusyAnswer = {
  readonly calendars: Readonly<
    Record<
      string,
      { readonly errors?: unknown; readonly busy: readonly { start: string; end: string }[] }
    >
  >;
};

const CALENDARS_MAX = 30;
/** Pages of the events of one calendar, of 250 each. */
const PAGES_MAX = 4;
/** Calendars of one query of busy times. */
export const PEOPLE_MAX = 50;

/** Events in order. `isWhole`: false if a calendar has more in these days than are read. */
export type Events = { readonly entries: readonly Entry[]; readonly isWhole: boolean };

export type Calendars = ReturnType<typeof createCalendars>;

/** `as`: address of the person; the environment's own user if empty. */
export function createCalendars(
  { environmentUrl, impersonateUserId }: ServiceEnvironment,
  as: string,
) {
  const isOther = as !== "" && as !== impersonateUserId;
  const headers = { ...VIEW, ...(isOther && { Authorization: `Bearer ${as}` }) };

  async function call<Answer>(path: string, query: object, signal: AbortSignal, body?: object) {
    const fields = new URLSearchParams({ prettyPrint: "false", ...query });
    const address = `${environmentUrl}/calendar/v3/${path}?${fields}`;
    const sent = { headers, signal, ...(body && { body }) };
    const response = await send(body ? "POST" : "GET", address, sent);
    const answer = await jsonOf<Answer & { error?: { message: string } }>(response);
    if (response.ok && answer) return answer;
    throw errorOf(response, { error: answer?.error?.message });
  }

  async function eventsOf(
    calendar: ListedCalendar,
    query: object,
    signal: AbortSignal,
  ): Promise<Events> {
    const path = `calendars/${encodeURIComponent(calendar.id)}/events`;
    const items: CalendarEvent[] = [];
    let pageToken: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const answer: { items: CalendarEvent[]; nextPageToken?: string } = await call(
        path,
        { ...query, ...(pageToken && { pageToken }) },
        signal,
      );
      items.push(...answer.items);
      pageToken = answer.nextPageToken;
      if (!pageToken) break;
    }
    const entries = items.flatMap((event) => entryOf(event, calendar) ?? []);
    return { entries, isWhole: !pageToken };
  }

  return {
    /** The zone of the person, and the calendars of the list. `isWhole`: false if it has more. */
    async overview(signal: AbortSignal) {
      const [{ value: zone }, { items }] = await Promise.all([
        call<{ value: string }>("users/me/settings/timezone", {}, signal),
        call<{ items: ListedCalendar[] }>("users/me/calendarList", {}, signal),
      ]);
      return {
        zone,
        calendars: items.slice(0, CALENDARS_MAX),
        isWhole: items.length <= CALENDARS_MAX,
      };
    },

    /** The events of some days, cancelled ones too. */
    async events(
      calendars: readonly ListedCalendar[],
      { first, days, zone }: { first: string; days: number; zone: string },
      signal: AbortSignal,
    ): Promise<Events> {
      const query = { ...windowOf(first, days), timeZone: zone };
      const all = { ...query, singleEvents: "true", showDeleted: "true" };
      const lists = await Promise.all(calendars.map((each) => eventsOf(each, all, signal)));
      const [from, to] = [`${first}T00:00`, `${addDays(first, days)}T00:00`];
      const entries = lists
        .flatMap((each) => each.entries)
        .filter(({ begin, end }) => begin < to && (end > from || begin >= from))
        .toSorted((a, b) => (a.begin + a.end < b.begin + b.end ? -1 : 1));
      return { entries, isWhole: lists.every(({ isWhole }) => isWhole) };
    },

    /** The times of a day at which calendars are not free. */
    async busy(
      ids: readonly string[],
      { day, zone }: { day: string; zone: string },
      signal: AbortSignal,
    ): Promise<Busy[]> {
      const items = ids.slice(0, PEOPLE_MAX).map((id) => ({ id }));
      const body = { ...windowOf(day, 1), timeZone: zone, items };
      const { calendars } = await call<BusyAnswer>("freeBusy", {}, signal, body);
      return items.map(({ id }) => ({
        id,
        periods: calendars[id]?.errors
          ? undefined
          : calendars[id]?.busy.map(({ start, end }) => ({ begin: wall(start), end: wall(end) })),
      }));
    },
  };
}

/** A day more on both sides, which every zone's days are within. */
const windowOf = (first: string, days: number) => ({
  timeMin: `${addDays(first, -1)}T00:00:00Z`,
  timeMax: `${addDays(first, days + 1)}T00:00:00Z`,
});

/** The wall clock of a time as the API renders it in the zone of the query. */
const wall = (time: string) => time.slice(0, 16);

/** Undefined for a cancelled instance whose times are not given. */
function entryOf(event: CalendarEvent, calendar: ListedCalendar): Entry | undefined {
  const { date, dateTime } = event.start ?? event.originalStartTime ?? {};
  const { end = event.originalStartTime ?? {} } = event;
  if (date !== undefined)
    return {
      ...{ event, calendar, isAllDay: true },
      begin: `${date}T00:00`,
      end: `${end.date === date ? addDays(date, 1) : (end.date ?? addDays(date, 1))}T00:00`,
    };
  if (dateTime === undefined) return undefined;
  const until = wall(end.dateTime ?? dateTime);
  return { event, calendar, isAllDay: false, begin: wall(dateTime), end: until };
}

/** The answer of the calendar's owner; undefined for an event without guests or of somebody else. */
export const answerOf = ({ attendees = [] }: CalendarEvent): string | undefined =>
  attendees.find(({ self }) => self)?.responseStatus;

export const titleOf = ({ summary, visibility }: CalendarEvent): string =>
  summary ?? (visibility === "private" ? "busy" : "(no title)");
