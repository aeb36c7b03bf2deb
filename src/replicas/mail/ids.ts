/** The forms of ids. */
import { createHash } from "node:crypto";
import { invalid } from "~/replicas/mail/errors";

/** Bits of an id that do not come from the date. */
export const NUMBER_BITS = 20;
/** In hexadecimal digits. */
export const ID_LENGTH = 16;
const ID = /^[0-9a-f]{1,16}$/i;

/** The last date whose bits an id has room for: of the year 2527. */
const DATE_MAX = 2 ** 44 - 1;

/** The first id of a date in milliseconds: messages of this date or a later one have ids from it on. */
export const firstIdOf = (date: number): string =>
  (BigInt(Math.min(Math.max(date, 0), DATE_MAX)) << BigInt(NUMBER_BITS))
    .toString(16)
    .padStart(ID_LENGTH, "0");

/** The id as it is stored. Throws for a text that is not an id. */
export function readId(text: string, message = "Invalid id value"): string {
  if (!ID.test(text)) throw invalid(message);
  return text.toLowerCase().padStart(ID_LENGTH, "0");
}

const SCATTER = 0x9e3779b97f4a7c15n;

export const draftIdOf = (number: string): string =>
  `r${BigInt.asIntN(64, BigInt(number) * SCATTER)}`;

export const filterIdOf = (number: number): string =>
  `ANe1Bm${createHash("sha256").update(`filter ${number}`).digest("base64url").slice(0, 28)}`;

const TOKEN = "ANGjdJ";

export const attachmentIdOf = (messageId: string, partId: string): string =>
  TOKEN + Buffer.from(`${messageId}/${partId}`).toString("base64url");

/** The part of a message that an attachment id names. Throws for one of another message. */
export function partOfAttachment(id: string, messageId: string): string {
  const [of, partId] = Buffer.from(id.slice(TOKEN.length), "base64url").toString().split("/");
  if (!id.startsWith(TOKEN) || of !== messageId || partId === undefined)
    throw invalid("Invalid attachment token");
  return partId;
}

/** A Message-ID in the form of the service's own. */
export const newMessageId = (seed: string): string =>
  `<CA${createHash("sha256").update(seed).digest("base64url").slice(0, 44)}@mail.gmail.com>`;
