/** Webhooks, as rows of the workspace that subscribe to its events. */
import type { EventRow, Events } from "~/replicas/events";
import { listWebhooks } from "~/replicas/tracker/store/events";
import type { TableName } from "~/replicas/tracker/store/tables";

export const webhooks: NonNullable<Events<TableName>["webhooks"]> = {
  table: "webhooks",
  addedBy: /\bwebhook(?:Create|Update)\b/,

  read(row: EventRow) {
    const { id, url, secret, teamId, enabled, archivedAt } = row;
    const isActive = enabled === true && archivedAt == null;
    return {
      id: String(id),
      url: String(url),
      events: isActive ? (row["resourceTypes"] as readonly string[]) : [],
      settings: { secret: String(secret), teamId: teamId == null ? null : String(teamId) },
    };
  },

  list: listWebhooks,
};
