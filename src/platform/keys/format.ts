/**
 * The format of our credentials: `diorama_k_` (key) or `diorama_e_` (environment token), 256 random bits and a
 * checksum, all in base62. The prefix is for secret scanners; the checksum rejects typing errors without a query.
 *
 * Pattern: ^diorama_[ke]_[0-9A-Za-z]{49}$
 */
import { randomBytes } from "node:crypto";
import { CryptoHasher } from "bun";
import { ABOUTS } from "~/replicas/services";

type CredentialKind = "k" | "e";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43; // ceil(256 / log2(62))
const CHECKSUM_LENGTH = 6; // ceil(32 / log2(62))
const PATTERN = /^diorama_([ke])_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n)
    text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}

/** As `base62`, for a number that needs no BigInt: every call has a checksum to compare. */
function checksum(text: string): string {
  let sum = "";
  for (let rest = Bun.hash.crc32(text); sum.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    sum = ALPHABET[rest % 62] + sum;
  return sum;
}

function formatCredential(kind: CredentialKind, secret: Uint8Array): string {
  const body = `diorama_${kind}_${base62(BigInt(`0x${Buffer.from(secret).toString("hex")}`), SECRET_LENGTH)}`;
  return body + checksum(body);
}

export const newCredential = (kind: CredentialKind) =>
  formatCredential(kind, randomBytes(SECRET_BYTES));

/** Returns the kind of a well-formed credential; undefined for any other text. */
export function credentialKind(text: string): CredentialKind | undefined {
  const [, kind, , sum] = PATTERN.exec(text) ?? [];
  if (!kind || checksum(text.slice(0, -CHECKSUM_LENGTH)) !== sum) return undefined;
  return kind as CredentialKind;
}

/** Some clients reject a token without their service's prefix. It may stand before any of ours. */
const STYLES = ABOUTS.flatMap(({ tokenStyles, appTokenStyle = [] }) =>
  tokenStyles.concat(appTokenStyle),
);
const STYLE = new RegExp(`^(?:${STYLES.join("|")})-(?=diorama_)`);

/** A credential without the prefix of a service. */
export const withoutStyle = (text: string) => text.replace(STYLE, "");

/** Returns the hash that is stored instead of a credential. */
export const hashCredential = (text: string): Buffer => CryptoHasher.hash("sha256", text);

/**
 * The key of every development server, the same everywhere: it gives no access that calls without a key lack, and
 * production does not accept it.
 */
export const DEVELOPMENT_KEY = formatCredential("k", hashCredential("diorama development key"));
