import { Type } from "@sinclair/typebox";
import {
  etagOf,
  highestOf,
  isAtLeast,
  ROLES,
  type Role,
  requireMatch,
  requirePlace,
  requireUser,
  write,
} from "~/replicas/calendar/access";
import { calendarFields } from "~/replicas/calendar/api/calendars";
import { COLORS, colorAfter, nearestColor, requireColor } from "~/replicas/calendar/colors";
import { isAgentDiff } from "~/replicas/calendar/compatibility";
import { CalendarError, notFound, required } from "~/replicas/calendar/errors";
import { readReminders } from "~/replicas/calendar/events/values";
import { pageOf, sizeOf } from "~/replicas/calendar/lists";
import {
  answersOf,
  type CalendarCall,
  calendarId,
  choice,
  flag,
  NO_CONTENT,
  operation,
  optional,
  text,
  type WritingCall,
} from "~/replicas/calendar/operation";
import { Entry, EntryBody, EntryList } from "~/replicas/calendar/shapes/calendar";
import {
  countEntries,
  type Entry as EntryRow,
  listEntries,
  listVersion,
} from "~/replicas/calendar/store/lists";
import type { UserRow } from "~/replicas/calendar/store/users";
import { insert, update } from "~/replicas/calendar/store/write";
import { readSyncToken } from "~/replicas/calendar/tokens";

const LIST = "users/me/calendarList";
const ENTRY = `${LIST}/{calendarId}` as const;
const PAGE_DEFAULT = 100;
const PAGE_MAX = 250;

const versionOf = ({ entry, calendar }: EntryRow) =>
  Math.max(Number(entry.version), Number(calendar.version));

function entryView(row: EntryRow) {
  const { entry, calendar, roles } = row;
  const deleted = entry.deleted || calendar.deleted;
  const color = COLORS.calendar[entry.colorId];
  const { summaryOverride, notificationSettings } = entry;
  return {
    ...{ kind: "calendar#calendarListEntry", etag: etagOf(versionOf(row)) },
    ...calendarFields(calendar),
    ...(summaryOverride !== null && { summaryOverride }),
    colorId: entry.colorId,
    backgroundColor: entry.backgroundColor ?? color?.background,
    foregroundColor: entry.foregroundColor ?? color?.foreground,
    ...(entry.hidden && { hidden: true }),
    ...(entry.selected && { selected: true }),
    accessRole: highestOf(roles),
    defaultReminders: entry.defaultReminders,
    ...(notificationSettings !== null && { notificationSettings }),
    ...(entry.primary && { primary: true }),
    ...(deleted && { deleted }),
  };
}

type Body = {
  readonly id?: string | null;
  readonly summaryOverride?: string | null;
  readonly colorId?: string | null;
  readonly backgroundColor?: string | null;
  readonly foregroundColor?: string | null;
  readonly hidden?: boolean | null;
  readonly selected?: boolean | null;
  readonly defaultReminders?:
    | readonly { readonly method?: string; readonly minutes?: number }[]
    | null;
  readonly notificationSettings?: object | null;
};

type Query = { readonly colorRgbFormat?: boolean };

/** The colours of an entry. Without colorRgbFormat, only colorId counts. */
function colorsOf(body: Body, { colorRgbFormat }: Query, usual: string) {
  if (colorRgbFormat && body.backgroundColor) {
    const { backgroundColor, foregroundColor } = body;
    return {
      colorId: nearestColor(backgroundColor),
      backgroundColor: backgroundColor.toLowerCase(),
      foregroundColor: foregroundColor?.toLowerCase() ?? null,
    };
  }
  const colorId = body.colorId ?? usual;
  requireColor("calendar", colorId);
  return { colorId, backgroundColor: null, foregroundColor: null };
}

/** The columns of a whole entry. */
function columnsOf(body: Body, query: Query, usual: string) {
  const overrides = body.defaultReminders ?? [];
  readReminders({ useDefault: false, overrides });
  return {
    ...colorsOf(body, query, usual),
    summaryOverride: body.summaryOverride ?? null,
    ...{ hidden: body.hidden ?? false, selected: body.selected ?? false },
    ...{ defaultReminders: overrides, notificationSettings: body.notificationSettings ?? null },
  };
}

async function requireEntry(call: CalendarCall, me: UserRow, id: string): Promise<EntryRow> {
  const wanted = id === "primary" ? me.email : id.toLowerCase();
  const [row] = await listEntries(call.session, me, { id: wanted, withDeleted: false });
  if (!row || highestOf(row.roles) === "none") throw notFound();
  return row;
}

const store = async (call: WritingCall, id: string, columns: object): Promise<EntryRow> => {
  const me = await requireUser(call);
  const { session, userId, version } = call;
  await update(session, "list_entries", { userId, calendarId: id }, { ...columns, version });
  return await requireEntry(call, me, id);
};

async function insertEntry(call: WritingCall, body: Body, query: Query): Promise<EntryRow> {
  if (!body.id) throw required();
  const { calendar, me } = await requirePlace(call, body.id);
  const { session, userId, version } = call;
  const [known] = await listEntries(session, me, { id: calendar.id, withDeleted: true });
  const usual = known?.entry.colorId ?? colorAfter(await countEntries(session, userId));
  const columns = columnsOf(body, query, usual);
  if (known) return await store(call, calendar.id, { ...columns, deleted: false });
  const row = {
    userId,
    calendarId: calendar.id,
    ...columns,
    primary: false,
    deleted: false,
    version,
  };
  await insert(session, "list_entries", [row]);
  return await requireEntry(call, me, calendar.id);
}

