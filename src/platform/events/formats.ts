/** How events are written on the connections of apps: as the service does over a WebSocket, or as requests to be forwarded. */
import { isObject, parsedBounded } from "~/input/json";
import type { Attempted } from "~/platform/events/deliveries-store";
import type { Format } from "~/platform/events/dispatcher";
import {
  NO_TLS,
  NOT_ACKNOWLEDGED,
  NOT_CONNECTED,
  REDIRECTED,
  type RequestMode,
  type Schedule,
  type SocketMode,
} from "~/replicas/events";

export type Opening = {
  readonly app: string;
  /** The environment's. */
  readonly secret: Uint8Array;
  /** The address of the service as the app reaches it. */
  readonly baseUrl: string;
};

export const socketFormat = (mode: SocketMode, { app, secret, baseUrl }: Opening): Format => ({
  hello: (connections) => mode.hello(app, connections),
  message: (delivery) => mode.message(secret, { ...delivery, baseUrl }),
  read: mode.acknowledged,
  goodbye: mode.goodbye,
});

type Forwarding = Format & {
  readonly challenge?: () => string;
  readonly isReady: (text: string) => boolean;
};

/** Characters. */
const ANSWER_MAX = 1_000;
const ATTEMPT_ID = /^(\d{1,12})\.(\d{1,3})$/;
const REASONS = new Map([
  ["timeout", NOT_ACKNOWLEDGED],
  ["connection_failed", NOT_CONNECTED],
  ["ssl_error", NO_TLS],
  ["too_many_redirects", REDIRECTED],
  ["bad_answer", "no valid answer"],
  ["too_large", "the answer is too large"],
]);

/**
 * Requests for `diorama listen`, which posts them to an address that this server cannot reach. Messages to it: `challenge`
 * if the service has one, `hello`, `request`, `goodbye`. From it: `{"type":"ready"}` after the challenge, then `{id, status, headers, body}` or
 * `{id, error}`, with one of `REASONS`, for each request: the next one follows that.
 */
export const forwardFormat = (
  mode: RequestMode,
  { acknowledgeMs }: Schedule,
  { app, secret, baseUrl }: Opening,
): Forwarding => ({
  isSequential: true, // requests over several connections would overtake each other

  ...(mode.challenge && {
    challenge: () => JSON.stringify({ type: "challenge", app, ...mode.challenge?.(secret, app) }),
  }),

  isReady(text) {
    const message = parsedBounded(text);
    return isObject(message) && message["type"] === "ready";
  },

  hello: (connections) => {
    const { redirectsMax } = mode;
    return JSON.stringify({ type: "hello", app, connections, acknowledgeMs, redirectsMax });
  },

  message: (delivery) =>
    JSON.stringify({
      type: "request",
      id: `${delivery.number}.${delivery.attempt}`,
      request: mode.request(secret, { ...delivery, baseUrl }),
    }),

  read(text) {
    const message = parsedBounded(text);
    if (!isObject(message) || typeof message["id"] !== "string") return undefined;
    const [, number, attempt] = ATTEMPT_ID.exec(message["id"]) ?? [];
    if (number === undefined) return undefined;
    return outcomeOf(mode, { number: Number(number), attempt: Number(attempt) }, message);
  },

  goodbye: (reason) => JSON.stringify({ type: "goodbye", reason }),
});

/** The answer in the body of a response: JSON, or a text. */
function answerIn(body: unknown): { readonly [field: string]: unknown } {
  if (typeof body !== "string" || body.trim() === "") return {};
  const parsed = parsedBounded(body);
  return isObject(parsed) ? parsed : { text: body };
}

/** The part of a body that is kept of an answer that acknowledges nothing, without what Postgres does not store. */
const beginningOf = (body: unknown): string =>
  typeof body === "string" ? body.slice(0, ANSWER_MAX).replaceAll("\0", "").toWellFormed() : "";

/** The outcome of a request, by its answer. Undefined for a message without one. */
export function outcomeOf(
  mode: RequestMode,
  { number, attempt }: Attempted,
  { status, error, headers, body }: { readonly [field: string]: unknown },
): ReturnType<Format["read"]> {
  const attempted = { number, attempt };
  const reason = typeof error === "string" ? REASONS.get(error) : undefined;
  if (reason !== undefined) return { ...attempted, reason, isLast: false };
  if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 599) return undefined;
  if (mode.isAcknowledged(Number(status))) return { ...attempted, answer: answerIn(body) };
  return {
    ...attempted,
    reason: `status ${status}`,
    status: Number(status),
    answer: beginningOf(body),
    isLast: mode.isLast({ status: Number(status), headers: isObject(headers) ? headers : {} }),
  };
}
