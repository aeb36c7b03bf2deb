/** The discovery document. */
import { ROUTER } from "~/replicas/calendar/api/index";
import { documentsOf } from "~/replicas/kit/google/discovery";

const AUTH = "https://www.googleapis.com/auth/calendar";
export const SCOPES = [
  AUTH,
  ...[
    ...["acls", "acls.readonly", "app.created", "calendarlist", "calendarlist.readonly"],
    ...["calendars", "calendars.readonly", "events", "events.freebusy", "events.owned"],
    ...["events.owned.readonly", "events.public.readonly", "events.readonly", "freebusy"],
    ...["readonly", "settings", "settings.readonly"],
  ].map((scope) => `${AUTH}.${scope}`),
];

export const documents = documentsOf(
  {
    ...{ name: "calendar", version: "v3", title: "Calendar API", prefix: "Calendar" },
    scopes: SCOPES,
  },
  ROUTER,
);
