/** Answers hold no field that the official client's types do not know. */
import { expect, test } from "bun:test";
import { METHODS } from "~/replicas/chat/api/index";
import { AGENT, BOT, GENERAL, HELLO, JOHN, ROBIN, type Scene, useScenes, WELCOME } from "./scene";
import { unknownFields } from "./shapes";

const newScene = useScenes();

/** A bit of everything. */
async function fill({ agent, bot, robin }: Scene): Promise<void> {
  await agent.chat.postMessage({
    channel: GENERAL,
    text: "hi",
    blocks: [{ type: "section", text: { type: "mrkdwn", text: "hi" } }],
    attachments: [{ text: "more", title: "More", color: "#ff0000" }],
    metadata: { event_type: "e", event_payload: {} },
  });
  await bot.chat.postMessage({
    channel: GENERAL,
    text: "built",
    username: "CI",
    icon_emoji: ":gear:",
  });
  await robin.chat.postMessage({
    channel: GENERAL,
    thread_ts: WELCOME,
    text: "re",
    reply_broadcast: true,
  });
  await agent.pins.add({ channel: GENERAL, timestamp: WELCOME });
  await agent.reactions.add({ channel: GENERAL, timestamp: WELCOME, name: "tada" });
  await agent.conversations.setTopic({ channel: GENERAL, topic: "new" });
  await agent.files.uploadV2({ channel_id: GENERAL, filename: "a.txt", content: "a" } as never);
  await agent.conversations.open({ users: JOHN });
  await agent.conversations.open({ users: `${JOHN},${ROBIN}` });
  await agent.chat.scheduleMessage({
    channel: GENERAL,
    text: "later",
    post_at: Math.floor(Date.now() / 1000) + 60,
  });
}

const EVERYTHING = { types: "public_channel,private_channel,im,mpim" };

const CALLS: readonly (readonly [string, object])[] = [
  ["auth.test", {}],
  ["bots.info", { bot: "B06BOT" }],
  ["chat.postMessage", { channel: GENERAL, text: "hi", thread_ts: HELLO, reply_broadcast: true }],
  ["chat.postEphemeral", { channel: GENERAL, user: JOHN, text: "hi" }],
  ["chat.meMessage", { channel: GENERAL, text: "hi" }],
  ["chat.getPermalink", { channel: GENERAL, message_ts: HELLO }],
  ["chat.scheduledMessages.list", {}],
  ["conversations.list", EVERYTHING],
  ["conversations.info", { channel: GENERAL, include_num_members: true, include_locale: true }],
  ["conversations.create", { name: "shapes" }],
  ["conversations.join", { channel: GENERAL }],
  ["conversations.members", { channel: GENERAL }],
  ["conversations.open", { users: JOHN, return_im: true }],
  ["conversations.open", { users: `${JOHN},${BOT}`, return_im: true }],
  ["conversations.history", { channel: GENERAL, include_all_metadata: true, latest: "4000000000" }],
  ["conversations.replies", { channel: GENERAL, ts: WELCOME }],
  ["conversations.setPurpose", { channel: GENERAL, purpose: "x" }],
  ["conversations.setTopic", { channel: GENERAL, topic: "x" }],
  ["emoji.list", { include_categories: true }],
  ["files.getUploadURLExternal", { filename: "a", length: 1 }],
  ["files.list", {}],
  ["pins.list", { channel: GENERAL }],
  ["reactions.get", { channel: GENERAL, timestamp: WELCOME }],
  ["reactions.list", {}],
  ["team.info", {}],
  ["usergroups.list", { include_users: true, include_count: true }],
  ["users.list", { include_locale: true }],
  ["users.info", { user: ROBIN }],
  ["users.lookupByEmail", { email: "john@acme.test" }],
  ["users.conversations", EVERYTHING],
  ["users.getPresence", { user: AGENT }],
  ["users.profile.get", {}],
  ["users.profile.set", { name: "title", value: "x" }],
];

test.each(CALLS)("%s %j", async (method, args) => {
  const scene = await newScene();
  await fill(scene);

  const answer = await scene.agent.apiCall(method, { ...args });

  expect(METHODS.has(method)).toBe(true);
  expect([...new Set(unknownFields(answer))]).toEqual([]);
});
