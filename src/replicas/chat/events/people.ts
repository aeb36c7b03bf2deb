/** Users, user groups and emoji: what concerns the whole workspace. */
import { dndView, snoozeView } from "~/replicas/chat/dnd";
import {
  type Change,
  type Derived,
  derived,
  EVERYONE,
  PEOPLE_ONLY,
  rowOf,
  secondsOf,
} from "~/replicas/chat/events/change";
import type { Context } from "~/replicas/chat/events/context";
import type { Rows } from "~/replicas/chat/store/rows";
import type { UsergroupRow } from "~/replicas/chat/store/usergroups";
import type { Profile, UserRow } from "~/replicas/chat/store/users";
import { usergroupView } from "~/replicas/chat/views/usergroups";
import { userView } from "~/replicas/chat/views/users";

/** Columns that a user object does not show, or that follow from others. */
const HIDDEN = ["presence", "updated", "home_tab_enabled"] as const;
const DND = ["dnd_enabled", "dnd_start", "dnd_end", "dnd_ended_ts", "snooze_endtime"] as const;
const STATUS = ["status_text", "status_text_canonical", "status_emoji", "status_expiration"];

const without = (row: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
const only = (row: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));

/** Custom fields are no reason for an event. */
const plainProfile = ({ profile }: Rows["users"]) => without(profile as Profile, ["fields"]);

/** Which of the events of users a change causes. */
function userEvents(before: Rows["users"], after: Rows["users"]) {
  const [old, present] = [plainProfile(before), plainProfile(after)];
  const columns = (row: Rows["users"]) => without(row, [...HIDDEN, ...DND, "profile"]);
  const isProfile = !Bun.deepEquals(without(old, STATUS), without(present, STATUS));
  const isStatus = !Bun.deepEquals(only(old, STATUS), only(present, STATUS));
  const isUser = isProfile || isStatus || !Bun.deepEquals(columns(before), columns(after));
  return [
    ...(isUser ? (["user_change"] as const) : []),
    ...(isProfile ? (["user_profile_changed"] as const) : []),
    ...(isStatus ? (["user_status_changed"] as const) : []),
  ];
}

export function users(change: Change<"users">, { team }: Context): Derived[] {
  const { before, after } = change;
  if (before === null || after === null) return [];
  const now = secondsOf(change.micros);
  const user = { ...(after as Omit<UserRow, "avatar_base">), avatar_base: `${team.url}avatars` };
  const shown = { user: userView(user, now, true), cache_ts: now };
  const status = dndView(user, now);
  const own = { user: user.id, dnd_status: { ...status, ...snoozeView(user, now) } };
  const isDnd = !Bun.deepEquals(only(before, DND), only(after, DND));
  return [
    ...userEvents(before, after).map((type) => derived(type, change, shown, EVERYONE)),
    ...(isDnd
      ? [
          derived("dnd_updated", change, own, PEOPLE_ONLY),
          derived("dnd_updated_user", change, { user: user.id, dnd_status: status }, PEOPLE_ONLY),
        ]
      : []),
  ];
}

export function usergroups(change: Change<"usergroups">, { team }: Context): Derived[] {
  const { before, after } = change;
  if (after === null) return [];
  const group = { ...(after as Omit<UsergroupRow, "team_id">), team_id: team.id };
  const fields = { subteam: usergroupView(group, { count: true, users: true }) };
  if (before === null) return [derived("subteam_created", change, fields, EVERYONE)];
  const previous = before.users as readonly string[];
  const added = group.users.filter((user) => !previous.includes(user));
  const removed = previous.filter((user) => !group.users.includes(user));
  const members = {
    subteam_id: group.id,
    team_id: team.id,
    date_previous_update: before.date_update,
    date_update: group.date_update,
    added_users: added,
    added_users_count: added.length,
    removed_users: removed,
    removed_users_count: removed.length,
  };
  const self = { subteam_id: group.id };
  return [
    derived("subteam_updated", change, fields, EVERYONE),
    ...(added.length + removed.length > 0
      ? [derived("subteam_members_changed", change, members, EVERYONE)]
      : []),
    ...(added.length > 0 ? [derived("subteam_self_added", change, self, PEOPLE_ONLY)] : []),
    ...(removed.length > 0 ? [derived("subteam_self_removed", change, self, PEOPLE_ONLY)] : []),
  ];
}

export function emoji(change: Change<"emoji">): Derived[] {
  const { before, after } = change;
  const { name, url } = rowOf(change);
  const isRenamed = before !== null && after !== null && before.name !== after.name;
  if (isRenamed) {
    const renamed = { subtype: "rename", old_name: before.name, new_name: name, value: url };
    return [derived("emoji_changed", change, renamed, EVERYONE)];
  }
  const fields = after
    ? { subtype: "add", name, value: url }
    : { subtype: "remove", names: [name] };
  return [derived("emoji_changed", change, fields, EVERYONE)];
}
