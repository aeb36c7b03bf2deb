-- The tables of one calendar environment. Columns are named as the API names its fields.

-- One number for each call that writes, for etags, sync tokens and order. Those of seeds are below.
create sequence versions start 1000001;

-- Settings that differ from their defaults.
create table users (
  id text primary key,
  email text not null unique,
  "displayName" text not null,
  settings jsonb not null,
  "settingsVersion" bigint not null
);

-- The primary calendar of a user has the address of the user as its id.
create table calendars (
  id text primary key,
  summary text not null,
  description text,
  location text,
  "timeZone" text not null,
  "dataOwner" text,
  "autoAcceptInvitations" boolean not null,
  "conferenceProperties" jsonb not null,
  "labelProperties" jsonb,
  "workingHours" jsonb,
  deleted boolean not null,
  version bigint not null
);

create table list_entries (
  "userId" text not null,
  "calendarId" text not null,
  "summaryOverride" text,
  "colorId" text not null,
  "backgroundColor" text,
  "foregroundColor" text,
  hidden boolean not null,
  selected boolean not null,
  "primary" boolean not null,
  deleted boolean not null,
  "defaultReminders" jsonb not null,
  "notificationSettings" jsonb,
  version bigint not null,
  primary key ("userId", "calendarId")
);

create table acl (
  "calendarId" text not null,
  id text not null,
  "scopeType" text not null,
  "scopeValue" text,
  role text not null,
  deleted boolean not null,
  version bigint not null,
  primary key ("calendarId", id)
);
create index acl_by_scope on acl ("scopeValue");

-- One row for each event, at the calendar of its organizer. A changed instance of a series is a row of its own.
create table events (
  id text primary key,
  "calendarId" text not null,
  "iCalUID" text not null,
  status text not null,
  summary text,
  description text,
  location text,
  "colorId" text,
  start jsonb not null,
  "end" jsonb not null,
  "startAt" timestamptz not null,
  "endAt" timestamptz,
  recurrence text[],
  "recurringEventId" text,
  "originalStartTime" jsonb,
  organizer jsonb not null,
  creator jsonb not null,
  transparency text,
  visibility text,
  "eventType" text not null,
  "eventLabelId" text,
  sequence int not null,
  reminders jsonb not null,
  "extendedProperties" jsonb,
  "conferenceData" jsonb,
  attachments jsonb,
  guests jsonb not null,
  properties jsonb,
  source jsonb,
  "sendUpdates" text,
  created timestamptz not null,
  updated timestamptz not null,
  version bigint not null
);
create index events_by_start on events ("calendarId", "startAt", id);
-- Events that began long before a window and end in it are few: a window reads the others by their start.
create index events_long on events ("calendarId") where "endAt" - "startAt" > interval '31 days';
create index events_recurring on events ("calendarId") where recurrence is not null;
create index events_by_version on events (version);
create index events_of_series on events ("recurringEventId") where "recurringEventId" is not null;
create index events_by_uid on events ("iCalUID");

-- own: fields of the copy of the event in the calendar of the attendee.
create table event_attendees (
  "eventId" text not null,
  email text not null,
  "displayName" text,
  "responseStatus" text not null,
  optional boolean not null,
  resource boolean not null,
  comment text,
  "additionalGuests" int not null,
  own jsonb not null,
  position int not null,
  updated timestamptz not null,
  version bigint not null,
  primary key ("eventId", email)
);
create index attendees_by_email on event_attendees (email);
create index attendees_by_version on event_attendees (version);

create table channels (
  id text primary key,
  "resourceId" text not null,
  "resourceUri" text not null,
  type text not null,
  address text not null,
  token text,
  params jsonb,
  expiration bigint not null,
  payload boolean not null,
  "userId" text not null
);
