import { Json, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError, invalidArguments, rejectedTime } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { requireActor, requireUser } from "~/replicas/chat/require";
import {
  completeReminder,
  deleteReminder,
  findReminder,
  insertReminder,
  listReminders,
  type ReminderRow,
} from "~/replicas/chat/store/reminders";
import { present, type Wire } from "~/replicas/chat/views/wire";
import { parseWhen, type Recurrence, WEEKDAYS, type When } from "~/replicas/chat/when";
import { type Sourced, secondsOf } from "~/source";

const FROM_NOW_SECONDS_MAX = 86_400;
const SECONDS_MAX = 2 ** 31 - 1;
const FREQUENCIES: readonly string[] = ["daily", "weekly", "monthly", "yearly"];

const reminderView = (reminder: ReminderRow): Wire =>
  present({
    id: reminder.id,
    creator: reminder.creator,
    user: reminder.user_id,
    text: reminder.text,
    recurring: reminder.recurring,
    time: reminder.time,
    complete_ts: reminder.recurring ? null : reminder.complete_ts,
    recurrence: reminder.recurrence,
  });

/** A Unix time, seconds from now (less than a day), or English. Throws `cannot_parse`. */
function readTime(given: string, tz: string, { source }: Sourced): When {
  const now = secondsOf(source);
  if (/^\d{1,15}$/.test(given)) {
    const number = Number(given);
    const time = number <= FROM_NOW_SECONDS_MAX ? now + number : number;
    if (time < now || time > SECONDS_MAX) throw rejectedTime("cannot_parse", source);
    return { time };
  }
  const when = parseWhen(given, tz, now);
  if (!when || when.time > SECONDS_MAX) throw rejectedTime("cannot_parse", source);
  return when;
}

function readRecurrence(given: unknown): Recurrence | undefined {
  if (given === undefined) return undefined;
  const { frequency, weekdays } = (given ?? {}) as { frequency?: unknown; weekdays?: unknown };
  const days = weekdays ?? [];
  const isValid =
    FREQUENCIES.includes(frequency as string) &&
    Array.isArray(days) &&
    days.every((day) => WEEKDAYS.some((known) => known === String(day).toLowerCase())) &&
    (frequency !== "weekly" || days.length > 0);
  if (!isValid) throw invalidArguments("must be a valid recurrence [json-pointer:/recurrence]");
  const chosen = days.map((day) => String(day).toLowerCase());
  return {
    frequency: frequency as Recurrence["frequency"],
    ...(frequency === "weekly" ? { weekdays: chosen } : {}),
  };
}

async function requireReminder(call: ChatCall, id: string): Promise<ReminderRow> {
  const { user } = await requireActor(call);
  const reminder = await findReminder(call.session, user.id, id);
  if (!reminder) throw new ChatError("not_found");
  return reminder;
}

const REMINDER_ARGS = { reminder: Text("Id of the reminder."), team_id: Maybe(Text()) };

export const reminders = [
  method("reminders.add", {
    tier: 2,
    userOnly: true,
    summary: "Creates a reminder for the caller.",
    limits: "Nobody is notified.",
    args: {
      text: Maybe(Text()),
      time: Maybe(Text("A Unix time, seconds from now (up to a day), or English: every Thursday.")),
      user: Maybe(Text("The caller only: reminders for others are no longer possible.")),
      recurrence: Maybe(
        Json<unknown>("invalid_arguments", "frequency, and weekdays if it is weekly."),
      ),
      team_id: Maybe(Text()),
    },
    async handle({ text, time, user, recurrence }, call) {
      const { user: actor } = await requireActor(call);
      if (!text || !time) throw new ChatError("missing_argument");
      if (user) {
        const wanted = await requireUser(call, user);
        if (wanted.is_bot) throw new ChatError("cannot_add_bot");
        if (wanted.id !== actor.id) throw new ChatError("cannot_add_others");
      }
      const given = readRecurrence(recurrence);
      const when = readTime(time, actor.tz, call.session);
      const id = newId(call.session, "Rm");
      const reminder = {
        id,
        creator: actor.id,
        user_id: actor.id,
        text,
        time: when.time,
        recurrence: given ?? when.recurrence ?? null,
      };
      await insertReminder(call.session, reminder);
      const recurring = reminder.recurrence !== null;
      return { reminder: reminderView({ ...reminder, recurring, complete_ts: 0 }) };
    },
  }),

  method("reminders.complete", {
    tier: 2,
    userOnly: true,
    summary: "Marks a reminder as done.",
    args: REMINDER_ARGS,
    async handle({ reminder: id }, call) {
      const { recurring, user_id: user } = await requireReminder(call, id);
      if (user !== call.actor) throw new ChatError("cannot_complete_others");
      if (recurring) throw new ChatError("cannot_complete_recurring");
      await completeReminder(call.session, id);
      return {};
    },
  }),

  method("reminders.delete", {
    tier: 2,
    userOnly: true,
    summary: "Deletes a reminder.",
    args: REMINDER_ARGS,
    async handle({ reminder: id }, call) {
      await requireReminder(call, id);
      await deleteReminder(call.session, id);
      return {};
    },
  }),

  method("reminders.info", {
    tier: 2,
    userOnly: true,
    summary: "Shows a reminder.",
    args: REMINDER_ARGS,
    async handle({ reminder: id }, call) {
      return { reminder: reminderView(await requireReminder(call, id)) };
    },
  }),

  method("reminders.list", {
    tier: 2,
    userOnly: true,
    summary: "Lists the reminders that the caller made, or that are for the caller, by time.",
    args: { team_id: Maybe(Text()) },
    async handle(_, call) {
      const { user } = await requireActor(call);
      const rows = await listReminders(call.session, user.id);
      return { reminders: rows.map(reminderView) };
    },
  }),
];
