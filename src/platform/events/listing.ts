/** Lists the events of an environment, with who received each of them, and who did not, and why. */
import type { Cause } from "~/db/cause";
import type { Pool } from "~/db/connect";
import { PAGE_LENGTH_MAX, readLimit } from "~/http/page";
import type { Environments } from "~/platform/environments/environments";
import type { Derivation } from "~/platform/events/derivation";
import {
  type BareEvent,
  type EventPage,
  type EventsFound,
  type ListedEvent,
  listEvents,
} from "~/platform/events/listing-store";
import type { DeliveryPage, DeliveryQuery, EnvironmentEvent } from "~/platform/events/model";
import { isComplete } from "~/platform/events/store";
import { MICROS } from "~/source";

export function createEventListing(deps: {
  pool: Pool;
  environments: Environments;
  derivation: Derivation;
}) {
  const { pool, environments, derivation } = deps;

  return {
    /** The events of everything that was committed before the call. Throws `invalid_request`. */
    async list(userId: string, envId: string, query: DeliveryQuery): Promise<DeliveryPage> {
      const after = Number(query.after ?? 0);
      const limit = readLimit(query.limit);
      const { environmentId } = await environments.requirePath(userId, envId);
      await derivation.now(environmentId);
      const page = await pageOf(after, limit, (wanted) => listEvents(pool, environmentId, wanted));
      return { environmentId, complete: await isComplete(pool, environmentId), ...page };
    },
  };
}

/** The events after a number, of those that `read` finds. */
export async function pageOf(
  after: number,
  limit: number,
  read: (page: EventPage) => Promise<EventsFound>,
): Promise<Pick<DeliveryPage, "events" | "next">> {
  const found = await read({ after, limit: limit + 1, lengthMax: PAGE_LENGTH_MAX });
  const events = found.slice(0, limit);
  const hasMore = (found[0]?.among ?? 0) > events.length;
  return { events: events.map(listed), next: hasMore ? (events.at(-1)?.number ?? after) : null };
}

const time = (ms: number) => new Date(ms).toISOString();

export function makerOf(cause: Cause): "call" | "clock" | "counterpart" | "hand" {
  if ("counterpart" in cause) return "counterpart";
  if ("clock" in cause) return "clock";
  return "hand" in cause ? "hand" : "call";
}

/** An event without those who receive it. */
export function shown({ number, service, type, cause, payload }: BareEvent) {
  return {
    n: number,
    service,
    type,
    cause: cause && {
      by: makerOf(cause),
      request: "request" in cause ? cause.request : null,
      at: time(cause.micros / MICROS),
    },
    payload: payload && { ...payload },
  };
}

export function listed(event: ListedEvent): EnvironmentEvent {
  const { missed, deliveries } = event;
  return {
    ...shown(event),
    deliveries: (deliveries ?? []).map(({ app, state, attempts }) => ({
      app,
      state,
      attempts: attempts.map(({ at, ms, failed, answer }) => ({
        at: time(at),
        ms: ms ?? null,
        failed: failed ?? null,
        answer: answer ? { ...answer } : null,
      })),
    })),
    missed: Object.entries(missed).map(([app, reason]) => ({ app, reason })),
  };
}
