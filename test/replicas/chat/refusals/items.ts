/** Reactions, pins and files, people and groups. */
import { AGENT, GENERAL, GUEST, JOHN, LUNCH, ROBIN, type Scene, WELCOME } from "../scene";
import { by, type Case, type Refusals } from "./case";
import { archived, foreign } from "./chat";

const NOWHERE = "C99NOWHERE";
const AT_WELCOME = { channel: GENERAL, timestamp: WELCOME };

/** Rejections of every method on a message. */
const itemRefusals = (args: object): Readonly<Record<string, Case>> => ({
  message_not_found: { ...args, channel: GENERAL, timestamp: LUNCH },
  channel_not_found: { ...args, channel: NOWHERE, timestamp: WELCOME },
  no_item_specified: { ...args, channel: GENERAL },
  bad_timestamp: { ...args, channel: GENERAL, timestamp: "noon" },
});

/** A file of robin's that nobody else sees. Not sent when `length` alone is asked for. */
export async function upload(scene: Scene, by: "agent" | "robin", text?: string): Promise<string> {
  const announced = await scene[by].files.getUploadURLExternal({ filename: "a.txt", length: 5 });
  if (text !== undefined) await fetch(announced.upload_url ?? "", { method: "POST", body: text });
  return announced.file_id ?? "";
}

export async function share(
  scene: Scene,
  by: "agent" | "robin",
  channel?: string,
): Promise<string> {
  const id = await upload(scene, by, "hello");
  await scene[by].files.completeUploadExternal({
    files: [{ id }],
    ...(channel ? { channel_id: channel } : {}),
  } as never);
  return id;
}

export async function deleted(scene: Scene): Promise<string> {
  const file = await share(scene, "agent", GENERAL);
  await scene.agent.files.delete({ file });
  return file;
}

/** A tombstone. */
async function buried({ agent }: Scene): Promise<string> {
  const { ts = "" } = await agent.chat.postMessage({ channel: GENERAL, text: "root" });
  await agent.chat.postMessage({ channel: GENERAL, text: "reply", thread_ts: ts });
  await agent.chat.delete({ channel: GENERAL, ts });
  return ts;
}

const uploaded =
  (args: object): Case =>
  async (scene) => ({ files: [{ id: await upload(scene, "agent", "hello") }], ...args });

