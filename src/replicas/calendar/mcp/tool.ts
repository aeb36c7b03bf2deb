/** The tools of the service's own MCP server, as their files declare them. */

import type { CalendarCall } from "~/replicas/calendar/operation";
import type { GoogleTools } from "~/replicas/kit/google/tools";

export type Tools = GoogleTools<CalendarCall>;

/** Of a tool without the argument `calendarId`. */
export const PRIMARY = "primary";
