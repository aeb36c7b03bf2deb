import { readOperations } from "~/console/rest-form";
import { CalendarPlace } from "~/console/services/calendar/place";
import { snippets } from "~/console/services/calendar/snippets";
import type { ConsoleService } from "~/console/services/service";

export const calendar: ConsoleService = {
  Place: CalendarPlace,
  fields: ["view", "day", "event"],
  queryOf: () => undefined,
  snippets,
  forms: { methods: readOperations("calendars/{calendarId}/events") },
};
