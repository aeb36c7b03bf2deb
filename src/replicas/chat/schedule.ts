/** The effects of time: scheduled messages, reminders, and the ends of snoozes and statuses. */
import type { ChatSession } from "~/replicas/chat/method";
import {
  clearStatuses,
  endSnoozes,
  findNextDue,
  listDueReminders,
  setReminderTime,
} from "~/replicas/chat/store/schedule";
import { deliverDue } from "~/replicas/chat/store/scheduled";
import { nextTime } from "~/replicas/chat/when";
import { type DueEffect, effects, type Schedule } from "~/replicas/replica";
import { secondsOf } from "~/source";

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

export const schedule: Schedule = {
  async next(session, after, until) {
    const seconds = (ms: number) => Math.floor(ms / 1000);
    const next = await findNextDue(session as ChatSession, seconds(after), seconds(until));
    return next === undefined ? undefined : next * 1000;
  },

  async fire(session) {
    const chat = session as ChatSession;
    const delivered = await deliverDue(chat, undefined);
    return [
      ...delivered.map(
        ({ id, isPosted }): DueEffect => ({
          kind: isPosted ? "message_posted" : "message_dropped",
          id,
        }),
      ),
      ...(await remind(chat)),
      ...effects("snooze_ended", await endSnoozes(chat)),
      ...effects("status_cleared", await clearStatuses(chat)),
    ];
  },
};
