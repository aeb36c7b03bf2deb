/** Do not disturb: every day between two local times of the user, and while snoozing. */
import type { UserRow } from "~/replicas/chat/store/users";
import type { Wire } from "~/replicas/chat/views/wire";
import { addDays, dayAt, momentOf } from "~/replicas/chat/zones";

type Session = { readonly start: number; readonly end: number };

/** The service's answer for a user without a schedule. */
const NEVER: Session = { start: 1, end: 1 };
/** Last night's session may still be running, and tonight's may have been ended early. */
const DAYS = [-1, 0, 1, 2];

const minutesOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** The current session, or the next one. `now`: a Unix time. */
export function nextSession(user: UserRow, now: number): Session {
  if (!user.dnd_enabled) return NEVER;
  const [from, to] = [minutesOf(user.dnd_start), minutesOf(user.dnd_end)];
  const today = dayAt(user.tz, now);
  const sessions = DAYS.map((days) => ({
    start: momentOf(user.tz, addDays(today, days), from),
    end: momentOf(user.tz, addDays(today, to > from ? days : days + 1), to),
  }));
  return sessions.find(({ end }) => end > now && end !== user.dnd_ended_ts) ?? NEVER;
}

/** The fields that every user may see. */
export function dndView(user: UserRow, now: number): Wire {
  const { start, end } = nextSession(user, now);
  return { dnd_enabled: user.dnd_enabled, next_dnd_start_ts: start, next_dnd_end_ts: end };
}

/** The fields that only the user may see. */
export function snoozeView(
  { snooze_endtime: until }: Pick<UserRow, "snooze_endtime">,
  now: number,
): Wire {
  const remaining = Math.max(0, until - now);
  return {
    snooze_enabled: remaining > 0,
    snooze_endtime: remaining > 0 ? until : 0,
    snooze_remaining: remaining,
    snooze_is_indefinite: false,
  };
}
