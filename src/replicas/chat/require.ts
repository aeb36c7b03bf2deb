/** One row, or the refusal. */
import { ChatError } from "~/replicas/chat/errors";
import { isTs } from "~/replicas/chat/ids";
import type { ChatCall } from "~/replicas/chat/method";
import { type ChannelRow, findChannel } from "~/replicas/chat/store/channels";
import { findMessage, type MessageRow } from "~/replicas/chat/store/messages";
import { findActor, findUser, type UserRow } from "~/replicas/chat/store/users";

/** A conversation that the caller can see. */
export async function requireChannel(
  { session, actor }: ChatCall,
  id: string,
): Promise<ChannelRow> {
  const channel = await findChannel(session, actor, id);
  if (!channel) throw new ChatError("channel_not_found");
  return channel;
}

/** A conversation that the caller is in. */
export async function requireMembership(call: ChatCall, id: string): Promise<ChannelRow> {
  const channel = await requireChannel(call, id);
  if (!channel.is_member) throw new ChatError("not_in_channel");
  return channel;
}

/** A message of a conversation that the caller can see. `malformed`: what a timestamp of the wrong form answers. */
export async function requireMessage(
  call: ChatCall,
  channel: string,
  ts: string,
  malformed = "message_not_found",
): Promise<MessageRow> {
  await requireChannel(call, channel);
  if (!isTs(ts)) throw new ChatError(malformed);
  const message = await findMessage(call.session, call.actor, channel, ts);
  if (!message) throw new ChatError("message_not_found");
  return message;
}

export async function requireUser({ session }: ChatCall, id: string): Promise<UserRow> {
  const user = await findUser(session, id);
  if (!user) throw new ChatError("user_not_found");
  return user;
}

/** The caller's own row and team. */
export async function requireActor({ session, actor }: ChatCall) {
  const found = await findActor(session, actor);
  if (!found) throw new ChatError("invalid_auth");
  if (found.user.deleted) throw new ChatError("account_inactive");
  return found;
}
