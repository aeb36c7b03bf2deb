import { GENERAL, GONE, GUEST, HELLO, JOHN, LUNCH, RANDOM, type Scene, WELCOME } from "../scene";
import { by, type Case, type Refusals } from "./case";

export const soon = () => Math.floor(Date.now() / 1000) + 3600;

/** A channel that only robin is in. */
export async function foreign({ robin }: Scene, isPrivate = false): Promise<string> {
  const { channel } = await robin.conversations.create({ name: "foreign", is_private: isPrivate });
  return channel?.id ?? "";
}

/** A channel of the agent that is archived. */
export async function archived({ agent }: Scene): Promise<string> {
  const { channel } = await agent.conversations.create({ name: "old" });
  await agent.conversations.archive({ channel: channel?.id ?? "" });
  return channel?.id ?? "";
}

const LONG = "x".repeat(40_001);
const BAD_BLOCKS = [{ type: "section", text: { type: "mrkdwn" } }];
const MANY = Array.from({ length: 101 }, () => ({ text: "x" }));

/** Rejections of every method that posts, in addition to `args`. */
function postingRefusals(args: object): Readonly<Record<string, Case>> {
  const say = { channel: GENERAL, text: "hi", ...args };
  return {
    channel_not_found: async (scene) => ({ ...say, channel: await foreign(scene, true) }),
    not_in_channel: async (scene) => ({ ...say, channel: await foreign(scene) }),
    is_archived: async (scene) => ({ ...say, channel: await archived(scene) }),
    no_text: { ...say, text: "" },
    msg_too_long: { ...say, text: LONG },
  };
}

const contentRefusals = (args: object): Readonly<Record<string, Case>> => ({
  invalid_blocks: { ...args, blocks: BAD_BLOCKS },
  invalid_blocks_format: { ...args, blocks: "no blocks" },
  invalid_attachments: { ...args, attachments: ["no attachment"] },
  too_many_attachments: { ...args, attachments: MANY },
  markdown_text_conflict: { ...args, text: "hi", markdown_text: "**hi**" },
});

