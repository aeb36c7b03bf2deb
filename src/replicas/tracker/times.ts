/** What the type of a status says of when something was started, completed or canceled. */
import type { RowObject } from "~/graphql/page";
import type { Values } from "~/replicas/tracker/store/write";

/** `row`: as it was before; undefined for a new one. */
export function timesOf(type: string, now: Date, row?: RowObject): Values {
  switch (type) {
    case "started":
      return { startedAt: row?.["startedAt"] ?? now, completedAt: null, canceledAt: null };
    case "paused":
      return { completedAt: null, canceledAt: null };
    case "completed":
      return { completedAt: row?.["completedAt"] ?? now, canceledAt: null };
    case "canceled":
      return { canceledAt: row?.["canceledAt"] ?? now, completedAt: null };
    default:
      return { startedAt: null, completedAt: null, canceledAt: null };
  }
}
