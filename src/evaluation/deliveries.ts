/** The events of a run as rows, one for each app, for assertions that count them. */
import type { JsonObject } from "~/capture/fold";
import { fieldsOf } from "~/evaluation/calls";
import type { Predicate } from "~/evaluation/predicate";
import { selects } from "~/replicas/faults";

/** An event of a run as an app has received it, or has not. */
export type RunDelivery = {
  readonly n: number;
  readonly service: string;
  readonly type: string;
  readonly app: string;
  readonly state: "pending" | "sent" | "delivered" | "failed" | "blocked" | "missed";
  readonly attempts: number;
  /** Null: it was not acknowledged. */
  readonly ackMs: number | null;
  readonly reason: string | null;
  readonly cause: string | null;
  /** Null: it is too large, or no assertion asks for it. */
  readonly payload: unknown;
};

/** The fields that `where` can name, with the type of their values. */
export const DELIVERY_FIELDS = {
  app: { type: "text", says: "the id of the app" },
  state: {
    type: "text",
    says: "`delivered`, `pending`, `sent`, `failed`, `blocked` if the app's address is not allowed, or `missed` if the app does not receive the event",
  },
  attempts: { type: "integer", says: "how often it was sent; 0 for a missed one" },
  ack_ms: {
    type: "integer",
    says: "milliseconds from the attempt that was acknowledged to its acknowledgement; null without one",
  },
  reason: {
    type: "text",
    says: "why the app does not receive it, or why the last attempt failed; otherwise null",
  },
  cause: {
    type: "text",
    says: "`call`, `clock`, `counterpart` or `hand`; null if nothing is known of it",
  },
  payload: {
    type: "json",
    says: "the event, as lists of deliveries have it: `payload.event.text`",
  },
} as const;

/** The columns that name a delivery. */
export const DELIVERY_KEY = ["n", "type", "app"];

export const deliveryRow = ({ ackMs, service: _, ...delivery }: RunDelivery) =>
  ({ ...delivery, ack_ms: ackMs === null ? null : Math.round(ackMs) }) as JsonObject;

/** The deliveries that a spec reads: patterns of the types, and whether it asks for payloads. */
export type DeliveriesWanted = {
  readonly types: readonly string[];
  readonly hasPayloads: boolean;
};

export function deliveriesWanted(
  assertions: readonly {
    readonly diffType: string;
    readonly entity: string;
    readonly where: Predicate;
  }[],
): DeliveriesWanted {
  const wanted = assertions.filter(({ diffType }) => diffType === "delivered");
  return {
    types: [...new Set(wanted.map(({ entity }) => entity))],
    hasPayloads: wanted.some(({ where }) => fieldsOf(where).includes("payload")),
  };
}

export const isOfType = (pattern: string, { type }: { readonly type?: unknown }) =>
  selects(pattern, String(type));
