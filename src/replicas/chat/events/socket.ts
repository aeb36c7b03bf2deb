/** Socket Mode: how an app receives its events over a WebSocket that it has opened. */
import { isObject, parsedBounded } from "~/input/json";
import { envelopeId, readEnvelopeId } from "~/replicas/chat/events/envelope";
import { sentOf } from "~/replicas/chat/events/sent";
import { readTicket } from "~/replicas/chat/events/ticket";
import type { SocketMode } from "~/replicas/events";

const DEBUG = { host: "applink-diorama" };
/** Seconds that a connection lasts, about. */
const CONNECTION_SECONDS = 18_060;

const REASONS = {
  refresh: "refresh_requested",
  too_many: "too_many_websockets",
  disabled: "link_disabled",
} as const;

export const socket: SocketMode = {
  path: "link",
  tokenPrefix: (app) => `xapp-1-${app}-`,
  pingMs: 10_000,
  readTicket,

  hello: (app, connections) =>
    JSON.stringify({
      type: "hello",
      num_connections: connections,
      debug_info: {
        ...DEBUG,
        build_number: 1,
        approximate_connection_time: CONNECTION_SECONDS,
      },
      connection_info: { app_id: app },
    }),

  message(secret, delivery) {
    const { kind, payload, isAnswered } = sentOf(secret, delivery);
    const { attempt } = delivery;
    const retry = { retry_attempt: attempt, retry_reason: attempt === 0 ? "" : "timeout" };
    return JSON.stringify({
      envelope_id: envelopeId(secret, delivery),
      payload,
      type: kind,
      accepts_response_payload: isAnswered,
      ...(kind === "events_api" ? retry : {}),
    });
  },

  acknowledged(text) {
    const message = parsedBounded(text);
    if (!isObject(message) || typeof message["envelope_id"] !== "string") return undefined;
    const { payload } = message;
    const attempted = readEnvelopeId(message["envelope_id"]);
    return attempted && isObject(payload) ? { ...attempted, answer: payload } : attempted;
  },

  goodbye: (reason) =>
    JSON.stringify({ type: "disconnect", reason: REASONS[reason], debug_info: DEBUG }),
};
