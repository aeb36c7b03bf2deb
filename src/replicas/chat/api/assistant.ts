/** Threads with an assistant: their titles, statuses and suggested prompts. */
import { Json, List, Maybe, Text } from "~/replicas/chat/arguments";
import { AUTHOR_ARGS, readAuthor } from "~/replicas/chat/compose";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import { readThreadTs } from "~/replicas/chat/posting";
import { requireMembership } from "~/replicas/chat/require";
import { ASSISTANT_THREAD } from "~/replicas/chat/store/busy-sign";
import { findMessage } from "~/replicas/chat/store/messages";
import { mergeRecord } from "~/replicas/chat/store/records";
import { secondsOf } from "~/source";

const PROMPTS_MAX = 4;
const LOADING_MAX = 10;

/** The thread of a conversation that the caller is in; without `ts`, the conversation itself. */
async function requireThread(call: ChatCall, channel: string, ts: string | undefined) {
  await requireMembership(call, channel, "channel_not_found");
  const root = readThreadTs(ts);
  if (root === null) return channel;
  const message = await findMessage(call.session, call.actor, channel, root);
  if (!message) throw new ChatError("invalid_thread_ts");
  return `${channel} ${message.thread_ts ?? root}`;
}

function readPrompts(given: unknown) {
  const isPrompt = (prompt: unknown) => {
    const { title, message } = (prompt ?? {}) as Record<string, unknown>;
    return (
      typeof title === "string" && title !== "" && typeof message === "string" && message !== ""
    );
  };
  if (!Array.isArray(given) || !given.every(isPrompt) || given.length > PROMPTS_MAX)
    throw invalidArguments(`must be up to ${PROMPTS_MAX} prompts [json-pointer:/prompts]`);
  return given.map(({ title, message }) => ({ title, message }));
}

const THREAD_ARGS = { channel_id: Text(), thread_ts: Text() };

export const assistant = [
  method("assistant.threads.setStatus", {
    tier: 2,
    summary:
      "Sets the status of the assistant. An empty one clears it, as does the assistant's answer.",
    args: {
      ...THREAD_ARGS,
      status: Text(),
      loading_messages: Maybe(List("Shown in turn.")),
      ...AUTHOR_ARGS,
    },
    async handle(
      { channel_id: channel, thread_ts: ts, status, loading_messages: loading, ...author },
      call,
    ) {
      if (loading && loading.length > LOADING_MAX)
        throw invalidArguments(
          `no more than ${LOADING_MAX} items allowed [json-pointer:/loading_messages]`,
        );
      const thread = await requireThread(call, channel, ts);
      const { username, icons } = readAuthor(author);
      const isCleared = status === "";
      await mergeRecord(call.session, ASSISTANT_THREAD, thread, {
        status: isCleared ? null : status,
        loading_messages: isCleared ? null : (loading ?? null),
        username: isCleared ? null : username,
        icons: isCleared ? null : icons,
        user: isCleared ? null : call.actor,
        at: isCleared ? null : secondsOf(call.session.source),
      });
      return {};
    },
  }),

  method("assistant.threads.setTitle", {
    tier: 2,
    summary: "Sets the title of a thread.",
    args: { ...THREAD_ARGS, title: Text() },
    async handle({ channel_id: channel, thread_ts: ts, title }, call) {
      const thread = await requireThread(call, channel, ts);
      await mergeRecord(call.session, ASSISTANT_THREAD, thread, { title: title || null });
      return {};
    },
  }),

  method("assistant.threads.setSuggestedPrompts", {
    tier: 2,
    summary: "Sets up to four suggested prompts.",
    args: {
      channel_id: Text(),
      thread_ts: Maybe(Text()),
      prompts: Json<unknown>("invalid_arguments", "Each with title and message."),
      title: Maybe(Text("The heading above them.")),
    },
    async handle({ channel_id: channel, thread_ts: ts, prompts, title }, call) {
      const suggested = readPrompts(prompts);
      const thread = await requireThread(call, channel, ts);
      await mergeRecord(call.session, ASSISTANT_THREAD, thread, {
        prompts: suggested,
        prompts_title: title || null,
      });
      return {};
    },
  }),
];
