/**
 * Tickets: each admits one connection of an app. They are signed with the environment's secret, not stored, and expire by
 * real time, whatever the time in the environment.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { hexOf, millisOf, REAL } from "~/source";

const TICKET_MS = 30_000;
const NONCE_BYTES = 8;
const MAC_LENGTH = 32;
const TICKET = /^((\d{13})\.[0-9a-f]{16}\.(A[A-Z0-9]{1,15}))\.([0-9a-f]{32})$/;

const sign = (secret: Uint8Array, text: string) =>
  createHmac("sha256", secret).update(`ticket ${text}`).digest("hex").slice(0, MAC_LENGTH);

export function issueTicket(secret: Uint8Array, app: string): string {
  const text = `${millisOf(REAL) + TICKET_MS}.${hexOf(REAL, NONCE_BYTES)}.${app}`;
  return `${text}.${sign(secret, text)}`;
}

/** Undefined for a text that is no ticket of this environment, or has expired. `now`: real time, in milliseconds. */
export function readTicket(secret: Uint8Array, query: URLSearchParams, now: number) {
  const ticket = query.get("ticket") ?? "";
  const [, text, expires, app, mac] = TICKET.exec(ticket) ?? [];
  if (text === undefined || app === undefined || mac === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(sign(secret, text)))) return undefined;
  const expiresAt = Number(expires);
  return expiresAt < now ? undefined : { app, ticket, expiresAt };
}
