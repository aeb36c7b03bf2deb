/** Notifications that Google's services send to the addresses of apps. */
import type { EventApp, RequestMode, Schedule } from "~/replicas/events";

const ACKNOWLEDGED: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

/** How they are acknowledged. Nothing is signed. */
export const acknowledging: Pick<RequestMode, "redirectsMax" | "isAcknowledged"> = {
  redirectsMax: 0,
  isAcknowledged: (status) => ACKNOWLEDGED.has(status),
};

/** Delays between attempts grow. Their documentation names no exact ones. */
export const schedule: Schedule = {
  acknowledgeMs: 10_000,
  retryMs: [10_000, 60_000, 600_000, 3_600_000],
  connectionsMax: 10,
};

/** `reason`: why an app that subscribes to the type does not receive it, if there is a reason. */
export const missedBy = (
  apps: readonly EventApp[],
  type: string,
  reason: (app: EventApp) => string | undefined,
) =>
  Object.fromEntries(
    apps.flatMap((app) => {
      const why = app.events.includes(type) ? reason(app) : "not subscribed";
      return why === undefined ? [] : [[app.id, why] as const];
    }),
  );

/** Changes by transaction, in their order. */
export function transactionsOf<C extends { readonly transaction: string }>(
  changes: readonly C[],
): C[][] {
  return [...Map.groupBy(changes, ({ transaction }) => transaction).values()];
}
