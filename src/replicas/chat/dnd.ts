/** Do not disturb: every day between two times of the user's own day, and for a while when somebody snoozes. */
import type { UserRow } from "~/replicas/chat/store/users";
import type { Wire } from "~/replicas/chat/views/wire";
import { addDays, dayAt, momentOf } from "~/replicas/chat/zones";

type Session = { readonly start: number; readonly end: number };

/** What the service answers for somebody without a schedule. */
const NEVER: Session = { start: 1, end: 1 };
/** The session of last night may go on, and that of tonight may have been ended early. */
const DAYS = [-1, 0, 1, 2];

const minutesOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The session that goes on, or the next one. */
export function nextSession(user: UserRow, now = nowSeconds()): Session {
  if (!user.dnd_enabled) return NEVER;
  const [from, to] = [minutesOf(user.dnd_start), minutesOf(user.dnd_end)];
  const today = dayAt(user.tz, now);
  const sessions = DAYS.map((days) => ({
    start: momentOf(user.tz, addDays(today, days), from),
    end: momentOf(user.tz, addDays(today, to > from ? days : days + 1), to),
  }));
  return sessions.find(({ end }) => end > now && end !== user.dnd_ended_ts) ?? NEVER;
}

/** What everybody may know. */
export function dndView(user: UserRow): Wire {
  const { start, end } = nextSession(user);
  return { dnd_enabled: user.dnd_enabled, next_dnd_start_ts: start, next_dnd_end_ts: end };
}

/** What only the user themselves may know. */
export function snoozeView({ snooze_endtime: until }: Pick<UserRow, "snooze_endtime">): Wire {
  const remaining = Math.max(0, until - nowSeconds());
  return {
    snooze_enabled: remaining > 0,
    snooze_endtime: remaining > 0 ? until : 0,
    snooze_remaining: remaining,
    snooze_is_indefinite: false,
  };
}