const changeEntry = (
  call: CalendarCall,
  id: string,
  query: Query,
  wanted: (entry: EntryRow["entry"]) => Body,
) =>
  write(call, async (inside) => {
    const row = await requireEntry(inside, await requireUser(inside), id);
    requireMatch(inside, versionOf(row));
    const { entry } = row;
    const columns = columnsOf(wanted(entry), query, entry.colorId);
    return entryView(await store(inside, entry.calendarId, columns));
  });

async function removeEntry(call: WritingCall, id: string): Promise<void> {
  const me = await requireUser(call);
  const { entry, calendar, roles } = await requireEntry(call, me, id);
  if (entry.primary)
    throw new CalendarError(
      "cannotChangeOwnPrimarySubscription",
      "Cannot change the subscription to the own primary calendar.",
    );
  const isOwned = calendar.dataOwner === me.email && highestOf(roles) === "owner";
  if (isOwned && !isAgentDiff(me))
    throw new CalendarError(
      "cannotUnsubscribeFromOwnedCalendar",
      "Cannot unsubscribe from a calendar that the user owns.",
    );
  const { session, userId, version } = call;
  const key = { userId, calendarId: entry.calendarId };
  await update(session, "list_entries", key, { deleted: true, version });
}

export const ENTRIES = {
  maxResults: optional(Type.Integer({ minimum: 1, description: "Entries of a page, at most 250" })),
  minAccessRole: optional(choice(ROLES.slice(1), "Only calendars in which the user has this role")),
  pageToken: text("`nextPageToken` of the page before", "Q"),
  showDeleted: flag("Also deleted entries"),
  showHidden: flag("Also hidden entries"),
  showOwnOrganizationOnly: flag("Ignored"),
  syncToken: text("`nextSyncToken` of an earlier list: only changes since then", "Q="),
};
const colorRgbFormat = flag("The colours are in backgroundColor and foregroundColor");

type Listing = {
  readonly minAccessRole?: string;
  readonly syncToken?: string;
  readonly showDeleted?: boolean;
  readonly showHidden?: boolean;
  readonly pageToken?: string;
  readonly maxResults?: number;
};

/** A page of the user's list. */
export async function listCalendars(call: CalendarCall, query: Listing) {
  const { minAccessRole, syncToken, showDeleted, showHidden, pageToken, maxResults } = query;
  const me = await requireUser(call);
  const list = "calendarList";
  const since = readSyncToken(syncToken, list);
  const version = await listVersion(call.session, me.id);
  if (since !== undefined && (minAccessRole || showDeleted === false || showHidden === false))
    throw new CalendarError(
      "badRequest",
      "Sync token cannot be used with other request restrictions",
    );
  const all = since !== undefined;
  const rows = await listEntries(call.session, me, {
    since,
    withDeleted: all || (showDeleted ?? false),
  });
  const shown = rows.filter(
    ({ entry, calendar, roles }) =>
      (all || showHidden || !entry.hidden) &&
      (entry.deleted || calendar.deleted || roles.length > 0) &&
      isAtLeast(highestOf(roles), (minAccessRole ?? "none") as Role),
  );
  const size = sizeOf(maxResults, PAGE_DEFAULT, PAGE_MAX);
  const listed = { list, kind: "calendar#calendarList", version, pageToken, size };
  return pageOf(shown, listed, entryView);
}

export const calendarList = [
  operation("calendarList.list", "GET", LIST, {
    summary: "List the calendars of the user",
    description: "Those that the user has added to the list, not all that are shared.",
    query: ENTRIES,
    answers: answersOf(EntryList),
    handle: ({ query }, call) => listCalendars(call, query),
  }),
  operation("calendarList.get", "GET", ENTRY, {
    summary: "Show an entry of the list",
    description: "A calendar with what the user has set for it.",
    path: { calendarId },
    answers: answersOf(Entry),
    handle: async ({ path }, call) =>
      entryView(await requireEntry(call, await requireUser(call), path.calendarId)),
  }),
  operation("calendarList.insert", "POST", LIST, {
    summary: "Add a calendar to the list",
    description: "One in which the user has a role.",
    query: { colorRgbFormat },
    body: EntryBody,
    answers: answersOf(Entry),
    handle: ({ query, body }, call) =>
      write(call, async (inside) => entryView(await insertEntry(inside, body as Body, query))),
  }),
  operation("calendarList.update", "PUT", ENTRY, {
    summary: "Replace an entry of the list",
    description: "Fields that are left out are cleared.",
    path: { calendarId },
    query: { colorRgbFormat },
    body: EntryBody,
    answers: answersOf(Entry),
    handle: ({ path, query, body }, call) =>
      changeEntry(call, path.calendarId, query, () => body as Body),
  }),
  operation("calendarList.patch", "PATCH", ENTRY, {
    summary: "Change an entry of the list",
    description: "Fields that are left out stay as they are.",
    path: { calendarId },
    query: { colorRgbFormat },
    body: EntryBody,
    answers: answersOf(Entry),
    handle: ({ path, query, body }, call) =>
      changeEntry(call, path.calendarId, query, (entry) => ({
        ...(entry as Body),
        ...(body as Body),
      })),
  }),
  operation("calendarList.delete", "DELETE", ENTRY, {
    summary: "Remove a calendar from the list",
    description: "The calendar stays.",
    path: { calendarId },
    answers: NO_CONTENT,
    handle: ({ path }, call) => write(call, (inside) => removeEntry(inside, path.calendarId)),
  }),
];
