/** Channels in which agents work: their views and sessions. */
import { createHash } from "node:crypto";
import { isObject } from "~/input/json";
import { requireCanvas, writeCanvas } from "~/replicas/chat/api/canvases";
import { archive } from "~/replicas/chat/api/conversations";
import { CONTENT_MAX, Flag, Json, Maybe, Text } from "~/replicas/chat/arguments";
import { toMarkdown } from "~/replicas/chat/canvas";
import { NAME_ARG, requireName } from "~/replicas/chat/channels";
import { AUTHOR_ARGS, readAuthor, readBlocks } from "~/replicas/chat/compose";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import {
  refuseDirect,
  requireFullMember,
  requireMembership,
  requireMessage,
  requireUser,
} from "~/replicas/chat/require";
import { insertChannel } from "~/replicas/chat/store/channels";
import { deleteRecord, findRecord, listRecords, mergeRecord } from "~/replicas/chat/store/records";
import { present } from "~/replicas/chat/views/wire";
import { secondsOf, uuid } from "~/source";

const CHANNEL = "agent_channel";
const VIEW = "agent_view";
const SESSION = "agent_session";
const COMMANDS_MAX = 100;
const KEY_MAX = 60;

const WHICH_ARGS = { channel_id: Text() };
const THREAD_ARG = { thread_ts: Maybe(Text("One thread of it.")) };

/** The key of a session: a channel, or one thread of it. */
async function requireSession(call: ChatCall, channel: string, thread: string | undefined) {
  await requireMembership(call, channel);
  if (!thread) return channel;
  const message = await requireMessage(call, channel, thread, "invalid_thread_ts");
  return `${channel} ${message.thread_ts ?? message.ts}`;
}

/** A view is keyed by the agent's name for it, or by a generated one. */
const viewIdOf = (channel: string, key: string) =>
  `V${createHash("md5").update(`${channel} ${key}`).digest("hex").slice(0, 10).toUpperCase()}`;

