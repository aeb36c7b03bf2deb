/** The Events API over HTTP: the signed requests to an app's Request URL, as the service's documentation describes them. */
import { createHmac } from "node:crypto";
import { digest, requestToken } from "~/replicas/chat/events/envelope";
import { sentOf } from "~/replicas/chat/events/sent";
import {
  type EventRequest,
  NO_TLS,
  NOT_ACKNOWLEDGED,
  NOT_CONNECTED,
  REDIRECTED,
  type RequestMode,
} from "~/replicas/events";
import { hexOf, REAL, secondsOf } from "~/source";

const SECRET_LENGTH = 32;
const CHALLENGE_BYTES = 20;

const signingSecret = (secret: Uint8Array, app: string): string =>
  digest(secret, `signing ${app}`).toString("hex").slice(0, SECRET_LENGTH);

/** Its timestamp is of real time: clients reject a signature that is older than five minutes. */
function signed(
  secret: Uint8Array,
  app: string,
  { type, body }: { readonly type: string; readonly body: string },
  headers: EventRequest["headers"] = {},
): EventRequest {
  const timestamp = String(secondsOf(REAL));
  const mac = createHmac("sha256", signingSecret(secret, app))
    .update(`v0:${timestamp}:${body}`)
    .digest("hex");
  return {
    body,
    headers: {
      "content-type": type,
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${mac}`,
      ...headers,
    },
  };
}

const asJson = (content: object) => ({
  type: "application/json",
  body: JSON.stringify(content),
});
const asForm = (fields: Record<string, string>) => ({
  type: "application/x-www-form-urlencoded",
  body: new URLSearchParams(fields).toString(),
});

const RETRY_REASONS = new Map([
  [NOT_ACKNOWLEDGED, "http_timeout"],
  [NOT_CONNECTED, "connection_failed"],
  [NO_TLS, "ssl_error"],
  [REDIRECTED, "too_many_redirects"],
]);

/** Why the attempt before failed, in the words of `X-Slack-Retry-Reason`. */
function retryReason(failed: string | null): string {
  if (failed?.startsWith("status ")) return "http_error";
  return RETRY_REASONS.get(failed ?? "") ?? "unknown_error";
}

export const request: RequestMode = {
  redirectsMax: 2,
  signingSecret,

  challenge(secret, app) {
    const challenge = hexOf(REAL, CHALLENGE_BYTES);
    const token = requestToken(secret, app);
    const content = { token, challenge, type: "url_verification" };
    return { request: signed(secret, app, asJson(content)), expected: challenge };
  },

  request(secret, delivery) {
    const { app, attempt, failed } = delivery;
    const retry = {
      "x-slack-retry-num": String(attempt),
      "x-slack-retry-reason": retryReason(failed),
    };
    const { kind, payload } = sentOf(secret, delivery);
    const isEvent = kind === "events_api";
    const fields = () =>
      kind === "slash_commands"
        ? (payload as Record<string, string>)
        : { payload: JSON.stringify(payload) };
    const content = isEvent ? asJson(payload) : asForm(fields());
    return signed(secret, app.id, content, isEvent && attempt > 0 ? retry : {});
  },

  isAcknowledged: (status) => status >= 200 && status <= 299,
  isLast: ({ headers }) => headers["x-slack-no-retry"] === "1",
};