export const chatRefusals: Refusals = {
  "chat.postMessage": {
    ...postingRefusals({}),
    ...contentRefusals({ channel: GENERAL }),
    restricted_action: async (scene) => {
      await scene.write("teams", "who_can_post_general = 'admin'");
      return { channel: GENERAL, text: "hi" };
    },
    cannot_reply_to_message: async ({ agent }) => {
      await agent.conversations.setTopic({ channel: GENERAL, topic: "new" });
      const { messages } = await agent.conversations.history({ channel: GENERAL, limit: 1 });
      return { channel: GENERAL, text: "hi", thread_ts: messages?.[0]?.ts };
    },
    restricted_action_thread_locked: async (scene) => {
      await scene.write("messages", `extra = '{"is_locked": true}'`, `ts = '${WELCOME}'`);
      return { channel: GENERAL, text: "hi", thread_ts: WELCOME };
    },
    thread_not_found: { channel: GENERAL, text: "hi", thread_ts: LUNCH },
    invalid_thread_ts: { channel: GENERAL, text: "hi", thread_ts: "yesterday" },
    invalid_metadata_format: { channel: GENERAL, text: "hi", metadata: { event_type: 1 } },
    metadata_too_large: {
      channel: GENERAL,
      text: "hi",
      metadata: { event_type: "big", event_payload: { data: "x".repeat(17_000) } },
    },
    message_limit_exceeded: async (scene) => {
      await scene.write("teams", "message_limit = 3");
      return { channel: GENERAL, text: "hi" };
    },
    account_inactive: by(GONE, { channel: GENERAL, text: "hi" }),
    invalid_auth: by("U99NOBODY", { channel: GENERAL, text: "hi" }),
    invalid_arguments: { text: "to nobody" },
  },

  "chat.update": {
    message_not_found: { channel: GENERAL, ts: "1767603600.000101", text: "hi" },
    cant_update_message: { channel: GENERAL, ts: WELCOME, text: "hi" },
    channel_not_found: { channel: "C99NOWHERE", ts: LUNCH, text: "hi" },
    edit_window_closed: async (scene) => {
      await scene.write("teams", "msg_edit_window_mins = 5");
      return { channel: RANDOM, ts: LUNCH, text: "hi" };
    },
    no_text: { channel: RANDOM, ts: LUNCH, text: "", blocks: [] },
    msg_too_long: { channel: RANDOM, ts: LUNCH, text: LONG },
    invalid_blocks: { channel: RANDOM, ts: LUNCH, blocks: BAD_BLOCKS },
    invalid_blocks_format: { channel: RANDOM, ts: LUNCH, blocks: "{" },
    invalid_attachments: { channel: RANDOM, ts: LUNCH, attachments: [1] },
    too_many_attachments: { channel: RANDOM, ts: LUNCH, attachments: MANY },
    is_inactive: async ({ john }) => {
      await john.conversations.archive({ channel: RANDOM });
      return { channel: RANDOM, ts: LUNCH, text: "hi" };
    },
    markdown_text_conflict: { channel: RANDOM, ts: LUNCH, text: "hi", markdown_text: "hi" },
    file_not_found: { channel: RANDOM, ts: LUNCH, file_ids: ["F99NOTHING"] },
    invalid_metadata_format: { channel: RANDOM, ts: LUNCH, metadata: { event_payload: {} } },
  },

  "chat.delete": {
    message_not_found: { channel: GENERAL, ts: "1767603600.000101" },
    cant_delete_message: { channel: GENERAL, ts: WELCOME },
    channel_not_found: async (scene) => {
      const channel = await foreign(scene, true);
      const { ts } = await scene.robin.chat.postMessage({ channel, text: "mine" });
      return { channel, ts };
    },
  },

  "chat.postEphemeral": {
    ...postingRefusals({ user: JOHN }),
    ...contentRefusals({ channel: GENERAL, user: JOHN }),
    user_not_in_channel: { channel: RANDOM, user: GUEST, text: "hi" },
    restricted_action: async (scene) => {
      await scene.write("teams", "who_can_post_general = 'owner'");
      return { channel: GENERAL, user: JOHN, text: "hi" };
    },
  },

  "chat.meMessage": postingRefusals({}),

  "chat.getPermalink": {
    channel_not_found: { channel: "C99NOWHERE", message_ts: HELLO },
    message_not_found: { channel: GENERAL, message_ts: LUNCH },
  },

  "chat.scheduleMessage": {
    ...postingRefusals({ post_at: soon() }),
    ...contentRefusals({ channel: GENERAL, post_at: soon() }),
    time_in_past: { channel: GENERAL, text: "hi", post_at: 1_700_000_000 },
    time_too_far: { channel: GENERAL, text: "hi", post_at: soon() + 121 * 86_400 },
    invalid_time: { channel: GENERAL, text: "hi", post_at: "tomorrow" },
    restricted_too_many: async ({ agent }) => {
      const post_at = soon();
      for (let n = 0; n < 30; n++)
        await agent.chat.scheduleMessage({ channel: GENERAL, text: `${n}`, post_at: post_at + n });
      return { channel: GENERAL, text: "hi", post_at: post_at + 100 };
    },
    thread_not_found: { channel: GENERAL, text: "hi", post_at: soon(), thread_ts: LUNCH },
  },

  "chat.deleteScheduledMessage": {
    invalid_scheduled_message_id: async ({ robin }) => {
      const scheduled = await robin.chat.scheduleMessage({
        channel: GENERAL,
        text: "of somebody else",
        post_at: soon(),
      });
      return { channel: GENERAL, scheduled_message_id: scheduled.scheduled_message_id };
    },
    channel_not_found: { channel: "C99NOWHERE", scheduled_message_id: "Q1" },
  },

  "chat.scheduledMessages.list": {
    invalid_channel: { channel: "nowhere" },
    invalid_cursor: { cursor: "garbage" },
    invalid_limit: { limit: 0 },
  },

  "auth.test": { account_inactive: by(GONE, {}), invalid_auth: by("U99NOBODY", {}) },
  "bots.info": { bot_not_found: { bot: "B99NOBODY" } },
  "team.info": { team_not_found: { team: "T99OTHER" } },
};