export const agents = [
  method("agents.conversations.create", {
    tier: 3,
    summary: "Creates a channel for a session of an agent.",
    args: {
      name: NAME_ARG,
      is_private: Maybe(Flag()),
      session_id: Maybe(Text("The session of the channel.")),
      origin_channel_id: Maybe(Text("The channel where the session began.")),
      origin_message_ts: Maybe(Text()),
      team_id: Maybe(Text()),
    },
    async handle({ name: given, is_private: isPrivate = false, ...origin }, call) {
      const name = requireName(given);
      await requireFullMember(call);
      const { origin_channel_id: from, origin_message_ts: ts, session_id: session } = origin;
      if (from && ts) await requireMessage(call, from, ts);
      else if (from) await requireMembership(call, from);
      const id = newId(call.session, "C");
      await call.session.transaction(async (inside) => {
        const channel = { id, name, isPrivate, creator: call.actor };
        if (!(await insertChannel(inside, channel))) throw new ChatError("name_taken");
        await mergeRecord(inside, CHANNEL, id, {
          session_id: session || null,
          origin_channel_id: from || null,
          origin_message_ts: ts || null,
        });
      });
      return { channel_id: id };
    },
  }),

  method("agents.conversations.archive", {
    tier: 3,
    summary: "Archives the channel of a session.",
    args: { ...WHICH_ARGS, summary_message_ts: Maybe(Text("The message with a summary.")) },
    async handle({ channel_id: id, summary_message_ts: summary }, call) {
      const channel = await requireMembership(call, id);
      refuseDirect(channel);
      if (channel.is_general) throw new ChatError("cant_archive_general");
      if (summary) await requireMessage(call, id, summary);
      await call.session.transaction(async (session) => {
        await archive({ ...call, session }, channel, true);
        if (summary) await mergeRecord(session, CHANNEL, id, { summary_message_ts: summary });
      });
      return {};
    },
  }),

  method("agents.conversations.setProperties", {
    tier: 3,
    summary: "Sets the properties of a session's channel.",
    args: {
      ...WHICH_ARGS,
      code_channel: Maybe(Json<unknown>("invalid_arguments", "The contents of its bar.")),
      agent_resource: Maybe(
        Json<unknown>("invalid_arguments", "The resource that the agent works on."),
      ),
    },
    async handle({ channel_id: id, code_channel: code, agent_resource: resource }, call) {
      for (const given of [code, resource])
        if (given !== undefined && !isObject(given))
          throw invalidArguments("must be valid properties [json-pointer:/code_channel]");
      await requireMembership(call, id);
      const properties = present({ code_channel: code, agent_resource: resource });
      await mergeRecord(call.session, CHANNEL, id, properties);
      return { channel_id: id };
    },
  }),

  method("agents.conversations.setCommands", {
    tier: 3,
    summary: "Replaces the agent's commands in a channel.",
    args: { ...WHICH_ARGS, commands: Json<unknown>("invalid_arguments", "Each with a name.") },
    async handle({ channel_id: id, commands }, call) {
      const isValid =
        Array.isArray(commands) &&
        commands.length <= COMMANDS_MAX &&
        commands.every((command) => isObject(command) && typeof command["name"] === "string");
      if (!isValid) throw invalidArguments("must be valid commands [json-pointer:/commands]");
      await requireMembership(call, id);
      await mergeRecord(call.session, CHANNEL, id, { commands });
      return { channel_id: id, command_count: commands.length };
    },
  }),

  method("agents.conversations.setView", {
    tier: 3,
    summary: "Adds or changes a view of a channel.",
    args: {
      ...WHICH_ARGS,
      type: Maybe(Text("blocks, canvas, html, pull_request …")),
      view_key: Maybe(Text("The key of a view to change; a new view by default.")),
      name: Maybe(Text()),
      content: Maybe(Text(undefined, { max: CONTENT_MAX })),
      blocks: Maybe(Json<unknown>("invalid_blocks_format")),
      canvas_id: Maybe(Text()),
      access_level: Maybe(Text()),
      agent_content_hash: Maybe(Text()),
      pr_url: Maybe(Text()),
      base_branch: Maybe(Text()),
      head_branch: Maybe(Text()),
      csp: Maybe(Json<unknown>("invalid_arguments", "The hosts that its content may connect to.")),
    },
    async handle({ channel_id: channel, view_key: given, blocks, ...shown }, call) {
      if ((given?.length ?? 0) > KEY_MAX) throw invalidArguments("view_key is too long");
      await requireMembership(call, channel);
      if (shown.canvas_id) await requireCanvas(call, shown.canvas_id, "read");
      const key = given || uuid(call.session.source);
      const record = `${channel} ${key}`;
      const known = await findRecord(call.session, VIEW, record);
      const view = {
        ...shown,
        blocks: readBlocks(call.session, blocks) ?? null,
        view_key: key,
        view_id: viewIdOf(channel, key),
        file_id: known?.["file_id"] ?? newId(call.session, "F"),
        content_version: Number(known?.["content_version"] ?? 0) + 1,
        date_added: known?.["date_added"] ?? secondsOf(call.session.source),
      };
      await mergeRecord(call.session, VIEW, record, view);
      return present({
        channel_id: channel,
        view_id: view.view_id,
        type: shown.type ?? "blocks",
        canvas_id: shown.canvas_id,
        file_id: view.file_id,
        content_version: view.content_version,
      });
    },
  }),

  method("agents.conversations.listViews", {
    tier: 3,
    summary: "Lists the views of a channel by id.",
    args: WHICH_ARGS,
    async handle({ channel_id: channel }, call) {
      await requireMembership(call, channel);
      const views = await listRecords(call.session, VIEW, `${channel} `);
      return {
        views: views.map(({ data }) =>
          present({
            view_id: data["view_id"],
            view_key: data["view_key"],
            label: data["name"] ?? data["view_key"],
            file_id: data["file_id"],
            content_version: data["content_version"],
            date_added: data["date_added"],
          }),
        ),
      };
    },
  }),

  method("agents.conversations.removeView", {
    tier: 3,
    summary: "Removes a view of a channel.",
    args: { ...WHICH_ARGS, view_key: Maybe(Text()), view_id: Maybe(Text("Instead of view_key.")) },
    async handle({ channel_id: channel, view_key: key, view_id: id }, call) {
      if (!key && !id) throw invalidArguments("missing required field: view_key");
      await requireMembership(call, channel);
      const views = await listRecords(call.session, VIEW, `${channel} `);
      const view = views.find(
        ({ data }) => (key && data["view_key"] === key) || (id && data["view_id"] === id),
      );
      if (!view || !(await deleteRecord(call.session, VIEW, view.id)))
        throw new ChatError("view_not_found");
      return { channel_id: channel, view_id: view.data["view_id"] };
    },
  }),

  method("agents.conversations.getCanvas", {
    tier: 3,
    summary: "Reads a canvas as Markdown.",
    limits: "Canvases have no comments.",
    args: {
      channel: Text(),
      canvas_id: Text(),
      content_format: Maybe(Text("markdown")),
      include_resolved: Maybe(Flag("Include resolved comments.")),
    },
    async handle({ channel, canvas_id: id, content_format: format = "markdown" }, call) {
      if (format !== "markdown")
        throw invalidArguments("must be markdown [json-pointer:/content_format]");
      await requireMembership(call, channel);
      const { title, sections } = await requireCanvas(call, id, "read");
      return {
        canvas_id: id,
        title,
        content: toMarkdown(sections),
        comments: [],
        has_more_comments: false,
      };
    },
  }),

  method("agents.conversations.setCanvasContent", {
    tier: 3,
    summary: "Replaces the content of a canvas.",
    args: {
      channel: Text(),
      canvas_id: Text(),
      content: Text("Markdown.", { max: CONTENT_MAX, tooLong: "canvas_editing_failed" }),
    },
    async handle({ channel, canvas_id: id, content }, call) {
      await requireMembership(call, channel);
      const change = { operation: "replace", markdown: content };
      const sections = await writeCanvas(call, id, [change]);
      return { canvas_id: id, sections_changed_count: sections.length };
    },
  }),

  method("agents.sessions.setStatus", {
    tier: 3,
    summary: "Sets the status of an agent's session.",
    args: {
      ...WHICH_ARGS,
      status: Text(),
      ...THREAD_ARG,
      title: Maybe(Text()),
      initiator_user_id: Maybe(Text("The user who asked for it.")),
      ...AUTHOR_ARGS,
    },
    async handle(
      { channel_id: channel, status, thread_ts: thread, title, initiator_user_id: by, ...author },
      call,
    ) {
      const session = await requireSession(call, channel, thread);
      if (by) await requireUser(call, by);
      const { username, icons } = readAuthor(author);
      await mergeRecord(call.session, SESSION, session, {
        status,
        ...(title === undefined ? {} : { title }),
        ...(by ? { initiator_user_id: by } : {}),
        ...(username ? { username } : {}),
        ...(icons ? { icons } : {}),
      });
      const kept = await findRecord(call.session, SESSION, session);
      return present({ status, agent_status: status, title: kept?.["title"] });
    },
  }),

  method("agents.sessions.rename", {
    tier: 3,
    summary: "Sets the title of an agent's session.",
    args: { ...WHICH_ARGS, title: Text(), ...THREAD_ARG },
    async handle({ channel_id: channel, title, thread_ts: thread }, call) {
      const session = await requireSession(call, channel, thread);
      await mergeRecord(call.session, SESSION, session, { title });
      return { title };
    },
  }),
];
