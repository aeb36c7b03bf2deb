/** Tools that write messages. */
import { postMessage } from "~/replicas/chat/api/chat";
import { ChatError } from "~/replicas/chat/errors";
import { type Tools, withCodes } from "~/replicas/chat/mcp/tool";
import { permalink } from "~/replicas/chat/views/messages";

/** Of one paragraph. */
const ELEMENT_MAX = 5_000;

const CODES = {
  thread_not_found: "thread_reply_not_available",
  invalid_thread_ts: "thread_reply_not_available",
  cannot_reply_to_message: "thread_reply_not_available",
  restricted_action: "permission_denied",
  restricted_action_thread_locked: "permission_denied",
};

function requireShort(message: string): void {
  if (message.split(/\n[^\S\n]*\n/).some((element) => [...element].length > ELEMENT_MAX))
    throw new ChatError("msg_too_long");
}

export const sending: Tools = {
  async slack_send_message({ channel_id: channel, message, thread_ts, reply_broadcast }, call) {
    requireShort(message);
    const posted = await withCodes(CODES, () =>
      postMessage(call, { channel, markdown_text: message, thread_ts, reply_broadcast }),
    );
    return {
      message_link: permalink(posted),
      message_context: { message_ts: posted.ts, channel_id: posted.channel_id },
    };
  },
};
