/** The address that a client has called, where its calls are redirected to the server. */
import type { HttpRequest } from "~/wire/message";

/** Set by `diorama intercept`. */
export const CALLED_ORIGIN = "x-diorama-called-origin";

const ORIGIN = /^https:\/\/[a-z0-9.-]{1,253}$/i;

/** Scheme and host, so that an answer can name an address that leads back; undefined for a call to the server itself. */
export function calledOrigin({ headers }: HttpRequest): string | undefined {
  const origin = headers.get(CALLED_ORIGIN);
  return origin !== null && ORIGIN.test(origin) ? origin : undefined;
}

/** The address of a call: `path` follows the host, as it follows the address of a service here. Undefined as above. */
export function calledAddress(request: HttpRequest, path: string): string | undefined {
  const origin = calledOrigin(request);
  return origin && `${origin}/${path}`;
}
