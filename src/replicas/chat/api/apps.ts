import { issueTicket } from "~/replicas/chat/events/ticket";
import { method } from "~/replicas/chat/method";

export const apps = [
  method("apps.connections.open", {
    tier: 2,
    appOnly: true,
    summary: "Returns the address at which an app receives its events over a WebSocket, once.",
    args: {},
    async handle(_, { app = "", baseUrl, secret }) {
      const query = new URLSearchParams({ ticket: issueTicket(secret, app), app_id: app });
      return { url: `${baseUrl.replace(/^http/, "ws")}/link?${query}` };
    },
  }),
];
