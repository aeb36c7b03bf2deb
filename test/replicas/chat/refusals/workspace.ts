/** Search, bookmarks, stars, reminders, do not disturb, public files, groups and pictures. */
import { AGENT, BOT, GENERAL, GUEST, JOHN, LUNCH, ROBIN, type Scene, WELCOME } from "../scene";
import { by, type Case, type Refusals } from "./case";
import { foreign } from "./chat";
import { upload } from "./items";

const NOWHERE = "C99NOWHERE";
const NO_FILE = "F99NOTHING";

const bookmark = { channel_id: GENERAL, title: "Docs", type: "link", link: "https://docs.test" };

async function bookmarked({ agent }: Scene): Promise<string> {
  const { bookmark: made } = await agent.bookmarks.add(bookmark as never);
  return made?.id ?? "";
}

/** Arguments for an existing bookmark. */
const ofBookmark =
  (args: object): Case =>
  async (scene) => ({ channel_id: GENERAL, bookmark_id: await bookmarked(scene), ...args });

/** A user who is not in the channel. */
const elsewhere =
  (args: object): Case =>
  async (scene) => ({ ...args, channel_id: await foreign(scene) });

async function reminded({ agent }: Scene, time = "in 1 hour"): Promise<string> {
  const { reminder } = await agent.reminders.add({ text: "tea", time });
  return reminder?.id ?? "";
}

/** A reminder of another user. */
async function theirs(scene: Scene): Promise<string> {
  const id = await reminded(scene);
  await scene.write("reminders", `user_id = '${JOHN}'`, `id = '${id}'`);
  return id;
}

async function group({ agent }: Scene, name = "Crew"): Promise<string> {
  const { usergroup } = await agent.usergroups.create({ name, handle: name.toLowerCase() });
  return usergroup?.id ?? "";
}

/** Arguments for an existing group. */
const ofGroup =
  (args: object): Case =>
  async (scene) => ({ usergroup: await group(scene), ...args });

const groupRefusals = (args: object): Readonly<Record<string, Case>> => ({
  no_such_subteam: { usergroup: "S99NOTHING", ...args },
  permission_denied: async (scene) => by(GUEST, { usergroup: await group(scene), ...args }),
});

const starRefusals: Readonly<Record<string, Case>> = {
  message_not_found: { channel: GENERAL, timestamp: LUNCH },
  channel_not_found: { channel: NOWHERE },
  file_not_found: { file: NO_FILE },
  file_comment_not_found: { file_comment: "Fc1" },
  no_item_specified: {},
  bad_timestamp: { channel: GENERAL, timestamp: "noon" },
};

const noReminder = { not_found: { reminder: "Rm99NOTHING" } };

