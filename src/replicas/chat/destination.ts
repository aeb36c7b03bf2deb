/** Where a message is to go: `C…`, `#general`, `general`, or a user's id for the direct message with them. */
import { ChatError } from "~/replicas/chat/errors";
import { isChannelId, isUserId, newId } from "~/replicas/chat/ids";
import type { ChatSession } from "~/replicas/chat/method";
import { findChannelByName, openDirect } from "~/replicas/chat/store/channels";

export async function resolveDestination(
  session: ChatSession,
  actor: string,
  to: string,
): Promise<string> {
  if (isChannelId(to)) return to;
  const found = isUserId(to)
    ? await openDirect(session, newId("D"), actor, to)
    : await findChannelByName(session, actor, to.replace(/^#/, ""));
  if (found === undefined) throw new ChatError("channel_not_found");
  return found;
}
