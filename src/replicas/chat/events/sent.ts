/** The payload of a delivery, in the form that its kind has. */
import { eventCallback, requestToken, withAddresses } from "~/replicas/chat/events/envelope";
import { responseAddress } from "~/replicas/chat/responses/address";
import type { EventDelivery } from "~/replicas/events";

export type Sent = {
  /** As envelopes of Socket Mode call it. */
  readonly kind: "events_api" | "interactive" | "slash_commands";
  readonly payload: object;
  /** The acknowledgement may have an answer. */
  readonly isAnswered: boolean;
};

const ANSWERED: readonly unknown[] = ["block_suggestion", "command", "view_submission"];

/** Whether apps answer acts of a type in their acknowledgements. */
export const isAnswered = (type: unknown): boolean => ANSWERED.includes(type);

export function sentOf(
  secret: Uint8Array,
  delivery: Omit<EventDelivery, "attempt" | "failed">,
): Sent {
  const { app, payload, number, baseUrl } = delivery;
  if ("event" in payload)
    return {
      ...{ kind: "events_api", isAnswered: false },
      payload: eventCallback(secret, delivery),
    };
  const response = responseAddress(secret, payload, number);
  const isCommand = "command" in payload;
  const { type } = payload as { readonly type?: string };
  return {
    kind: isCommand ? "slash_commands" : "interactive",
    isAnswered: isAnswered(isCommand ? "command" : type),
    payload: {
      ...withAddresses(payload, baseUrl),
      token: requestToken(secret, app.id),
      ...(response === undefined ? {} : { response_url: `${baseUrl}/${response}` }),
    },
  };
}
