import { List, Maybe, Text, Whole } from "~/replicas/chat/arguments";
import { dndView, nextSession, snoozeView } from "~/replicas/chat/dnd";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { requireActor, requireUser } from "~/replicas/chat/require";
import { findUsers, updateUser } from "~/replicas/chat/store/users";
import { secondsOf } from "~/source";

const SNOOZE_MINUTES_MAX = 1_440 * 365;
const TEAM_USERS_MAX = 50;

export const dnd = [
  method("dnd.info", {
    tier: 2,
    summary: "Returns a user's do-not-disturb times.",
    args: { user: Maybe(Text("The user; the caller by default.")), team_id: Maybe(Text()) },
    async handle({ user: id }, call) {
      const user = await requireUser(call, id || call.actor);
      const now = secondsOf(call.session.source);
      return { ...dndView(user, now), ...(user.id === call.actor ? snoozeView(user, now) : {}) };
    },
  }),

  method("dnd.setSnooze", {
    tier: 2,
    userOnly: true,
    summary: "Snoozes the caller's notifications.",
    args: {
      num_minutes: Maybe(Whole("The duration.", { minimum: 1, maximum: SNOOZE_MINUTES_MAX })),
    },
    async handle({ num_minutes: minutes }, call) {
      const { user } = await requireActor(call);
      if (minutes === undefined) throw new ChatError("missing_duration");
      if (minutes < 1) throw new ChatError("snooze_failed");
      if (minutes > SNOOZE_MINUTES_MAX) throw new ChatError("too_long");
      const now = secondsOf(call.session.source);
      const until = { snooze_endtime: now + minutes * 60 };
      await updateUser(call.session, user.id, until);
      return snoozeView(until, now);
    },
  }),

  method("dnd.endSnooze", {
    tier: 2,
    userOnly: true,
    summary: "Ends the caller's snooze.",
    args: {},
    async handle(_, call) {
      const { user } = await requireActor(call);
      const now = secondsOf(call.session.source);
      if (user.snooze_endtime <= now) throw new ChatError("snooze_not_active");
      await updateUser(call.session, user.id, { snooze_endtime: 0 });
      return { ...dndView(user, now), snooze_enabled: false };
    },
  }),

  method("dnd.endDnd", {
    tier: 2,
    userOnly: true,
    summary:
      "Ends the session of do not disturb that the caller is in. The next one comes as planned.",
    args: {},
    async handle(_, call) {
      const { user } = await requireActor(call);
      const now = secondsOf(call.session.source);
      const { start, end } = nextSession(user, now);
      if (start > now || end <= now) throw new ChatError("not_in_dnd");
      await updateUser(call.session, user.id, { dnd_ended_ts: end });
      return {};
    },
  }),

  method("dnd.teamInfo", {
    tier: 2,
    summary: "Returns the do-not-disturb times of up to 50 users. Unknown users are left out.",
    args: { users: Maybe(List()), team_id: Maybe(Text()) },
    async handle({ users: ids = [] }, { session }) {
      if (ids.length === 0) throw new ChatError("no_users_provided");
      if (ids.length > TEAM_USERS_MAX)
        throw invalidArguments(
          `no more than ${TEAM_USERS_MAX} items allowed [json-pointer:/users]`,
        );
      const users = await findUsers(session, ids);
      const now = secondsOf(session.source);
      return {
        users: Object.fromEntries([...users].map(([id, user]) => [id, dndView(user, now)])),
      };
    },
  }),
];
