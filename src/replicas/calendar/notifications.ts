/**
 * Notifications of changed resources over channels (Google Calendar API guide "Push notifications"): an app receives
 * those of its user's channels, whatever their addresses are.
 */

import type { CalendarSession, TableName } from "~/replicas/calendar/operation";
import {
  type Channel,
  listAttendeeAddresses,
  listChannels,
  listPlacesOf,
} from "~/replicas/calendar/store/channels";
import { listAddresses } from "~/replicas/calendar/store/users";
import type { EventApp, EventRow, Events, RowChange } from "~/replicas/events";
import { acknowledging, missedBy, schedule, transactionsOf } from "~/replicas/kit/google/push";
import { MICROS } from "~/source";

/** The first message of a channel, and all others. */
const TYPES = { sync: [], exists: [] } as const;
const CLIENT_ID = /^[\w-]+\.apps\.googleusercontent\.com$/;
const AGENT = "APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)";
/** The status of an answer after which a notification is repeated. */
const REPEATED: ReadonlySet<number> = new Set([500, 502, 503, 504]);
const OF_CALENDAR = /\/calendars\/([^/]+)\/(events|acl)\?/;
const OF_USER = /\/users\/me\/(calendarList|settings)\?/;

type Change = RowChange<TableName>;
/** The paths of the resources that a change changes, as `watched` has them. */
type ResourcesOf = (change: Change) => readonly string[];

type Message = {
  readonly channelId: string;
  readonly messageNumber: number;
  readonly resourceId: string;
  readonly resourceState: keyof typeof TYPES;
  readonly resourceUri: string;
  readonly channelExpiration: string;
  readonly channelToken?: string;
};

const rowsOf = ({ before, after }: Change): readonly EventRow[] =>
  [before, after].filter((row) => row !== null);

/**
 * The resources of a channel: one for each type of events that it is limited to. `addressOf`: of users, each the id of a
 * primary calendar.
 */
function watched(
  { resourceUri, userId }: Channel,
  addressOf: ReadonlyMap<string, string>,
): readonly string[] {
  const [, calendar = "", kind] = OF_CALENDAR.exec(resourceUri) ?? [];
  if (!kind) return [`${OF_USER.exec(resourceUri)?.[1]} ${userId}`];
  // As it was written: calls find a calendar by its id in any case.
  const id = decodeURIComponent(calendar).toLowerCase();
  const resource = `${kind} ${id === "primary" ? (addressOf.get(userId) ?? id) : id}`;
  const types = new URLSearchParams(resourceUri.split("?")[1]).getAll("eventTypes");
  return types.length === 0 ? [resource] : types.map((type) => `${resource} ${type}`);
}

/** Reads what resources the changes are of. An event is in the calendars of its attendees, too. */
async function readResources(
  session: CalendarSession,
  changes: readonly Change[],
): Promise<ResourcesOf> {
  const idsIn = (table: TableName, column: string) =>
    new Set(
      changes
        .filter((change) => change.table === table)
        .flatMap(rowsOf)
        .map((row) => String(row[column])),
    );
  const guestsOf = await listAttendeeAddresses(session, [...idsIn("events", "id")]);
  const placeOf = await listPlacesOf(session, [...idsIn("event_attendees", "eventId")]);
  return (change) => {
    const rows = rowsOf(change);
    const values = (column: string) => rows.map((row) => String(row[column]));
    const events = (ids: readonly string[], types: readonly string[]) =>
      ids.flatMap((id) => [`events ${id}`, ...types.map((type) => `events ${id} ${type}`)]);
    switch (change.table) {
      case "events":
        return events(
          [...values("calendarId"), ...values("id").flatMap((id) => guestsOf.get(id) ?? [])],
          values("eventType"),
        );
      case "event_attendees": {
        const places = values("eventId").flatMap((id) => placeOf.get(id) ?? []);
        return events(
          [...values("email"), ...places.map(({ calendarId }) => calendarId)],
          places.map(({ eventType }) => eventType),
        );
      }
      case "acl":
        return values("calendarId").map((id) => `acl ${id}`);
      case "list_entries":
        return values("userId").map((id) => `calendarList ${id}`);
      case "users":
        return values("id").map((id) => `settings ${id}`);
      default:
        return [];
    }
  };
}

