/** Lists in pages: newest first; a cursor holds the end of the last page. */
import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { ApiError } from "~/errors";
import { Digits } from "~/http/model";
import type { CursorPosition, Page } from "~/page";

export const PAGE_DEFAULT = 100;
export const PAGE_MAX = 1_000;
/** Bytes of long texts in a page that are not exceeded unless by its first item. */
export const PAGE_LENGTH_MAX = 2 * 1024 * 1024;

const Limit = Type.Integer({
  minimum: 1,
  maximum: PAGE_MAX,
  default: PAGE_DEFAULT,
  description: "Maximum number of items in a page",
});

export const PageQuery = {
  limit: t.Optional(t.String({ ...Digits, documented: Limit })),
  cursor: t.Optional(
    t.String({ maxLength: 500, description: "`nextCursor` of the previous page" }),
  ),
};
export const NextCursor = t.Optional(
  t.String({ maxLength: 500, description: "Present only if there is another page" }),
);

/** The list and user that a cursor is valid for. */
const scopeOf = (list: string, userId: string) =>
  createHash("sha256").update(`${list} ${userId}`).digest("hex").slice(0, 12);

const TIME = /^((?!0000)\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?\+00$/;
const ID = /^[\w-]{1,64}$/;

function isTime(text: string): boolean {
  const [, date, time] = TIME.exec(text) ?? [];
  const moment = new Date(`${date}T${time}Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(`${date}T${time}`);
}

/** For lists whose items have numbers. `item`: in a description. */
export const numberedQuery = (item: string) =>
  t.Object({
    after: t.Optional(
      t.String({
        ...Digits,
        documented: Type.Integer({
          minimum: 0,
          description: `The number of the last ${item} of the page before`,
        }),
      }),
    ),
    limit: t.Optional(
      t.String({
        ...Digits,
        documented: { ...Limit, description: `Maximum number of ${item}s in a page` },
      }),
    ),
  });

/** Throws `invalid_request` for a limit out of range. */
export function readLimit(given: string | undefined): number {
  const limit = given === undefined ? PAGE_DEFAULT : Number(given);
  if (limit >= 1 && limit <= PAGE_MAX) return limit;
  throw new ApiError("invalid_request", `limit: a number from 1 to ${PAGE_MAX} is needed`);
}

/** Throws `invalid_request` for a limit out of range, and for a cursor of another list. */
export function readPage(
  query: { limit?: string; cursor?: string },
  list: string,
  userId: string,
): Page {
  return {
    limit: readLimit(query.limit),
    after: query.cursor === undefined ? undefined : readCursor(query.cursor, list, userId),
  };
}

function readCursor(cursor: string, list: string, userId: string): CursorPosition {
  const [scope, at = "", id = ""] = Buffer.from(cursor, "base64url").toString().split("|");
  if (scope !== scopeOf(list, userId) || !isTime(at) || !ID.test(id))
    throw new ApiError("invalid_request", "cursor: it does not belong to this list");
  return { at, id };
}

/** `rows`: up to one more than the limit. */
export function pageOf<Row extends { readonly place: CursorPosition }>(
  rows: readonly Row[],
  { limit }: Page,
  list: string,
  userId: string,
): { rows: readonly Row[]; nextCursor?: string } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1)?.place;
  if (!last || rows.length <= limit) return { rows: shown };
  const text = [scopeOf(list, userId), last.at, last.id].join("|");
  return { rows: shown, nextCursor: Buffer.from(text).toString("base64url") };
}
