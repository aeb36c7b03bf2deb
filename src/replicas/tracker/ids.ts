/** Ids, slugs and identifiers, in the service's formats. */
import { createHash } from "node:crypto";
import { isUuid } from "~/graphql/uuid";
import { invalidArgument } from "~/replicas/tracker/errors";
import { hexOf, type Sourced, uuid } from "~/source";

export const newId = ({ source }: Sourced): string => uuid(source);

const SLUG_BYTES = 6;
/** Twelve hex digits, the last part of URLs. */
export const newSlugId = ({ source }: Sourced) => hexOf(source, SLUG_BYTES);

/** A deterministic id: for entries of a seed without an id, and for singletons. */
export function derivedId(...parts: readonly string[]): string {
  const hex = createHash("sha256").update(parts.join("\u0000")).digest("hex");
  const variant = (Number.parseInt(hex.charAt(16), 16) & 3) | 8;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant.toString(16)}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The slug id for a derived id. */
export const derivedSlugId = (id: string) => id.replaceAll("-", "").slice(-2 * SLUG_BYTES);

/** The identifier in upper case: `ENG-12`. Undefined when the text is none. */
export const identifierOf = (text: string): string | undefined =>
  /^[a-z][a-z0-9]{0,9}-\d{1,9}$/i.test(text) ? text.toUpperCase() : undefined;

/** The slug id of a slug: `roadmap-for-2026-abc123def456` → `abc123def456`. */
export const slugIdOf = (text: string): string | undefined =>
  /^(?:.*-)?([0-9a-f]{12})$/i.exec(text)?.[1]?.toLowerCase();

const SLUG_LENGTH_MAX = 60;
/** A title in the form of URLs: `Fix the build` → `fix-the-build`. */
export const slugOf = (title: string) =>
  title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/-+$/, "");

/** The id in an argument that accepts nothing else. Throws. */
export function requireUuid(property: string, value: string): string {
  if (!isUuid(value))
    throw invalidArgument(property, value, "isUuid", `${property} must be a UUID`);
  return value.toLowerCase();
}