/** Channels at the time of each change: those that are stored now, and those that were removed since. */
async function readChannels(
  session: CalendarSession,
  changes: readonly Change[],
  apps: readonly EventApp[],
  later: Parameters<Events<TableName>["derive"]>[3],
) {
  const users = new Set(apps.map(({ user }) => user));
  const begins = new Map<string, number>();
  /** A channel that has ended can have the id of a later one. */
  const known: { readonly channel: Channel; readonly begin: number; readonly end: number }[] = [];
  const removed = new Set<string>();
  const stored = await listChannels(session, [...users]);
  const all = [...changes, ...(await later("channels"))];
  for (const { table, number, before, after } of all) {
    if (table !== "channels") continue;
    if (after && !before) {
      begins.set(String(after["id"]), number);
      removed.delete(String(after["id"]));
    }
    if (after || !before) continue;
    const channel = before as unknown as Channel;
    removed.add(channel.id);
    known.push({ channel, begin: begins.get(channel.id) ?? 0, end: number });
    begins.delete(channel.id);
  }
  for (const channel of stored.filter(({ id }) => !removed.has(id)))
    known.push({ channel, begin: begins.get(channel.id) ?? 0, end: Number.POSITIVE_INFINITY });
  return ({ number, micros }: Change): Channel[] =>
    known
      .filter(
        ({ channel: { userId, expiration }, begin, end }) =>
          users.has(userId) && begin < number && number < end && expiration > micros / MICROS,
      )
      .map(({ channel }) => channel);
}

const messageOf = (
  { id, resourceId, resourceUri, token, expiration }: Channel,
  resourceState: keyof typeof TYPES,
  messageNumber: number,
): Message => ({
  ...{ channelId: id, messageNumber, resourceId, resourceState, resourceUri },
  channelExpiration: new Date(Number(expiration)).toUTCString(),
  ...(token !== null && { channelToken: token }),
});

function notified(
  channel: Channel,
  type: keyof typeof TYPES,
  number: number,
  apps: readonly EventApp[],
) {
  const reason = ({ user }: EventApp) =>
    user === channel.userId ? undefined : "a channel of another user";
  return {
    change: number,
    type,
    payload: messageOf(channel, type, type === "sync" ? 1 : number),
    missed: missedBy(apps, type, reason),
  };
}

/**
 * Texts and numbers as headers. Characters that these cannot have, such as those of a client's token, are percent-encoded.
 * One that is raised by hand can have any fields.
 */
const headersOf = (values: { readonly [header: string]: unknown }): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (typeof value !== "string" && typeof value !== "number") return [];
      return [
        [
          name,
          String(value)
            .toWellFormed()
            .replace(/[^ -~]/gu, encodeURIComponent),
        ],
      ];
    }),
  );

export const events: Events<TableName> = {
  tables: ["events", "event_attendees", "acl", "list_entries", "users", "channels"],
  types: TYPES,
  isAppId: (text) => CLIENT_ID.test(text),
  appIdExample: "agent.apps.googleusercontent.com",
  findBot: async () => undefined,
  schedule,

  request: {
    ...acknowledging,
    isLast: ({ status }) => !REPEATED.has(status),
    request(_, { payload }) {
      const message = payload as Partial<Message>;
      return {
        headers: {
          "content-type": "application/json; utf-8",
          "user-agent": AGENT,
          ...headersOf({
            "x-goog-channel-id": message.channelId,
            "x-goog-message-number": message.messageNumber,
            "x-goog-resource-id": message.resourceId,
            "x-goog-resource-state": message.resourceState,
            "x-goog-resource-uri": message.resourceUri,
            "x-goog-channel-expiration": message.channelExpiration,
            "x-goog-channel-token": message.channelToken,
          }),
        },
        body: "",
      };
    },
  },

  raise: async (_, { type, event }, apps) => ({
    type,
    payload: { ...event, resourceState: type },
    missed: missedBy(apps, type, () => undefined),
  }),

  async derive(session, changes, apps, later) {
    const given = changes as readonly Change[];
    const channelsAt = await readChannels(session, given, apps, later);
    const resourcesOf = await readResources(session, given);
    const addressOf = await listAddresses(session, [...new Set(apps.map(({ user }) => user))]);
    return transactionsOf(given).flatMap((transaction) => {
      const last = transaction.at(-1);
      if (!last) return [];
      const begun = transaction.flatMap(({ table, before, after, number }) =>
        table === "channels" && after && !before
          ? [notified(after as unknown as Channel, "sync", number, apps)]
          : [],
      );
      const changed = new Set(transaction.flatMap(resourcesOf));
      const told = channelsAt(last).filter((channel) =>
        watched(channel, addressOf).some((resource) => changed.has(resource)),
      );
      return [...begun, ...told.map((channel) => notified(channel, "exists", last.number, apps))];
    });
  },
};
