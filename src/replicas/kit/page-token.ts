/** Tokens of pages: opaque to the client, base64 of `<what>:<where>`. `what` is the list that issues it. */

export const pageToken = (what: string, where: string): string =>
  Buffer.from(`${what}:${where}`).toString("base64");

/** The place that a token names. Undefined if this list did not issue it. `pattern`: of the place. */
export function placeOfToken(token: string, what: string, pattern: RegExp): string | undefined {
  const text = Buffer.from(token, "base64").toString("utf8");
  const where = text.slice(what.length + 1);
  return pattern.test(where) && pageToken(what, where) === token ? where : undefined;
}
