/** The shapes of calendars, entries of lists, rules and settings. */
import { type TObject, type TProperties, Type } from "@sinclair/typebox";
import { flag, optional, text } from "~/replicas/calendar/operation";
import { Reminder } from "~/replicas/calendar/shapes/event";

const open = (description: string) =>
  optional(Type.Object({}, { additionalProperties: true, description }));

const ID = "c_1@group.calendar.google.com";
const id = text("For further calls", ID);
const etag = text("Changes with the resource", '"2000004"');
const kind = (name: string) => text("Always the same", `calendar#${name}`);

/** A body of these fields, of which null removes one. Other fields are ignored. */
export const bodyOf = (fields: TProperties): TObject =>
  Type.Object(
    Object.fromEntries(
      Object.entries(fields).map(([name, shape]) => [
        name,
        optional(Type.Union([shape, Type.Null()], { description: shape.description ?? name })),
      ]),
    ),
    { additionalProperties: true },
  );

/** A page of a list. */
const pageOf = (title: string, name: string, item: TObject) =>
  Type.Object(
    {
      ...{ kind: kind(name), etag },
      nextPageToken: text("`pageToken` of the next page", "Q"),
      nextSyncToken: text("`syncToken` of a later call", "Q="),
      items: Type.Array(item, { description: "The entries" }),
    },
    { title, description: "A page of a list" },
  );

const CALENDAR = {
  id,
  summary: text("The title", "Team"),
  description: text("More about it", "Everyone"),
  location: text("Anything that says where", "Berlin"),
  timeZone: text("The zone by its name", "Europe/Berlin"),
  autoAcceptInvitations: flag("Of a resource: invitations are accepted if it is free"),
};
const LABELS = {
  labelProperties: open("Labels of events"),
  workingHours: open("Hours of work"),
};

export const Calendar = Type.Object(
  {
    ...{ kind: kind("calendar"), etag, ...CALENDAR, ...LABELS },
    dataOwner: text("The user whose data it is", "agent@acme.test"),
    conferenceProperties: open("Types of conferences"),
  },
  { title: "CalendarCalendar", description: "A calendar" },
);
export const CalendarBody = bodyOf({ ...CALENDAR, ...LABELS });

const ENTRY = {
  id,
  summaryOverride: text("The title in the list of this user", "My team"),
  colorId: text("Of the colours of calendars", "5"),
  backgroundColor: text("In hexadecimal", "#ac725e"),
  foregroundColor: text("Of texts", "#1d1d1d"),
  hidden: flag("It is not listed"),
  selected: flag("Its events are shown"),
  defaultReminders: optional(Type.Array(Reminder, { description: "Of events without their own" })),
  notificationSettings: open("Mails that the user gets"),
};

export const Entry = Type.Object(
  {
    ...{ kind: kind("calendarListEntry"), etag, ...CALENDAR, ...ENTRY },
    accessRole: text("Of this user", "owner"),
    primary: flag("The calendar of the user"),
    deleted: flag("It is no longer in the list"),
    dataOwner: text("The user whose data it is", "agent@acme.test"),
    conferenceProperties: open("Types of conferences"),
  },
  { title: "CalendarCalendarListEntry", description: "A calendar in the list of a user" },
);
export const EntryBody = bodyOf(ENTRY);
export const EntryList = pageOf("CalendarEntries", "calendarList", Entry);

const RULE = {
  role: text("none, freeBusyReader, reader, writerWithoutPrivateAccess, writer or owner", "reader"),
  scope: optional(
    Type.Object(
      {
        type: text("default, user, group or domain", "user"),
        value: text("The address or the domain", "john@acme.test"),
      },
      { additionalProperties: true, description: "Who has the role" },
    ),
  ),
};

export const Rule = Type.Object(
  { kind: kind("aclRule"), etag, id: text("For further calls", "user:john@acme.test"), ...RULE },
  { title: "CalendarAclRule", description: "A role of somebody in a calendar" },
);
export const RuleBody = bodyOf(RULE);
export const RuleList = pageOf("CalendarAcl", "acl", Rule);

export const Setting = Type.Object(
  {
    ...{ kind: kind("setting"), etag },
    id: text("The name", "timezone"),
    value: text("Always a text", "Europe/Berlin"),
  },
  { title: "CalendarSetting", description: "A setting of the user" },
);
export const SettingList = pageOf("CalendarSettings", "settings", Setting);
