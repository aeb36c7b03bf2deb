/**
 * Trigger ids: a user's click gives one to an app, which opens a modal or a dialog with it. Nobody clicks here, so the
 * platform issues them. They are signed with the environment's secret, not stored: issuing one changes no row.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { hexOf, millisOf, type Source } from "~/source";

const NONCE_BYTES = 5;
const MAC_LENGTH = 32;
const TRIGGER = /^((\d{13})\.[0-9a-f]{10}\.([UW][A-Z0-9]{2,15}))\.([0-9a-f]{32})$/;

const sign = (secret: Uint8Array, text: string) =>
  createHmac("sha256", secret).update(`trigger ${text}`).digest("hex").slice(0, MAC_LENGTH);

export function issueTrigger(
  secret: Uint8Array,
  user: string,
  expiresAt: Date,
  source: Source,
): string {
  const text = `${expiresAt.getTime()}.${hexOf(source, NONCE_BYTES)}.${user}`;
  return `${text}.${sign(secret, text)}`;
}

/** Of a trigger that this environment issued: the user it was issued for. Undefined for any other text. */
export function readTrigger(
  secret: Uint8Array,
  trigger: string,
  source: Source,
): { readonly user: string; readonly isExpired: boolean } | undefined {
  const [, text, expiresAt, user, mac] = TRIGGER.exec(trigger) ?? [];
  if (text === undefined || user === undefined || mac === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(sign(secret, text)))) return undefined;
  return { user, isExpired: Number(expiresAt) < millisOf(source) };
}
