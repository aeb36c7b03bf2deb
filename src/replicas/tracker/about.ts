import type { About } from "~/replicas/about";

export const about = {
  service: "tracker",
  alias: "linear",
  api: { name: "the Linear GraphQL API", path: "/graphql", example: "/graphql" },
  hosts: {
    domain: "linear.app",
    names: ["linear.app", "api.linear.app", "mcp.linear.app", "uploads.linear.app"],
  },
  secrets: [
    { hint: "lin_", form: /lin_(?:api|oauth)_\w+/ },
    { hint: "upload", form: /(?<=\/uploads\/put\/[\w-]+\/)(?:[0-9a-f]{32}|[0-9a-f]+$)/ },
  ],
  tokenStyles: [],
  people: { name: "name", title: "title", zone: "timezone" },
  effects: {
    cycle_completed: "a cycle ended, and its open issues moved to the next one",
    cycle_created: "an upcoming cycle was planned",
    issue_closed: "an open issue that nobody had changed for months was closed",
    issue_archived: "a closed issue that nobody had changed for months was archived",
    issue_unsnoozed: "an issue left its snooze",
    agent_session_stale: "the agent of a session did not report in time",
    notification_unsnoozed: "a notification, or the reminder of an issue, left its snooze",
  },
} as const satisfies About;
