/** The message of a response: read, and sent where the person acted. */
import { type Static, Type } from "@sinclair/typebox";
import { isObject, parsedBounded } from "~/input/json";
import { Choice, convert, Flag, Maybe, type RawArguments, Text } from "~/replicas/chat/arguments";
import {
  CONTENT_ARGS,
  type Content,
  contentColumns,
  METADATA_ARG,
  requireContent,
} from "~/replicas/chat/compose";
import { ChatError } from "~/replicas/chat/errors";
import type { ChatCall } from "~/replicas/chat/method";
import { PLAIN, post, readThreadTs } from "~/replicas/chat/posting";
import { type Incoming, readCall } from "~/replicas/chat/request";
import type { Origin } from "~/replicas/chat/responses/address";
import { deleteMessage, updateMessage } from "~/replicas/chat/store/editing";
import { deleteEphemeral, insertEphemeral, updateEphemeral } from "~/replicas/chat/store/ephemeral";
import { findMessage } from "~/replicas/chat/store/messages";
import { SLACKBOT } from "~/replicas/chat/views/users";

const Args = Type.Object({
  ...CONTENT_ARGS,
  ...METADATA_ARG,
  response_type: Maybe(Choice("in_channel", "ephemeral")),
  replace_original: Maybe(Flag()),
  delete_original: Maybe(Flag()),
  thread_ts: Maybe(Text()),
});

type Response = Static<typeof Args>;

/** The message in a body: JSON, or a form with JSON in `payload`. Throws `invalid_payload`. */
export async function readMessage(
  incoming: Incoming,
): Promise<{ readonly raw: RawArguments; readonly message: Response }> {
  const { raw: given } = await readCall(incoming).catch((error) => {
    throw error instanceof ChatError ? new ChatError("invalid_payload") : error;
  });
  const payload = given.get("payload");
  const parsed = typeof payload === "string" ? parsedBounded(payload) : undefined;
  if (payload !== undefined && !isObject(parsed)) throw new ChatError("invalid_payload");
  const raw = isObject(parsed) ? new Map(Object.entries(parsed)) : given;
  return readResponse(raw);
}

export const readResponse = (raw: RawArguments) => ({ raw, message: convert(Args, raw) });

const emptyAsNull = <T>(items: readonly T[] | undefined) => (items?.length ? items : null);

/** Replaces the whole content of the message in which the person acted. */
async function replace(call: ChatCall, { original, ...origin }: Origin, content: Content) {
  const { session, actor } = call;
  if (!original) throw new ChatError("message_not_found");
  const { channel, person: user } = origin;
  const { text = "", metadata } = content;
  const shown = {
    text,
    blocks: emptyAsNull(content.blocks),
    attachments: emptyAsNull(content.attachments),
  };
  if (original.isEphemeral) {
    const isThere = await updateEphemeral(session, { channel, ts: original.ts, user }, shown);
    if (!isThere) throw new ChatError("message_not_found");
    return;
  }
  await requireOriginal(call, channel, original.ts);
  await updateMessage(session, channel, original.ts, actor, {
    ...{ ...shown, metadata, broadcast: false },
  });
}

async function requireOriginal({ session, actor }: ChatCall, channel: string, ts: string) {
  const message = await findMessage(session, actor, channel, ts);
  if (!message || message.subtype === "tombstone") throw new ChatError("message_not_found");
}

async function remove(call: ChatCall, { original, channel, person: user }: Origin) {
  const { session } = call;
  if (!original) throw new ChatError("message_not_found");
  const { ts } = original;
  if (original.isEphemeral) {
    if (await deleteEphemeral(session, { channel, ts, user })) return;
    throw new ChatError("message_not_found");
  }
  await requireOriginal(call, channel, ts);
  await session.transaction((inside) => deleteMessage(inside, channel, ts, SLACKBOT));
}

/** Posts a new message: for the person alone, unless it is for the channel. */
async function postNew(
  call: ChatCall,
  { channel, person }: Origin,
  { response_type: type, thread_ts: thread }: Response,
  content: Content,
) {
  const threadTs = readThreadTs(thread);
  const columns = contentColumns(content);
  if (type === "in_channel")
    return await post(call, channel, { ...PLAIN, ...columns, threadTs, isAdmitted: true });
  const author = call.actor;
  const own = { channel, user: person, author, threadTs, username: null, icons: null };
  return await insertEphemeral(call.session, { ...own, ...columns });
}

/** Does what a response says. The message in which the person acted is replaced, unless it says otherwise. */
export async function sendResponse(
  call: ChatCall,
  origin: Origin,
  message: Response,
): Promise<void> {
  const { text, blocks, attachments, markdown_text: markdown } = message;
  const hasContent = [text, blocks, attachments, markdown].some((part) => part !== undefined);
  if (message.delete_original === true) {
    const content = hasContent ? await requireContent(call, message) : undefined;
    await remove(call, origin);
    if (content) await postNew(call, origin, message, content);
    return;
  }
  const content = await requireContent(call, message);
  if (origin.original && message.replace_original !== false) await replace(call, origin, content);
  else await postNew(call, origin, message, content);
}
