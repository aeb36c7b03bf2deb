/** Posting: shared by every method that writes a message. Decides whether it may go to a channel or thread. */
import { errorCode, UNIQUE_VIOLATION } from "~/db/connect";
import { resolveDestination } from "~/replicas/chat/destination";
import { ChatError } from "~/replicas/chat/errors";
import { isTs, isUserId } from "~/replicas/chat/ids";
import type { ChatCall, ChatSession } from "~/replicas/chat/method";
import { findMessage, type MessageRow } from "~/replicas/chat/store/messages";
import {
  findObstacles,
  insertMessage,
  type NewMessage,
  type Obstacles,
  SYSTEM_SUBTYPES,
} from "~/replicas/chat/store/posting";

/** Posts that find their microsecond taken, in a channel whose clock went back; each tries the next one. */
const POST_ATTEMPTS = 5;

/** The columns that a plain message leaves empty. */
export const PLAIN = {
  threadTs: null,
  broadcast: false,
  subtype: null,
  username: null,
  icons: null,
  blocks: null,
  attachments: null,
  metadata: null,
  extra: null,
} as const;

/** A root to reply to, as the caller named it. */
export function readThreadTs(ts: string | undefined): string | null {
  if (ts === undefined || ts === "") return null;
  if (isTs(ts)) return ts;
  throw new ChatError("invalid_thread_ts", {
    response_metadata: { messages: [`[ERROR] ${ts.slice(0, 100)} is not a valid thread_ts`] },
  });
}

/** The reason why a message cannot be posted; undefined when there is none. */
function refusal(found: Obstacles, isReply: boolean): ChatError | undefined {
  if (found.actor_deleted === null) return new ChatError("invalid_auth");
  if (found.actor_deleted) return new ChatError("account_inactive");
  if (found.channel === null || (found.is_private && !found.is_member))
    return new ChatError("channel_not_found");
  if (found.is_archived) return new ChatError("is_archived");
  if (!found.is_member && !found.actor_is_bot) return new ChatError("not_in_channel");
  if (!found.may_post) return new ChatError("restricted_action");
  if (found.is_full) return new ChatError("message_limit_exceeded");
  if (!isReply) return undefined;
  if (found.root_ts === null) return new ChatError("thread_not_found");
  if (found.root_subtype !== null && SYSTEM_SUBTYPES.includes(found.root_subtype))
    return new ChatError("cannot_reply_to_message");
  return found.is_locked ? new ChatError("restricted_action_thread_locked") : undefined;
}

/** Throws the error that a message to this channel, or to this thread in it, would get. */
export async function requirePostable(
  { session, actor }: ChatCall,
  channel: string,
  threadTs: string | null,
): Promise<void> {
  const found = await findObstacles(session, { channel, user: actor, threadTs });
  const refused = refusal(found, threadTs !== null);
  if (refused) throw refused;
}

/** Posts inside the caller's transaction, or as the only statement of a call. */
export async function send(session: ChatSession, message: NewMessage): Promise<MessageRow> {
  const posted = await insertMessage(session, message);
  if (posted) return posted;
  throw (
    refusal(await findObstacles(session, message), message.threadTs !== null) ??
    new Error("a message was not posted for no reason that is known")
  );
}

/**
 * Runs `work`, which writes messages, and repeats it when another server with another clock took the microsecond of one
 * of its messages.
 */
export async function withFreeTs<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== UNIQUE_VIOLATION || attempt === POST_ATTEMPTS) throw error;
    }
  }
}

/**
 * Posts to `to` (`C…`, `#name`, or a user's id for the direct message with them) and returns what was stored. A
 * direct message that had to be opened for it is part of the same transaction.
 */
export async function post(
  { session, actor }: ChatCall,
  to: string,
  message: Omit<NewMessage, "channel" | "user">,
): Promise<MessageRow> {
  const work = async (inside: ChatSession) => {
    const channel = await resolveDestination(inside, actor, to);
    return await send(inside, { ...message, channel, user: actor });
  };
  const posted = await withFreeTs(() => (isUserId(to) ? session.transaction(work) : work(session)));
  // A broadcast shows its root, which a plain post does not need to load.
  if (posted.subtype !== "thread_broadcast") return posted;
  return (await findMessage(session, actor, posted.channel_id, posted.ts)) ?? posted;
}
