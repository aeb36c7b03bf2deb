/** Methods that simulated colleagues call. */
import type { Acting } from "~/replicas/acting";
import { METHODS } from "~/replicas/chat/api/index";

export const acting: Acting = {
  names: () => METHODS.keys(),
  request: (path, body) => ({ path, body }),
  say: { name: "chat.postMessage", channel: "channel_id" },
};
