/** Names and behaviours for tests that were written for the calendar of agent-diff. */
import type { UserRow } from "~/replicas/calendar/store/users";

export const TABLE_ALIASES = {
  calendar_events: "events",
  calendar_list_entries: "list_entries",
  calendar_acl_rules: "acl",
  calendar_event_attendees: "event_attendees",
  calendar_channels: "channels",
} as const;

/** Stored among the settings of each user, which lists of settings leave out. */
export const COMPATIBILITY = "compatibility";
export const AGENT_DIFF = "agent-diff";

/** True if clearing, unsubscribing and quickAdd work as in agent-diff, and not as in the service. */
export const isAgentDiff = ({ settings }: Pick<UserRow, "settings">): boolean =>
  (settings as Readonly<Record<string, string>>)[COMPATIBILITY] === AGENT_DIFF;