export const itemsRefusals: Refusals = {
  "reactions.add": {
    ...itemRefusals({ name: "tada" }),
    already_reacted: async ({ agent }) => {
      await agent.reactions.add({ ...AT_WELCOME, name: "tada" });
      return { ...AT_WELCOME, name: "tada" };
    },
    invalid_name: { ...AT_WELCOME, name: ":tada:" },
    too_many_emoji: async (scene) => {
      await react(scene, "select 'e' || n from generate_series(1, 22) n");
      return { ...AT_WELCOME, name: "tada" };
    },
    too_many_reactions: async (scene) => {
      await react(scene, "select 'tada::skin-tone-' || n from generate_series(1, 50) n");
      return { ...AT_WELCOME, name: "tada" };
    },
    is_archived: async (scene) => {
      const channel = await archived(scene);
      const { messages } = await scene.agent.conversations.history({ channel });
      return { channel, timestamp: messages?.[0]?.ts, name: "tada" };
    },
    thread_locked: async (scene) => {
      await scene.write("messages", `extra = '{"is_locked": true}'`, `ts = '${WELCOME}'`);
      return { ...AT_WELCOME, name: "tada" };
    },
    not_reactable: async (scene) => ({
      channel: GENERAL,
      timestamp: await buried(scene),
      name: "tada",
    }),
  },
  "reactions.remove": {
    ...itemRefusals({ name: "tada" }),
    no_reaction: { ...AT_WELCOME, name: "wave" },
    invalid_name: { ...AT_WELCOME, name: "no_such_emoji" },
  },
  "reactions.get": {
    ...itemRefusals({}),
    file_not_found: { file: "F99NOTHING" },
  },
  "reactions.list": { user_not_found: { user: "U99NOBODY" }, invalid_cursor: { cursor: "!" } },

  "pins.add": {
    ...itemRefusals({}),
    already_pinned: async ({ agent }) => {
      await agent.pins.add(AT_WELCOME);
      return AT_WELCOME;
    },
    not_pinnable: async (scene) => ({ channel: GENERAL, timestamp: await buried(scene) }),
    not_in_channel: async (scene) => ({ channel: await foreign(scene), timestamp: WELCOME }),
    too_many_pins: async ({ sql, schema }) => {
      await sql.unsafe(`
        insert into "${schema}".pins select '${GENERAL}', '1700000000.' || n, '${JOHN}', n
        from generate_series(100001, 100100) n
      `);
      return AT_WELCOME;
    },
  },
  "pins.remove": { ...itemRefusals({}), no_pin: AT_WELCOME },
  "pins.list": { channel_not_found: { channel: NOWHERE } },

  "files.getUploadURLExternal": {
    missing_argument: { filename: "a.txt" },
    file_uploads_disabled: async (scene) => {
      await scene.write("teams", "disable_file_uploads = 'disable_all'");
      return { filename: "a.txt", length: 5 };
    },
    file_type_not_allowed: { filename: "setup.exe", length: 5 },
    unknown_snippet_type: { filename: "a.txt", length: 5, snippet_type: "klingon" },
    alt_txt_too_large: { filename: "a.png", length: 5, alt_txt: "x".repeat(1001) },
    file_upload_size_restricted: { filename: "a.txt", length: 5_000_000 },
    storage_limit_reached: async (scene) => {
      await upload(scene, "agent");
      await scene.write("files", "size = 2000000000");
      return { filename: "a.txt", length: 5 };
    },
  },
  "files.completeUploadExternal": {
    file_not_found: async (scene) => ({ files: [{ id: await upload(scene, "agent") }] }),
    channel_not_found: uploaded({ channel_id: NOWHERE }),
    not_in_channel: async (scene) => ({
      files: [{ id: await upload(scene, "agent", "hello") }],
      channel_id: await foreign(scene),
    }),
    invalid_channel: uploaded({ channel_id: "#general" }),
    channels_limit_exceeded: uploaded({
      channels: Array.from({ length: 101 }, (_, n) => `C${1000 + n}`),
    }),
    invalid_blocks: uploaded({ channel_id: GENERAL, blocks: [{ type: "nonsense" }] }),
    file_update_failed: async (scene) => ({ files: [{ id: await share(scene, "agent") }] }),
    thread_not_found: uploaded({ channel_id: GENERAL, thread_ts: LUNCH }),
    invalid_arguments: { files: [{ name: "no id" }] },
  },
  "files.info": {
    file_not_found: { file: "F99NOTHING" },
    file_deleted: async (scene) => ({ file: await deleted(scene) }),
    not_visible: async (scene) => ({ file: await share(scene, "robin") }),
  },
  "files.list": { user_not_found: { user: "U99NOBODY" }, unknown_type: { types: "paintings" } },
  "files.delete": {
    file_not_found: async (scene) => ({ file: await share(scene, "robin") }),
    file_deleted: async (scene) => ({ file: await deleted(scene) }),
    cant_delete_file: async (scene) => ({ file: await share(scene, "robin", GENERAL) }),
  },

  "usergroups.users.list": { no_such_subteam: { usergroup: "S99NOBODY" } },
  "users.list": {
    invalid_cursor: { cursor: "garbage" },
    limit_required: async ({ sql, schema }) => {
      await sql.unsafe(`
        insert into "${schema}".users
        select (jsonb_populate_record(u, jsonb_build_object('id', 'U9' || n, 'name', 'user' || n))).*
        from "${schema}".users u, generate_series(1, 1000) n where u.id = '${ROBIN}'
      `);
      return {};
    },
  },
  "users.info": {
    user_not_found: { user: "U99NOBODY" },
    user_not_visible: by(GUEST, { user: "U07STRAY" }),
  },
  "users.lookupByEmail": { users_not_found: { email: "gina@acme.test" } },
  "users.conversations": {
    invalid_types: { types: "secret" },
    invalid_cursor: { cursor: "garbage" },
    invalid_limit: { limit: 0 },
    user_not_found: { user: "U99NOBODY" },
  },
  "users.getPresence": { user_not_found: { user: "U99NOBODY" } },
  "users.setPresence": { invalid_presence: { presence: "asleep" } },
  "users.profile.get": { user_not_found: { user: "U99NOBODY" } },
  "users.profile.set": {
    invalid_profile: { profile: "not json" },
    profile_set_failed: { profile: { shoe_size: "43" } },
    too_long: { profile: { status_text: "x".repeat(101) } },
    not_admin: { user: ROBIN, name: "title", value: "Boss" },
    reserved_name: { name: "display_name", value: "Slackbot" },
    must_clear_both_status_text_and_status_emoji: async ({ agent }) => {
      await agent.users.profile.set({
        profile: { status_text: "out", status_emoji: ":palm_tree:" },
      });
      return { profile: { status_text: "" } };
    },
    user_not_found: by(JOHN, { user: "U99NOBODY", name: "title", value: "Boss" }),
    email_taken: by(JOHN, { name: "email", value: "ROBIN@acme.test" }),
    profile_status_set_failed_not_valid_emoji: { name: "status_emoji", value: ":nope:" },
  },
};

/** Puts reactions of the agent on the first message, by a query for their names. */
async function react({ sql, schema }: Scene, names: string): Promise<void> {
  await sql.unsafe(`
    insert into "${schema}".reactions select '${GENERAL}', '${WELCOME}', w.name, '${AGENT}', 1
    from (${names}) w (name)
  `);
}
