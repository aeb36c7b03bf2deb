/** The shapes of events. */
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";

const optional = Type.Optional;
const text = (description: string, example: string) =>
  optional(Type.String({ description, examples: [example] }));
const flag = (description: string) => optional(Type.Boolean({ description }));
const count = (description: string) => optional(Type.Integer({ description, examples: [1] }));
const group = (description: string, fields: TProperties) =>
  optional(Type.Object(fields, { description, additionalProperties: true }));
const list = (description: string, item: TSchema) => optional(Type.Array(item, { description }));
const open = (description: string) =>
  optional(Type.Object({}, { additionalProperties: true, description }));
const texts = (description: string) =>
  optional(
    Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Null()], { description: "Of any name" }),
      {
        description,
      },
    ),
  );

const time = (description: string) =>
  group(description, {
    date: text("Of an event of whole days", "2026-01-06"),
    dateTime: text("With the offset of the zone", "2026-01-06T15:00:00+01:00"),
    timeZone: text("The zone by its name", "Europe/Berlin"),
  });

export const Reminder = Type.Object(
  {
    method: text("`email` or `popup`", "popup"),
    minutes: optional(Type.Integer({ description: "Before the start", examples: [10] })),
  },
  { description: "A reminder", additionalProperties: true },
);

const profileId = text("Of a profile; never set here", "1");
const person = (description: string) =>
  group(description, {
    id: profileId,
    email: text("The address", "agent@acme.test"),
    displayName: text("The name", "Agent Smith"),
    self: flag("It is the calendar of this copy"),
  });

const Attendee = Type.Object(
  {
    id: profileId,
    email: text("The address", "john@acme.test"),
    displayName: text("The name", "John Doe"),
    organizer: flag("The organizer"),
    self: flag("It is the calendar of this copy"),
    resource: flag("A room, or another resource"),
    optional: flag("May be absent"),
    responseStatus: text("needsAction, declined, tentative or accepted", "accepted"),
    asyncOperation: text("An operation in progress; never set here", "inProgress"),
    comment: text("With the answer", "On my way"),
    additionalGuests: count("Guests that the attendee brings"),
  },
  { description: "An attendee", additionalProperties: true },
);

/** Fields that a client may set. */
const WRITABLE = {
  id: text("For further calls", "5p1c2v8i0gd0kgj3k2t4ctkn3o"),
  status: text("confirmed, tentative or cancelled", "confirmed"),
  summary: text("The title", "Login review"),
  description: text("May have HTML", "The second draft"),
  location: text("Anything that says where", "Room 3"),
  colorId: text("Of the colours of events", "5"),
  start: time("The start"),
  end: time("The end, which is not part of the event"),
  recurrence: list("RRULE, EXRULE, RDATE and EXDATE", Type.String({ description: "A line" })),
  transparency: text("opaque or transparent", "opaque"),
  visibility: text("default, public, private or confidential", "default"),
  iCalUID: text("The same for all instances", "5p1c2v8i0gd0kgj3k2t4ctkn3o@google.com"),
  attendees: list("Those who are invited", Attendee),
  extendedProperties: group("Of applications", {
    private: texts("Of this copy"),
    shared: texts("Of all copies"),
  }),
  conferenceData: open("A video conference"),
  anyoneCanAddSelf: flag("Anyone may invite himself"),
  guestsCanInviteOthers: flag("Attendees may invite others"),
  guestsCanModify: flag("Attendees may change the event"),
  guestsCanSeeOtherGuests: flag("Attendees see each other"),
  reminders: group("Of this copy", {
    useDefault: flag("Those of the calendar"),
    overrides: list("In place of those of the calendar", Reminder),
  }),
  source: open("Where the event comes from: title and url"),
  attachments: list(
    "Files",
    Type.Object({}, { additionalProperties: true, description: "A file" }),
  ),
  eventType: text("default, focusTime, outOfOffice, workingLocation or birthday", "default"),
  birthdayProperties: open("Of a birthday"),
  focusTimeProperties: open("Of focus time"),
  outOfOfficeProperties: open("Of an absence"),
  workingLocationProperties: open("Of a working location"),
  eventLabelId: text("A label of the calendar", "label1"),
  sequence: count("The number of changes that guests hear of"),
};

const organizer = person("The calendar that owns it; of a body, only for imports");

export const Event = Type.Object(
  {
    kind: text("Always the same", "calendar#event"),
    etag: text("Changes with the event", '"2000004"'),
    htmlLink: text("On the web", "https://www.google.com/calendar/event?eid=a"),
    created: text("When it was created", "2026-01-05T12:00:00Z"),
    updated: text("When it was last changed", "2026-01-05T12:00:00.000Z"),
    creator: person("Who created it"),
    organizer,
    recurringEventId: text("The series of an instance", "5p1c2v8i0gd0kgj3k2t4ctkn3o"),
    originalStartTime: time("Of an instance, by the rule of its series"),
    hangoutLink: text("Of the video conference", "https://meet.google.com/abc-defg-hij"),
    attendeesOmitted: flag("The list of attendees is not complete"),
    endTimeUnspecified: flag("The end is not known; never set here"),
    gadget: open("The service no longer uses it"),
    locked: flag("The main fields cannot be changed; never set here"),
    privateCopy: flag("Changes stay in this copy; never set here"),
    ...WRITABLE,
  },
  { title: "CalendarEvent", description: "An event, as one calendar has it" },
);

/** Fields that the service sets are accepted and ignored: clients send back what they read. */
export const EventBody = Type.Object(
  Object.fromEntries(
    Object.entries({ ...WRITABLE, organizer }).map(([name, shape]) => [
      name,
      optional(Type.Union([shape, Type.Null()], { description: shape.description ?? name })),
    ]),
  ),
  { additionalProperties: true },
);

export const EventList = Type.Object(
  {
    kind: text("Always the same", "calendar#events"),
    etag: text("Changes with the list", '"p1"'),
    summary: text("Of the calendar", "Team"),
    description: text("Of the calendar", "Everyone"),
    updated: text("The last change", "2026-01-05T12:00:00.000Z"),
    timeZone: text("Of the calendar", "Europe/Berlin"),
    accessRole: text("Of the user", "owner"),
    defaultReminders: list("Of the calendar", Reminder),
    nextPageToken: text("`pageToken` of the next page", "Q"),
    nextSyncToken: text("`syncToken` of a later call", "Q="),
    items: list("The events", Event),
  },
  { title: "CalendarEvents", description: "A page of events" },
);
