import type { About } from "~/replicas/about";

export const about = {
  service: "chat",
  alias: "slack",
  api: { name: "the Slack Web API", example: "/chat.postMessage" },
  hosts: {
    domain: "slack.com",
    names: ["slack.com", "api.slack.com", "app.slack.com", "files.slack.com", "mcp.slack.com"],
  },
  secrets: [
    { hint: "xox", form: /xox[a-z]-[\w.-]+/ },
    { hint: "xapp", form: /xapp-[\w.-]+/ },
    { hint: "upload", form: /(?<=\/upload\/\w+\/)(?:[0-9a-f]{32}|[0-9a-f]+$)/ },
    {
      hint: "ticket=",
      form: /(?<=\bticket=)\d{13}\.[0-9a-f]{16}\.A[A-Z0-9]+\.[0-9a-f]{32}/,
    },
  ],
  tokenStyles: ["xoxp", "xoxb"],
  appTokenStyle: "xapp-1-[A-Z0-9]+",
  userToken: /^xox[a-z]-/,
  people: { name: "real_name", title: "title", zone: "tz" },
  effects: {
    message_posted: "a scheduled message was posted; the id is its old one",
    message_dropped: "a scheduled message could not be posted any more",
    reminder_due: "a reminder came due",
    snooze_ended: "a user's snooze ended",
    status_cleared: "a user's status expired",
  },
} as const satisfies About;
