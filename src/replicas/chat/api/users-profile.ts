import { Flag, Json, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import { changeProfile, type ProfileChange, readProfile } from "~/replicas/chat/profile";
import { isAdmin, requireActor, requireEmoji, requireUser } from "~/replicas/chat/require";
import { findTeam, type TeamRow } from "~/replicas/chat/store/team";
import { findUserByEmail, type UserRow, updateUser } from "~/replicas/chat/store/users";
import { profileView } from "~/replicas/chat/views/users";
import type { Wire } from "~/replicas/chat/views/wire";

/** The workspace's own fields of a profile, with their names. */
function labelled(fields: unknown, { profile }: TeamRow): Wire {
  const labels = new Map(profile.fields.map(({ id, label }) => [id, label]));
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([id, field]) => [id, { ...field, label: labels.get(id) }]),
  );
}

/** Checks a change's references: the emoji exists, the address is free, the fields belong to the workspace. */
async function requirePossible(
  call: ChatCall,
  user: UserRow,
  team: TeamRow,
  { status_emoji: emoji, email, fields }: ProfileChange,
): Promise<void> {
  if (emoji) await requireEmoji(call, emoji, "profile_status_set_failed_not_valid_emoji");
  const known = new Set(team.profile.fields.map(({ id }) => id));
  if (!Object.keys(fields ?? {}).every((id) => known.has(id)))
    throw new ChatError("profile_set_failed");
  if (!email) return;
  const other = await findUserByEmail(call.session, email);
  if (other && other.id !== user.id) throw new ChatError("email_taken");
}

export const usersProfile = [
  method("users.profile.get", {
    tier: 1,
    summary: "Shows a user's profile.",
    args: {
      user: Maybe(Text("The user; the caller by default.")),
      include_labels: Maybe(Flag("Add the labels of custom fields.")),
    },
    async handle({ user: id, include_labels: withLabels }, call) {
      const profile = profileView(await requireUser(call, id || call.actor));
      if (!withLabels) return { profile };
      const fields = labelled(profile["fields"], await findTeam(call.session));
      return { profile: { ...profile, fields } };
    },
  }),

  method("users.profile.set", {
    tier: 1,
    userOnly: true,
    summary:
      "Changes the caller's profile and status; administrators change anybody's, and the email address.",
    args: {
      profile: Maybe(Json("invalid_profile", "The fields to change.")),
      name: Maybe(Text("Instead of profile: one field to change.")),
      value: Maybe(Text("The new value of that field.", { tooLong: "too_long" })),
      user: Maybe(Text()),
    },
    async handle({ profile, name, value = "", user: id }, call) {
      const change = readProfile(name ? { [name]: value } : profile);
      const { user: actor, team } = await requireActor(call);
      if (id && id !== actor.id && !isAdmin(actor)) throw new ChatError("not_admin");
      const user = id ? await requireUser(call, id) : actor;
      const { email = user.profile["email"] } = change;
      if (email !== user.profile["email"] && !isAdmin(actor)) throw new ChatError("not_admin");
      const changed = changeProfile(user, change);
      await requirePossible(call, user, team, change);
      await updateUser(call.session, user.id, changed);
      return { username: user.name, profile: profileView({ ...user, ...changed }) };
    },
  }),
];
