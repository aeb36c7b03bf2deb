/** Tokens of pages and of later lists: opaque to the client. */
import { CalendarError, invalid } from "~/replicas/calendar/errors";

const encode = (value: object): string => {
  const text = JSON.stringify(value);
  // The service's tokens have padding at their end.
  return Buffer.from(text.length % 3 === 0 ? `${text} ` : text)
    .toString("base64url")
    .replace(/$/, "=");
};

function decode(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString());
  } catch {
    return undefined;
  }
}

/** A place in a list. */
type PageToken = {
  /** The list. */
  readonly list: string;
  /** The number of the last change when the first page was read. */
  readonly version: number;
  readonly at: number;
  readonly id: string;
};

/** Places are times or numbers. The latest time that a date can have. */
const PLACE_MAX = 8.64e15;

/** `list`: the list that issues it. */
export const pageTokenOf = ({ list, version, at, id }: PageToken): string =>
  encode([list, version, at, id]).replace(/=$/, "");

/** Throws for a token of another list. */
export function readPageToken(token: string | undefined, list: string): PageToken | undefined {
  if (token === undefined) return undefined;
  const value = decode(token);
  const [of, version, at, id] = Array.isArray(value) ? value : [];
  const isPlace = typeof at === "number" && Math.abs(at) <= PLACE_MAX && typeof id === "string";
  const isRead = of === list && typeof version === "number" && isPlace;
  if (!isRead) throw invalid("Invalid page token value.");
  return { list, version, at, id };
}

export const syncTokenOf = (list: string, version: number): string => encode([list, version]);

/** The number of the last change that a client knows. Throws for a token of another list. */
export function readSyncToken(token: string | undefined, list: string): number | undefined {
  if (token === undefined) return undefined;
  const value = decode(token);
  const [of, version] = Array.isArray(value) ? value : [];
  if (of !== list || typeof version !== "number") throw invalid("Invalid sync token value.");
  return version;
}

export const fullSyncRequired = () =>
  new CalendarError("fullSyncRequired", "Sync token is no longer valid, a full sync is required.", [
    "parameter",
    "syncToken",
  ]);

/** Of a list whose last change has this number. */
export const listEtagOf = (version: number): string => `"p${version * 2}g"`;
