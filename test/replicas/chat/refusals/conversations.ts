import {
  AGENT,
  BOT,
  GENERAL,
  GONE,
  GUEST,
  JOHN,
  LUNCH,
  RANDOM,
  ROBIN,
  type Scene,
  STRAY,
  WELCOME,
} from "../scene";
import { by, type Case, type Refusals } from "./case";
import { archived, foreign } from "./chat";

const NOWHERE = "C99NOWHERE";

/** The direct message of agent and john. */
async function direct({ agent }: Scene): Promise<string> {
  const { channel } = await agent.conversations.open({ users: JOHN });
  return channel?.id ?? "";
}

/** Rejections of every method that requires membership of a channel. */
const placeRefusals = (args: object): Readonly<Record<string, Case>> => ({
  channel_not_found: async (scene) => ({ ...args, channel: await foreign(scene, true) }),
  not_in_channel: async (scene) => ({ ...args, channel: await foreign(scene) }),
  is_archived: async (scene) => ({ ...args, channel: await archived(scene) }),
  method_not_supported_for_channel_type: async (scene) => ({
    ...args,
    channel: await direct(scene),
  }),
});

const nameRefusals = (args: object): Readonly<Record<string, Case>> => ({
  name_taken: { ...args, name: "general" },
  invalid_name: { ...args, name: "a\tb" },
  invalid_name_required: { ...args, name: "" },
  invalid_name_maxlength: { ...args, name: "a".repeat(81) },
  invalid_name_punctuation: { ...args, name: "---" },
  invalid_name_specials: { ...args, name: "Loud Channel" },
});

const noteRefusals = (which: string): Readonly<Record<string, Case>> => ({
  ...placeRefusals({ [which]: "x" }),
  too_long: { channel: RANDOM, [which]: "x".repeat(251) },
  user_is_restricted: by(GUEST, { channel: GENERAL, [which]: "x" }),
});

export const conversationsRefusals: Refusals = {
  "conversations.list": {
    invalid_types: { types: "public_channel,secret" },
    invalid_cursor: { cursor: "garbage" },
    invalid_limit: { limit: 0 },
  },
  "conversations.info": {
    channel_not_found: async (scene) => ({ channel: await foreign(scene, true) }),
  },
  "conversations.create": {
    ...nameRefusals({}),
    no_channel: { name: "#" },
    restricted_action: by(GUEST, { name: "by-a-guest" }),
  },
  "conversations.rename": {
    ...placeRefusals({ name: "another" }),
    ...nameRefusals({ channel: RANDOM, token: `xoxp-${JOHN}` }),
    not_authorized: { channel: RANDOM, name: "another" },
  },
  "conversations.archive": {
    already_archived: async (scene) => ({ channel: await archived(scene) }),
    cant_archive_general: { channel: GENERAL },
    channel_not_found: { channel: NOWHERE },
    not_in_channel: async (scene) => ({ channel: await foreign(scene) }),
    restricted_action: by(GUEST, { channel: GENERAL }),
    method_not_supported_for_channel_type: async (scene) => ({ channel: await direct(scene) }),
  },
  "conversations.unarchive": {
    not_archived: { channel: RANDOM },
    channel_not_found: { channel: NOWHERE },
    method_not_supported_for_channel_type: async (scene) => ({ channel: await direct(scene) }),
  },
  "conversations.join": {
    channel_not_found: async (scene) => ({ channel: await foreign(scene, true) }),
    is_archived: async (scene) => ({ channel: await archived(scene) }),
    method_not_supported_for_channel_type: async (scene) => ({ channel: await direct(scene) }),
  },
  "conversations.leave": {
    channel_not_found: { channel: NOWHERE },
    is_archived: async (scene) => ({ channel: await archived(scene) }),
    cant_leave_general: { channel: GENERAL },
    last_member: async (scene) => by(ROBIN, { channel: await foreign(scene, true) }),
    method_not_supported_for_channel_type: async (scene) => ({ channel: await direct(scene) }),
  },
  "conversations.invite": {
    ...placeRefusals({ users: ROBIN }),
    already_in_channel: { channel: GENERAL, users: ROBIN },
    cant_invite_self: { channel: GENERAL, users: AGENT },
    cant_invite: { channel: GENERAL, users: GONE },
    user_not_found: { channel: GENERAL, users: [STRAY, "U99NOBODY"] },
    no_user: { channel: GENERAL, users: "" },
    user_is_restricted: async (scene) => {
      await scene.write("users", "is_ultra_restricted = true", `id = '${GUEST}'`);
      return { channel: RANDOM, users: GUEST };
    },
  },
  "conversations.kick": {
    ...placeRefusals({ user: ROBIN }),
    not_in_channel: { channel: RANDOM, user: GUEST },
    user_not_found: { channel: RANDOM, user: "U99NOBODY" },
    cant_kick_self: { channel: RANDOM, user: AGENT },
    cant_kick_from_general: { channel: GENERAL, user: ROBIN },
    restricted_action: async ({ agent }) => {
      await agent.conversations.invite({ channel: RANDOM, users: GUEST });
      return by(GUEST, { channel: RANDOM, user: ROBIN });
    },
  },
  "conversations.members": {
    channel_not_found: { channel: NOWHERE },
    invalid_cursor: { channel: GENERAL, cursor: "garbage" },
    invalid_limit: { channel: GENERAL, limit: -1 },
  },
  "conversations.open": {
    users_list_not_supplied: {},
    user_not_found: { users: "U99NOBODY" },
    not_enough_users: { users: [] },
    too_many_users: { users: Array.from({ length: 9 }, (_, n) => `U9${n}NOBODY`) },
    channel_not_found: { users: ROBIN, prevent_creation: true },
    user_disabled: { users: GONE },
    invalid_user_combination: by(BOT, { users: STRAY }),
    method_not_supported_for_channel_type: { channel: GENERAL },
  },
  "conversations.close": {
    channel_not_found: { channel: "D99NOWHERE" },
    method_not_supported_for_channel_type: { channel: GENERAL },
  },
  "conversations.history": {
    channel_not_found: async (scene) => ({ channel: await foreign(scene, true) }),
    not_in_channel: by(STRAY, { channel: GENERAL }),
    invalid_ts_latest: { channel: GENERAL, latest: "today" },
    invalid_ts_oldest: { channel: GENERAL, oldest: "today" },
    invalid_cursor: { channel: GENERAL, cursor: "garbage" },
    invalid_limit: { channel: GENERAL, limit: 0 },
  },
  "conversations.replies": {
    channel_not_found: { channel: NOWHERE, ts: WELCOME },
    thread_not_found: { channel: GENERAL, ts: LUNCH },
    invalid_ts_latest: { channel: GENERAL, ts: WELCOME, latest: "today" },
    invalid_ts_oldest: { channel: GENERAL, ts: WELCOME, oldest: "today" },
    invalid_cursor: { channel: GENERAL, ts: WELCOME, cursor: "garbage" },
  },
  "conversations.mark": {
    channel_not_found: { channel: NOWHERE, ts: WELCOME },
    invalid_timestamp: { channel: GENERAL, ts: "now" },
    not_in_channel: async (scene) => ({ channel: await foreign(scene), ts: WELCOME }),
  },
  "conversations.setTopic": noteRefusals("topic"),
  "conversations.setPurpose": noteRefusals("purpose"),
};
