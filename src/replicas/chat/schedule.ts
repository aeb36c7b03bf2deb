/** The effects of time: scheduled messages, reminders, and the ends of snoozes and statuses. */
import type { about } from "~/replicas/chat/about";
import type { ChatSession, TableName } from "~/replicas/chat/method";
import {
  clearStatuses,
  endSnoozes,
  findNextDue,
  listDueReminders,
  setReminderTime,
} from "~/replicas/chat/store/schedule";
import { deliverDue } from "~/replicas/chat/store/scheduled";
import { nextTime } from "~/replicas/chat/when";
import { type DueEffect as AnyEffect, effects, type Schedule } from "~/replicas/replica";
import { secondsOf } from "~/source";

type DueEffect = AnyEffect<keyof typeof about.effects>;

/** Reports the reminders that are due, and moves recurring ones to their next time. */
async function remind(session: ChatSession): Promise<DueEffect[]> {
  const due = await listDueReminders(session);
  for (const { id, recurrence, time, tz } of due) {
    if (!recurrence) continue;
    let next = time;
    while (next <= secondsOf(session.source)) next = nextTime(recurrence, tz, next);
    await setReminderTime(session, id, next);
  }
  return effects(
    "reminder_due",
    due.map(({ id }) => id),
  );
}

export const schedule: Schedule<TableName> = {
  async next(session, after, until) {
    const seconds = (ms: number) => Math.floor(ms / 1000);
    const next = await findNextDue(session, seconds(after), seconds(until));
    return next === undefined ? undefined : next * 1000;
  },

  async fire(session): Promise<DueEffect[]> {
    const delivered = await deliverDue(session, undefined);
    return [
      ...delivered.map(
        ({ id, isPosted }): DueEffect => ({
          kind: isPosted ? "message_posted" : "message_dropped",
          id,
        }),
      ),
      ...(await remind(session)),
      ...effects("snooze_ended", await endSnoozes(session)),
      ...effects("status_cleared", await clearStatuses(session)),
    ];
  },
};