export const workspaceRefusals: Refusals = {
  "search.messages": {
    no_query: { query: " " },
    not_allowed_token_type: by(BOT, { query: "welcome" }),
    invalid_cursor: { query: "welcome", cursor: "garbage" },
  },
  "search.files": { no_query: {} },
  "search.all": { no_query: { query: "" } },

  "auth.teams.list": {
    invalid_cursor: { cursor: "garbage" },
    invalid_limit: { limit: 0 },
  },

  "bookmarks.add": {
    channel_not_found: { ...bookmark, channel_id: NOWHERE },
    invalid_link: { ...bookmark, link: "docs" },
    invalid_emoji: { ...bookmark, emoji: ":no_such_emoji:" },
    invalid_bookmark_type: { ...bookmark, type: "folder" },
    invalid_entity_id: { ...bookmark, entity_id: "?" },
    permission_denied: elsewhere(bookmark),
    not_found: { ...bookmark, parent_id: "Bk99NOTHING" },
    too_many_bookmarks: async (scene) => {
      await scene.sql.unsafe(`
        insert into "${scene.schema}".bookmarks
          (id, channel_id, title, type, rank, date_created, date_updated, last_updated_by_user_id)
        select 'Bk' || n, '${GENERAL}', 'x', 'link', '0|' || n, 0, 0, '${JOHN}' from generate_series(1, 100) n
      `);
      return bookmark;
    },
  },
  "bookmarks.edit": {
    channel_not_found: { channel_id: NOWHERE, bookmark_id: "Bk1" },
    not_found: { channel_id: GENERAL, bookmark_id: "Bk99NOTHING", title: "x" },
    invalid_link: ofBookmark({ link: "javascript:alert(1)" }),
    invalid_emoji: ofBookmark({ emoji: ":no_such_emoji:" }),
    permission_denied: elsewhere({ bookmark_id: "Bk1" }),
  },
  "bookmarks.list": { channel_not_found: { channel_id: NOWHERE } },
  "bookmarks.remove": {
    channel_not_found: { channel_id: NOWHERE, bookmark_id: "Bk1" },
    not_found: { channel_id: GENERAL, bookmark_id: "Bk99NOTHING" },
    permission_denied: elsewhere({ bookmark_id: "Bk1" }),
  },

  "stars.add": {
    ...starRefusals,
    already_starred: async ({ agent }) => {
      await agent.stars.add({ channel: GENERAL, timestamp: WELCOME });
      return { channel: GENERAL, timestamp: WELCOME };
    },
  },
  "stars.remove": {
    ...starRefusals,
    not_starred: { channel: GENERAL, timestamp: WELCOME },
  },

  "reminders.add": {
    cannot_parse: { text: "tea", time: "when the cows come home" },
    user_not_found: { text: "tea", time: "in 1 hour", user: "U99NOBODY" },
    cannot_add_bot: { text: "tea", time: "in 1 hour", user: BOT },
    cannot_add_others: { text: "tea", time: "in 1 hour", user: ROBIN },
    missing_argument: { text: "tea" },
    invalid_arguments: { text: "tea", time: "in 1 hour", recurrence: { frequency: "hourly" } },
    not_allowed_token_type: by(BOT, { text: "tea", time: "in 1 hour" }),
  },
  "reminders.complete": {
    ...noReminder,
    cannot_complete_recurring: async (scene) => ({ reminder: await reminded(scene, "every day") }),
    cannot_complete_others: async (scene) => ({ reminder: await theirs(scene) }),
  },
  "reminders.delete": noReminder,
  "reminders.info": noReminder,

  "dnd.info": { user_not_found: { user: "U99NOBODY" } },
  "dnd.setSnooze": {
    missing_duration: {},
    too_long: { num_minutes: 1_000_000 },
    snooze_failed: { num_minutes: 0 },
  },
  "dnd.endSnooze": { snooze_not_active: {} },
  "dnd.endDnd": { not_in_dnd: {} },
  "dnd.teamInfo": {
    no_users_provided: {},
    invalid_arguments: { users: Array.from({ length: 51 }, (_, n) => `U${n}`).join() },
  },

  "files.sharedPublicURL": {
    file_not_found: { file: NO_FILE },
    not_allowed: async ({ agent }) => ({ file: (await agent.canvases.create({})).canvas_id }),
  },
  "files.revokePublicURL": { file_not_found: { file: NO_FILE } },
  "files.comments.delete": {
    file_not_found: { file: NO_FILE, id: "Fc1" },
    cant_delete: async (scene) => {
      const id = await upload(scene, "agent", "hello");
      await scene.agent.files.completeUploadExternal({ files: [{ id }] } as never);
      return { file: id, id: "Fc1" };
    },
  },

  "usergroups.create": {
    name_already_exists: async (scene) => {
      await group(scene);
      return { name: "crew", handle: "other" };
    },
    handle_already_exists: { name: "Everyone else", handle: "robin" },
    missing_argument: { handle: "crew" },
    name_too_long: { name: "x".repeat(81) },
    bad_handle: { name: "Crew", handle: "The Crew!" },
    permission_denied: by(GUEST, { name: "Crew" }),
    invalid_channel_provided: { name: "Crew", channels: NOWHERE },
  },
  "usergroups.update": {
    ...groupRefusals({ name: "Other" }),
    name_already_exists: async (scene) => {
      await group(scene, "Others");
      return { usergroup: await group(scene), name: "others" };
    },
    handle_already_exists: ofGroup({ handle: "random" }),
    too_many_linked_channels: ofGroup({
      channels: Array.from({ length: 101 }, (_, n) => `C${n}`).join(),
    }),
    missing_argument: { name: "Other" },
  },
  "usergroups.enable": { ...groupRefusals({}), already_enabled: ofGroup({}) },
  "usergroups.disable": {
    ...groupRefusals({}),
    already_disabled: async (scene) => {
      const usergroup = await group(scene);
      await scene.agent.usergroups.disable({ usergroup });
      return { usergroup };
    },
  },
  "usergroups.users.update": {
    ...groupRefusals({ users: AGENT }),
    no_users_provided: ofGroup({ users: "" }),
    invalid_users: ofGroup({ users: `${AGENT},U99NOBODY` }),
  },

  "users.setPhoto": {
    bad_image: { image: Buffer.from("not a picture") },
    too_large: { image: Buffer.alloc(1024 * 1024 + 1, 0x89) },
  },
};
