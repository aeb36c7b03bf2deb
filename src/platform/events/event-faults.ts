/** Faults of deliveries: an event that an app does not receive, receives again, late, or after its connections were lost. */
import type { Sql } from "~/db/connect";
import type { DeliveryFault, NewEvent } from "~/platform/events/store";
import { countDelivery } from "~/platform/faults/injection";
import { countDeliveries } from "~/platform/faults/store";

const DROPPED = "dropped by a fault";

/** Counts the deliveries of new events for the faults of their environment, which change them. Acts of people get none. */
export async function withFaults(
  tx: Sql,
  environmentId: string,
  events: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  let changed = events;
  await countDeliveries(tx, environmentId, (before) => {
    let state = before;
    changed = events.map((event) => {
      if (event.isSingle) return event;
      const missed = { ...event.missed };
      const faults: { [app: string]: DeliveryFault } = {};
      for (const app of event.receivers) {
        const counted = countDelivery(state, event.service, event.type);
        state = counted.state;
        const { fault, ms = 0 } = counted.fault ?? {};
        if (fault === "event_dropped") missed[app] = DROPPED;
        else if (fault === "event_duplicated") faults[app] = { repeats: 1 };
        else if (fault === "event_delayed") faults[app] = { delayMs: ms };
        else if (fault === "event_disconnected") faults[app] = { disconnects: true };
      }
      const receivers = event.receivers.filter((app) => !Object.hasOwn(missed, app));
      return { ...event, missed, faults, receivers };
    });
    return state;
  });
  return changed;
}
