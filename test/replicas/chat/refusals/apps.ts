/** Blocks, canvases, streams, unfurls, views and assistants. */
import {
  AGENT,
  BOT,
  GENERAL,
  GUEST,
  JOHN,
  LUNCH,
  RANDOM,
  ROBIN,
  type Scene,
  WELCOME,
} from "../scene";
import { by, type Case, type Refusals } from "./case";
import { archived, foreign } from "./chat";

const NOWHERE = "C99NOWHERE";
const NO_CANVAS = "F99NOTHING";
const markdown = (text: string) => ({ type: "markdown", markdown: text });

/** A canvas of robin's, which the agent may read. */
async function readable({ robin }: Scene): Promise<string> {
  const { canvas_id: id = "" } = await robin.canvases.create({ title: "Plans" });
  await robin.canvases.access.set({
    canvas_id: id,
    access_level: "read",
    user_ids: ["U01AGENTONE"],
  });
  return id;
}

async function written({ agent }: Scene): Promise<string> {
  const { canvas_id: id = "" } = await agent.canvases.create({
    document_content: markdown("# A") as never,
  });
  return id;
}

const ofCanvas =
  (args: object): Case =>
  async (scene) => ({ canvas_id: await written(scene), ...args });

const accessRefusals = (level: object): Readonly<Record<string, Case>> => ({
  canvas_not_found: { canvas_id: NO_CANVAS, ...level, user_ids: [JOHN] },
  channel_not_found: ofCanvas({ ...level, channel_ids: [NOWHERE] }),
  user_not_found: ofCanvas({ ...level, user_ids: ["U99NOBODY"] }),
  invalid_parameters: ofCanvas({ ...level, user_ids: [JOHN], channel_ids: [GENERAL] }),
  restricted_action: async (scene) => ({
    canvas_id: await readable(scene),
    ...level,
    user_ids: [JOHN],
  }),
});

const append = { operation: "insert_at_end", document_content: markdown("x") };

const stream = {
  channel: GENERAL,
  thread_ts: WELCOME,
  recipient_user_id: JOHN,
  recipient_team_id: "T01ACMECORP",
};

async function streaming({ agent }: Scene) {
  const { channel, ts } = await agent.chat.startStream(stream);
  return { channel, ts };
}

const streamRefusals = (args: object): Readonly<Record<string, Case>> => ({
  message_not_found: { channel: GENERAL, ts: LUNCH, ...args },
  message_not_in_streaming_state: { channel: RANDOM, ts: LUNCH, ...args },
  message_not_owned_by_app: { channel: GENERAL, ts: WELCOME, ...args },
  channel_not_found: { channel: NOWHERE, ts: LUNCH, ...args },
});

const card = { "https://acme.test/1": { title: "One" } };

async function linked({ agent }: Scene) {
  const { ts } = await agent.chat.postMessage({
    channel: GENERAL,
    text: "see https://acme.test/1",
  });
  return { channel: GENERAL, ts };
}

const text = (words: string) => ({ type: "plain_text", text: words });
export const modal = { type: "modal", title: text("Ask"), blocks: [] };
export const home = { type: "home", blocks: [] };
const tooLarge = Array.from({ length: 100 }, () => ({
  type: "section",
  text: { type: "mrkdwn", text: "x".repeat(3_000) },
}));

async function taken({ agent, trigger }: Scene) {
  await agent.views.open({
    trigger_id: await trigger(),
    view: { ...modal, external_id: "mine" } as never,
  });
  return { external_id: "mine" };
}

const threadRefusals = (args: object): Readonly<Record<string, Case>> => ({
  channel_not_found: { channel_id: NOWHERE, thread_ts: WELCOME, ...args },
  invalid_thread_ts: { channel_id: GENERAL, thread_ts: LUNCH, ...args },
});

