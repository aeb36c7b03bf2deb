/** The effects of time: email reminders. Pop-up reminders appear on devices only. */
import type { about } from "~/replicas/calendar/about";
import { nextReminder, sendReminders } from "~/replicas/calendar/events/reminders";
import type { TableName } from "~/replicas/calendar/operation";
import { type DueEffect, effects, type Schedule } from "~/replicas/replica";

export const schedule: Schedule<TableName> = {
  next: (session, after, until) => nextReminder(session, { after, until }),

  async fire(session): Promise<DueEffect<keyof typeof about.effects>[]> {
    return effects("event_reminder", await sendReminders(session));
  },
};
