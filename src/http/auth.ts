/** Reads the credential from a request. `platform/keys` validates it. */
import type { RequestHead } from "~/wire/message";

/** The key of a platform call. Undefined if the header is missing or empty. */
export const platformKey = (request: RequestHead): string | undefined =>
  request.headers.get("x-api-key")?.trim() || undefined;

const BEARER = /^bearer\s+/i;

const BASIC = /^basic\s+/i;

/**
 * The key of a client that may know nothing but an address: also as a bearer token, and as the password of
 * `http://diorama:KEY@host/`.
 */
export function anyKey(request: RequestHead): string | undefined {
  const key = platformKey(request) ?? authorization(request);
  if (key === undefined || !BASIC.test(key)) return key;
  const [user = "", ...password] = Buffer.from(key.replace(BASIC, ""), "base64")
    .toString()
    .split(":");
  return password.join(":") || user || undefined;
}

/** The value of `Authorization`, with or without `Bearer`. */
export const authorization = (request: RequestHead): string | undefined =>
  request.headers.get("authorization")?.trim().replace(BEARER, "") || undefined;