export const appsRefusals: Refusals = {
  "blocks.validate": {
    invalid_blocks: { blocks: "no blocks" },
    invalid_arguments: {},
  },

  "canvases.create": {
    canvas_creation_failed: { document_content: { type: "html", html: "<p>" } },
    restricted_action: by(GUEST, { title: "Plans" }),
    channel_canvas_already_exists: async ({ agent }) => {
      await agent.conversations.canvases.create({ channel_id: GENERAL });
      return { channel_id: GENERAL };
    },
  },
  "conversations.canvases.create": {
    channel_canvas_already_exists: async ({ robin }) => {
      await robin.conversations.canvases.create({ channel_id: GENERAL });
      return { channel_id: GENERAL };
    },
    canvas_creation_failed: async (scene) => ({ channel_id: await archived(scene) }),
    channel_not_found: { channel_id: NOWHERE },
    restricted_action: async (scene) => ({ channel_id: await foreign(scene) }),
  },
  "canvases.edit": {
    canvas_not_found: { canvas_id: NO_CANVAS, changes: [append] },
    canvas_editing_failed: ofCanvas({ changes: [{ ...append, operation: "insert_after" }] }),
    restricted_action: async (scene) => ({ canvas_id: await readable(scene), changes: [append] }),
    invalid_arguments: ofCanvas({ changes: {} }),
  },
  "canvases.delete": {
    canvas_not_found: { canvas_id: NO_CANVAS },
    restricted_action: async (scene) => ({ canvas_id: await readable(scene) }),
  },
  "canvases.access.set": accessRefusals({ access_level: "read" }),
  "canvases.access.delete": accessRefusals({}),
  "canvases.sections.lookup": {
    canvas_not_found: { canvas_id: NO_CANVAS, criteria: { contains_text: "x" } },
    canvas_deleted: async (scene) => {
      const id = await written(scene);
      await scene.agent.canvases.delete({ canvas_id: id });
      return { canvas_id: id, criteria: { contains_text: "x" } };
    },
    invalid_arguments: ofCanvas({ criteria: { section_types: ["h9"] } }),
  },

  "chat.startStream": {
    channel_not_found: { ...stream, channel: NOWHERE },
    not_in_channel: async (scene) => {
      const channel = await foreign(scene);
      const { ts } = await scene.robin.chat.postMessage({ channel, text: "root" });
      return { ...stream, channel, thread_ts: ts };
    },
    missing_recipient_user_id: { ...stream, recipient_user_id: "" },
    missing_recipient_team_id: { ...stream, recipient_team_id: "" },
    invalid_chunks: { ...stream, chunks: [{ type: "video" }] },
    no_text: { ...stream, chunks: [] },
    user_not_found: { ...stream, recipient_user_id: "U99NOBODY" },
    thread_not_found: { ...stream, thread_ts: LUNCH },
  },
  "chat.appendStream": {
    ...streamRefusals({ markdown_text: "x" }),
    invalid_chunks: async (scene) => ({
      ...(await streaming(scene)),
      chunks: [{ type: "task_update" }],
    }),
    no_text: async (scene) => await streaming(scene),
  },
  "chat.stopStream": {
    ...streamRefusals({}),
    invalid_blocks: async (scene) => ({
      ...(await streaming(scene)),
      blocks: [{ type: "section" }],
    }),
  },

  "chat.unfurl": {
    cannot_find_channel: { channel: NOWHERE, ts: WELCOME, unfurls: card },
    cannot_find_message: { channel: GENERAL, ts: LUNCH, unfurls: card },
    cannot_unfurl_url: async (scene) => ({
      ...(await linked(scene)),
      unfurls: { "https://other.test": { title: "Other" } },
    }),
    invalid_unfurls_format: { channel: GENERAL, ts: WELCOME, unfurls: ["x"] },
    missing_unfurls: { channel: GENERAL, ts: WELCOME },
    missing_channel: { ts: WELCOME, unfurls: card },
    missing_ts: { channel: GENERAL, unfurls: card },
  },

  "views.publish": {
    hash_conflict: { user_id: ROBIN, view: home, hash: "1.old" },
    view_too_large: { user_id: ROBIN, view: { ...home, blocks: tooLarge } },
    duplicate_external_id: async (scene) => ({
      user_id: ROBIN,
      view: { ...home, ...(await taken(scene)) },
    }),
    not_enabled: by(BOT, { user_id: ROBIN, view: home }),
    invalid_arguments: { user_id: ROBIN, view: modal },
    user_not_found: { user_id: "U99NOBODY", view: home },
  },
  "views.open": {
    invalid_trigger_id: { trigger_id: "1700000000.1.abc", view: modal },
    expired_trigger_id: async ({ trigger }) => ({
      trigger_id: await trigger(AGENT, 0.001),
      view: modal,
    }),
    exchanged_trigger_id: async ({ agent, trigger }) => {
      const once = { trigger_id: await trigger(), view: modal };
      await agent.views.open(once as never);
      return once;
    },
    view_too_large: { trigger_id: "any", view: { ...modal, blocks: tooLarge } },
    invalid_arguments: { trigger_id: "any", view: { type: "modal", blocks: [] } },
    duplicate_external_id: async (scene) => ({
      trigger_id: await scene.trigger(),
      view: { ...modal, ...(await taken(scene)) },
    }),
  },
  "views.push": {
    invalid_trigger_id: { trigger_id: "", view: modal },
    not_found: async ({ trigger }) => ({ trigger_id: await trigger(), view: modal }),
    push_limit_reached: async ({ agent, trigger }) => {
      await agent.views.open({ trigger_id: await trigger(), view: modal as never });
      for (let n = 0; n < 2; n++)
        await agent.views.push({ trigger_id: await trigger(), view: modal as never });
      return { trigger_id: await trigger(), view: modal };
    },
  },
  "views.update": {
    not_found: { view_id: "V99NOTHING", view: modal },
    hash_conflict: async (scene) => ({ ...(await taken(scene)), view: modal, hash: "1.old" }),
    duplicate_external_id: async (scene) => {
      await taken(scene);
      const { view } = await scene.agent.views.open({
        trigger_id: await scene.trigger(),
        view: modal as never,
      });
      return { view_id: view?.id, view: { ...modal, external_id: "mine" } };
    },
    invalid_arguments: { view: modal },
  },

  "assistant.threads.setStatus": threadRefusals({ status: "is thinking" }),
  "assistant.threads.setTitle": threadRefusals({ title: "Tea" }),
  "assistant.threads.setSuggestedPrompts": {
    ...threadRefusals({ prompts: [{ title: "Tea", message: "Make tea" }] }),
    invalid_arguments: { channel_id: GENERAL, prompts: [{ title: "Tea" }] },
  },
};
