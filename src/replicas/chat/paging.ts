/** Cursors: opaque to the client, base64 of `<what>:<where>`; empty at the end. */
import { ChatError, invalidArguments } from "~/replicas/chat/errors";

export const encodeCursor = (what: string, where: string) =>
  Buffer.from(`${what}:${where}`).toString("base64");

/** Where a cursor points. Throws `invalid_cursor` for one that this list did not give out. */
export function decodeCursor(
  cursor: string | undefined,
  what: string,
  pattern: RegExp,
): string | undefined {
  if (cursor === undefined || cursor === "") return undefined;
  const text = Buffer.from(cursor, "base64").toString("utf8");
  const where = text.slice(what.length + 1);
  if (!text.startsWith(`${what}:`) || !pattern.test(where) || encodeCursor(what, where) !== cursor)
    throw new ChatError("invalid_cursor");
  return where;
}

/** A limit as the service takes it: below one refused, above the cap cut. */
export function clampLimit(limit: number | undefined, fallback: number, max: number): number {
  if (limit === undefined) return fallback;
  if (limit < 1) throw limitError();
  return Math.min(limit, max);
}

const limitError = () =>
  new ChatError("invalid_limit", invalidArguments("limit must be at least 1").fields);

/** A page and its cursor from one row more than was asked for. */
export function cut<T>(rows: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? cursorOf(last) : "";
  return { page, hasMore: next !== "", metadata: { response_metadata: { next_cursor: next } } };
}
