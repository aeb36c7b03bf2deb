/** Pages: by cursor, which is empty at the end, or by number. */
import { Maybe, Whole } from "~/replicas/chat/arguments";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { pageToken, placeOfToken } from "~/replicas/kit/page-token";

export const encodeCursor = pageToken;

/** The position of a cursor. Throws `invalid_cursor` for one that this list did not issue. */
export function decodeCursor(
  cursor: string | undefined,
  what: string,
  pattern: RegExp,
): string | undefined {
  if (cursor === undefined || cursor === "") return undefined;
  const where = placeOfToken(cursor, what, pattern);
  if (where === undefined) throw new ChatError("invalid_cursor");
  return where;
}

/** A limit by the service's rules: values below one are rejected, values above the maximum are reduced. */
export function clampLimit(limit: number | undefined, fallback: number, max: number): number {
  if (limit === undefined) return fallback;
  if (limit < 1) throw limitError();
  return Math.min(limit, max);
}

const limitError = () =>
  new ChatError("invalid_limit", invalidArguments("limit must be at least 1").fields);

/** A page and its cursor, from rows with one extra row. */
export function cut<T>(rows: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? cursorOf(last) : "";
  return { page, hasMore: next !== "", metadata: { response_metadata: { next_cursor: next } } };
}

export const LIMIT = Maybe(Whole("Maximum number of items per page.", { minimum: 1 }));

export const PAGE_ARGS = {
  count: Maybe(Whole("Size of a page.")),
  page: Maybe(Whole("Number of the page, from 1.")),
};

const PAGE_SIZE_MAX = 1_000;
/** The last page by number. */
const PAGES_MAX = 100_000;

/** The window of a page by number or by cursor, and the fields of the answer that describe it. */
export function readPage(
  given: { count?: number; page?: number; limit?: number; cursor?: string },
  fallback: number,
  max = PAGE_SIZE_MAX,
) {
  const limit = clampLimit(given.limit ?? (given.count || undefined), fallback, max);
  const from = decodeCursor(given.cursor, "offset", /^\d{1,9}$/);
  const number = Math.min(Math.max(given.page ?? 1, 1), PAGES_MAX);
  const offset = from === undefined ? (number - 1) * limit : Number(from);
  return {
    window: { limit, offset },
    answer: (total: number) => ({
      paging: {
        count: limit,
        total,
        page: Math.floor(offset / limit) + 1,
        pages: Math.ceil(total / limit),
      },
      response_metadata: {
        next_cursor: offset + limit < total ? encodeCursor("offset", String(offset + limit)) : "",
      },
    }),
  };
}
