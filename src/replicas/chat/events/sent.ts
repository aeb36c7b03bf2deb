/** The payload of a delivery, in the form that its kind has. */
import { eventCallback, requestToken, withAddresses } from "~/replicas/chat/events/envelope";
import { responseAddress } from "~/replicas/chat/responses/address";
import type { EventDelivery } from "~/replicas/events";

export type Sent = {
  /** As envelopes of Socket Mode call it. */
  readonly kind: "events_api" | "interactive";
  readonly payload: object;
};

export function sentOf(
  secret: Uint8Array,
  delivery: Omit<EventDelivery, "attempt" | "failed">,
): Sent {
  const { app, payload, number, baseUrl } = delivery;
  if ("event" in payload) return { kind: "events_api", payload: eventCallback(secret, delivery) };
  const response = responseAddress(secret, payload, number);
  return {
    kind: "interactive",
    payload: {
      ...withAddresses(payload, baseUrl),
      token: requestToken(secret, app.id),
      ...(response === undefined ? {} : { response_url: `${baseUrl}/${response}` }),
    },
  };
}
