/** Where a credential stands in a request. What it is worth is decided by `platform/keys`. */

/** Who holds the key, as opposed to the user that an agent acts as. */
export type Principal = {
  readonly userId: string;
  readonly keyId: string;
  readonly plan: "free" | "pro" | "enterprise";
};

/** The platform takes its key from one place only. Undefined: the header is missing or empty. */
export const platformKey = (request: Request): string | undefined =>
  request.headers.get("x-api-key")?.trim() || undefined;

const BEARER = /^bearer\s+/i;

/** What stands in `Authorization`, with or without `Bearer`. */
export const authorization = (request: Request): string | undefined =>
  request.headers.get("authorization")?.trim().replace(BEARER, "") || undefined;
