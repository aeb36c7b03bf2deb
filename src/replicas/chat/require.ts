/** Loads one row, or throws the service's error. */
import { isStandardEmoji } from "~/replicas/chat/emoji";
import { ChatError } from "~/replicas/chat/errors";
import { isTs } from "~/replicas/chat/ids";
import type { ChatCall } from "~/replicas/chat/method";
import { type ChannelRow, findChannel } from "~/replicas/chat/store/channels";
import { hasEmoji } from "~/replicas/chat/store/emoji";
import { countVisibleFiles, type FileRow, findFile } from "~/replicas/chat/store/files";
import { findMessage, type MessageRow } from "~/replicas/chat/store/messages";
import { findActor, findUser, type UserRow } from "~/replicas/chat/store/users";

/** A conversation that the caller can see. */
export async function requireChannel(
  { session, actor }: ChatCall,
  id: string,
  missing = "channel_not_found",
): Promise<ChannelRow> {
  const channel = await findChannel(session, actor, id);
  if (!channel) throw new ChatError(missing);
  return channel;
}

/** A conversation of which the caller is a member. */
export async function requireMembership(
  call: ChatCall,
  id: string,
  missing = "not_in_channel",
): Promise<ChannelRow> {
  const channel = await requireChannel(call, id);
  if (!channel.is_member) throw new ChatError(missing);
  return channel;
}

export function refuseDirect({ is_im: isIm, is_mpim: isMpim }: ChannelRow): void {
  if (isIm || isMpim) throw new ChatError("method_not_supported_for_channel_type");
}

/** A message of a conversation that the caller can see. `malformed`: the error for a malformed timestamp. */
export async function requireMessage(
  call: ChatCall,
  channel: string,
  ts: string,
  malformed = "message_not_found",
): Promise<MessageRow> {
  await requireChannel(call, channel);
  return await requireMessageIn(call, channel, ts, malformed);
}

/** A message of a conversation that is known to be visible. */
export async function requireMessageIn(
  { session, actor }: ChatCall,
  channel: string,
  ts: string,
  malformed = "message_not_found",
): Promise<MessageRow> {
  if (!isTs(ts)) throw new ChatError(malformed);
  const message = await findMessage(session, actor, channel, ts);
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

export const isAdmin = (user: UserRow) => user.is_admin || user.is_owner;
export const isGuest = (user: UserRow) => user.is_restricted || user.is_ultra_restricted;

/** The caller, who must not be a guest. */
export async function requireFullMember(call: ChatCall, code = "restricted_action") {
  const found = await requireActor(call);
  if (isGuest(found.user)) throw new ChatError(code);
  return found;
}

/** An uploaded file that is not deleted and that the caller can see. */
export async function requireFile(
  { session, actor }: ChatCall,
  id: string,
  { deleted = "file_not_found", hidden = "file_not_found" } = {},
): Promise<FileRow> {
  const file = await findFile(session, actor, id);
  if (!file || file.upload_token !== null) throw new ChatError("file_not_found");
  if (!file.is_visible) throw new ChatError(hidden);
  if (file.mode === "tombstone") throw new ChatError(deleted);
  return file;
}

/** Files that the caller can see, all of them. */
export async function requireFiles({ session, actor }: ChatCall, ids: readonly string[]) {
  const wanted = [...new Set(ids)];
  if ((await countVisibleFiles(session, actor, wanted)) !== wanted.length)
    throw new ChatError("file_not_found");
}

/** An emoji that can be used, standard or custom, with or without colons. Returns its name. */
export async function requireEmoji(
  { session }: ChatCall,
  given: string,
  code: string,
): Promise<string> {
  const name = given.replace(/^:(.*):$/, "$1");
  if (!isStandardEmoji(name) && !(await hasEmoji(session, name))) throw new ChatError(code);
  return name;
}
