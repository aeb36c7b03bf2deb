/** Reads the credential from a request. `platform/keys` validates it. */

/** The holder of the key, as opposed to the user that an agent acts as. */
export type Principal = {
  readonly userId: string;
  readonly keyId: string;
  readonly plan: "free" | "pro" | "enterprise";
};

/** The key of a platform call. Undefined if the header is missing or empty. */
export const platformKey = (request: Request): string | undefined =>
  request.headers.get("x-api-key")?.trim() || undefined;

const BEARER = /^bearer\s+/i;

/** The value of `Authorization`, with or without `Bearer`. */
export const authorization = (request: Request): string | undefined =>
  request.headers.get("authorization")?.trim().replace(BEARER, "") || undefined;
