/** Destination of a message: `C…`, `#general`, `general`, or a user's id for the direct message with them. */
import { ChatError } from "~/replicas/chat/errors";
import { isChannelId, isUserId, newId } from "~/replicas/chat/ids";
import type { ChatSession } from "~/replicas/chat/method";
import { findChannelByName } from "~/replicas/chat/store/channels";
import { openDirect } from "~/replicas/chat/store/directs";

/** By id or name; an id is not looked up. */
export async function resolveChannel(
  session: ChatSession,
  actor: string,
  to: string,
): Promise<string> {
  if (isChannelId(to)) return to;
  const found = await findChannelByName(session, actor, to.replace(/^#/, ""));
  if (found === undefined) throw new ChatError("channel_not_found");
  return found;
}

/** As `resolveChannel`, and opens the direct message with a user that `to` names. */
export async function resolveDestination(
  session: ChatSession,
  actor: string,
  to: string,
): Promise<string> {
  if (!isUserId(to)) return await resolveChannel(session, actor, to);
  const found = await openDirect(session, newId(session, "D"), [actor, to]);
  if (found === undefined) throw new ChatError("channel_not_found");
  return found;
}
