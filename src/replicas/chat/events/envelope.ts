/** The envelope of an event on its way to an app. Its ids derive from the environment's secret: nothing is stored. */
import { createHmac } from "node:crypto";
import type { EventDelivery } from "~/replicas/events";

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const MIXED = `${UPPER}abcdefghijklmnopqrstuvwxyz`;
const EVENT_ID_LENGTH = 11;
const TOKEN_LENGTH = 24;
/** Digits of a number that JavaScript can hold exactly. */
const NUMBER_DIGITS = 12;
const ATTEMPT_DIGITS = 3;

export const digest = (secret: Uint8Array, text: string) =>
  createHmac("sha256", secret).update(`event ${text}`).digest();

/** The token of an app that its requests carry. */
export const requestToken = (secret: Uint8Array, app: string): string =>
  letters(digest(secret, `token ${app}`), MIXED, TOKEN_LENGTH);

const letters = (bytes: Uint8Array, alphabet: string, length: number) =>
  Array.from(bytes.subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join("");

const padded = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

/** A UUID of version 4 that contains the number and the attempt of a delivery. */
export function envelopeId(
  secret: Uint8Array,
  { app, number, attempt }: Pick<EventDelivery, "app" | "number" | "attempt">,
): string {
  const hex = digest(secret, `envelope ${app.id} ${number} ${attempt}`).toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${padded(attempt, ATTEMPT_DIGITS)}`,
    `8${hex.slice(12, 15)}`,
    padded(number, NUMBER_DIGITS),
  ].join("-");
}

const ENVELOPE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4([0-9a-f]{3})-8[0-9a-f]{3}-([0-9a-f]{12})$/;

/** The number and the attempt in the id of an envelope; undefined for any other text. */
export function readEnvelopeId(text: string): { number: number; attempt: number } | undefined {
  const [, attempt, number] = ENVELOPE_ID.exec(text) ?? [];
  if (attempt === undefined || number === undefined) return undefined;
  return { number: Number.parseInt(number, 16), attempt: Number.parseInt(attempt, 16) };
}

type Payload = { readonly team_id: string; readonly event_time: number; readonly event: object };

/** Fields of files that hold their addresses, which are stored without the address of the service. */
const ADDRESSES = new Set(["url_private", "url_private_download", "permalink_public"]);

/** The JSON of an event with whole addresses of files. */
export const withAddresses = (event: object, baseUrl: string) =>
  JSON.parse(JSON.stringify(event), (name, value) =>
    ADDRESSES.has(name) && typeof value === "string" && value.startsWith("/files-")
      ? baseUrl + value
      : value,
  );

/** The body of the request that the service would send over HTTP. */
export function eventCallback(
  secret: Uint8Array,
  { app, payload, number, baseUrl }: Omit<EventDelivery, "attempt" | "failed">,
) {
  const { team_id: team, event_time: time, event } = payload as Payload;
  const id = digest(secret, `id ${app.id} ${number}`);
  return {
    token: requestToken(secret, app.id),
    team_id: team,
    context_team_id: team,
    context_enterprise_id: null,
    enterprise_id: null,
    api_app_id: app.id,
    event: withAddresses(event, baseUrl),
    type: "event_callback",
    event_id: `Ev${letters(id, UPPER, EVENT_ID_LENGTH)}`,
    event_time: time,
    authorizations: [
      {
        enterprise_id: null,
        team_id: team,
        user_id: app.user,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${digest(secret, `context ${app.id} ${number}`).toString("base64url")}`,
  };
}
