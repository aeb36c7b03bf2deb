/** Defaults of a team or a workspace. */

export const DEFAULT_STATES = [
  { name: "Backlog", type: "backlog", color: "#bec2c8" },
  { name: "Todo", type: "unstarted", color: "#e2e2e2" },
  { name: "In Progress", type: "started", color: "#f2c94c" },
  { name: "Done", type: "completed", color: "#5e6ad2" },
  { name: "Canceled", type: "canceled", color: "#95a2b3" },
  { name: "Duplicate", type: "duplicate", color: "#95a2b3" },
] as const;

export const TRIAGE_STATE = { name: "Triage", type: "triage", color: "#fc7840" } as const;

export const DEFAULT_PROJECT_STATUSES = [
  { name: "Backlog", type: "backlog", color: "#bec2c8" },
  { name: "Planned", type: "planned", color: "#e2e2e2" },
  { name: "In Progress", type: "started", color: "#f2c94c" },
  { name: "Paused", type: "paused", color: "#f2994a" },
  { name: "Completed", type: "completed", color: "#5e6ad2" },
  { name: "Canceled", type: "canceled", color: "#95a2b3" },
] as const;

export const DEFAULT_CUSTOMER_STATUSES = [
  { name: "Active", color: "#4cb782" },
  { name: "Prospect", color: "#f2c94c" },
  { name: "Churned", color: "#95a2b3" },
] as const;

/** The color of labels and projects without one. */
export const DEFAULT_COLOR = "#bec2c8";
