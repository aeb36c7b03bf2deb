import { Choice, Json, Maybe, Text } from "~/replicas/chat/arguments";
import {
  appendChunks,
  type Chunk,
  finishText,
  readChunks,
  type Streamed,
} from "~/replicas/chat/chunks";
import {
  AUTHOR_ARGS,
  MARKDOWN_TEXT,
  METADATA_ARG,
  readAuthor,
  readBlocks,
  readMetadata,
} from "~/replicas/chat/compose";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, type ChatSession, method } from "~/replicas/chat/method";
import { PLAIN, post, readThreadTs } from "~/replicas/chat/posting";
import { requireActor, requireChannel, requireUser } from "~/replicas/chat/require";
import { STREAMING } from "~/replicas/chat/store/busy-sign";
import { lockStream, updateStream } from "~/replicas/chat/store/editing";
import { findMessage } from "~/replicas/chat/store/messages";
import { messageView } from "~/replicas/chat/views/messages";

const STREAM_ARGS = {
  markdown_text: Maybe(Text("Text in Markdown.", MARKDOWN_TEXT)),
  chunks: Maybe(
    Json<unknown>("invalid_chunks", "Chunks of text, tasks, a plan, or blocks, in their order."),
  ),
};
const WHICH_ARGS = { channel: Text(), ts: Text("Timestamp of the streamed message.") };

/** In a channel, a stream is for one named person. */
async function requireRecipient(
  call: ChatCall,
  channel: string,
  { recipient_user_id: user, recipient_team_id: team }: Recipient,
) {
  const { is_im: isDirect } = await requireChannel(call, channel);
  if (user) await requireUser(call, user);
  if (isDirect) return;
  if (!user) throw new ChatError("missing_recipient_user_id");
  if (!team) throw new ChatError("missing_recipient_team_id");
}
type Recipient = { recipient_user_id?: string; recipient_team_id?: string };

/** The caller's own stream that has not ended, locked. */
async function requireStream(session: ChatSession, actor: string, channel: string, ts: string) {
  const stream = await lockStream(session, channel, ts);
  if (!stream) throw new ChatError("message_not_found");
  if (stream.user_id !== actor) throw new ChatError("message_not_owned_by_app");
  if (stream.state !== STREAMING) throw new ChatError("message_not_in_streaming_state");
  return stream;
}

const append = (session: ChatSession, stream: Streamed, chunks: readonly Chunk[] = []) =>
  appendChunks(session, stream, chunks);

export const chatStreams = [
  method("chat.startStream", {
    tier: 2,
    summary: "Starts a streamed reply.",
    args: {
      channel: Text(),
      thread_ts: Text("Timestamp of the message to reply to."),
      ...STREAM_ARGS,
      recipient_user_id: Maybe(Text("In a channel: the recipient.")),
      recipient_team_id: Maybe(Text()),
      task_display_mode: Maybe(Choice("timeline", "plan")),
      ...AUTHOR_ARGS,
    },
    async handle(args, call) {
      const chunks = readChunks(args);
      if (chunks?.length === 0) throw new ChatError("no_text");
      const threadTs = readThreadTs(args.thread_ts);
      await requireRecipient(call, args.channel, args);
      const { text, blocks } = append(call.session, { text: "", blocks: [] }, chunks);
      const { ts, channel_id: channel } = await post(call, args.channel, {
        ...PLAIN,
        ...readAuthor(args),
        text,
        blocks: blocks.length > 0 ? blocks : null,
        threadTs,
        extra: {
          streaming_state: STREAMING,
          ...(args.task_display_mode ? { task_display_mode: args.task_display_mode } : {}),
        },
      });
      return { channel, ts };
    },
  }),

  method("chat.appendStream", {
    tier: 2,
    summary: "Appends to a streamed reply.",
    args: { ...WHICH_ARGS, ...STREAM_ARGS },
    async handle({ channel, ts, ...given }, call) {
      const chunks = readChunks(given);
      if (!chunks?.length) throw new ChatError("no_text");
      await requireChannel(call, channel);
      await call.session.transaction(async (session) => {
        const stream = await requireStream(session, call.actor, channel, ts);
        await updateStream(session, channel, ts, {
          ...append(session, stream, chunks),
          metadata: undefined,
          extra: {},
        });
      });
      return { channel, ts };
    },
  }),

  method("chat.stopStream", {
    tier: 2,
    summary: "Ends a streamed reply; blocks are appended to it.",
    args: {
      ...WHICH_ARGS,
      ...STREAM_ARGS,
      blocks: Maybe(Json<unknown>("invalid_blocks", "Blocks to append.")),
      ...METADATA_ARG,
      session_status: Maybe(Text("The new status of the agent's session.")),
    },
    async handle({ channel, ts, session_status: status, ...given }, call) {
      const chunks = readChunks(given) ?? [];
      const last = readBlocks(call.session, given.blocks);
      const metadata = readMetadata(given.metadata);
      await requireActor(call);
      await requireChannel(call, channel);
      await call.session.transaction(async (session) => {
        const stream = await requireStream(session, call.actor, channel, ts);
        const ending: Chunk[] = last ? [{ type: "blocks", blocks: last }] : [];
        const { text, blocks } = append(session, stream, [...chunks, ...ending]);
        await updateStream(session, channel, ts, {
          text: finishText(text),
          blocks,
          metadata,
          extra: { streaming_state: "completed", ...(status ? { session_status: status } : {}) },
        });
      });
      const message = await findMessage(call.session, call.actor, channel, ts);
      if (!message) throw new ChatError("message_not_found");
      return { channel, ts, message: messageView(message, call) };
    },
  }),
];
