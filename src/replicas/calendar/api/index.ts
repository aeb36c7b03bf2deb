/** Every operation that a client can call. */
import { acl } from "~/replicas/calendar/api/acl";
import { calendarList } from "~/replicas/calendar/api/calendar-list";
import { calendars } from "~/replicas/calendar/api/calendars";
import { channels } from "~/replicas/calendar/api/channels";
import { colors } from "~/replicas/calendar/api/colors";
import { events } from "~/replicas/calendar/api/events";
import { freebusy } from "~/replicas/calendar/api/freebusy";
import { settings } from "~/replicas/calendar/api/settings";
import { refuse } from "~/replicas/calendar/errors";
import type { CalendarCall } from "~/replicas/calendar/operation";
import { COMMON } from "~/replicas/kit/google/parameters";
import { createRouter, type Operation } from "~/replicas/kit/router";

const OPERATIONS = [
  ...[...events, ...calendarList, ...calendars, ...acl, ...settings, ...colors],
  ...[...freebusy, ...channels],
];

const rooted = (of: Operation<CalendarCall>): Operation<CalendarCall> => ({
  ...of,
  template: `calendar/v3/${of.template}`,
});

export const ROUTER = createRouter(OPERATIONS.map(rooted), refuse, COMMON, {
  ignoresUnknown: true,
});
