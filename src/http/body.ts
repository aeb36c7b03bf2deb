/** Reads a request's body: bounded, and for the platform as strict JSON. */
import { findUnstorable } from "~/db/storable";
import { ApiError } from "~/errors";
import { isObject, parseBounded, TooLarge } from "~/input/json";
import { createBody, type IncomingBody, type IncomingRequest } from "~/wire/incoming";
import { utf8 } from "~/wire/message";

/** Of a platform body. Higher than the default, because its values are not processed one by one. */
const VALUES_MAX = 250_000;

/** Bytes of a body to read before authentication, in search of a credential. */
export const CREDENTIAL_PREFIX_MAX = 64 * 1024;

const EMPTY = new Uint8Array();

/** A body that has already arrived. */
export function wholeBody(bytes: Uint8Array): IncomingBody {
  const body = createBody(() => {});
  body.push(bytes);
  body.end();
  return body;
}

const tooLarge = (max: number) =>
  new ApiError("request_too_large", `The body is larger than ${max} bytes`);

/** Reads the whole body. Throws `request_too_large` as soon as it is longer than `max` bytes. */
export async function readBody(request: IncomingRequest, max: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > max) throw tooLarge(max);
  const bytes = (await request.body?.upTo(max)) ?? EMPTY;
  if (bytes.byteLength > max) throw tooLarge(max);
  return bytes;
}

/** Reads the beginning of the body. A later read continues from there. */
export async function readPrefix(request: IncomingRequest): Promise<Uint8Array> {
  const bytes = (await request.body?.upTo(CREDENTIAL_PREFIX_MAX)) ?? EMPTY;
  return bytes.subarray(0, CREDENTIAL_PREFIX_MAX);
}

const invalid = (detail: string) => new ApiError("invalid_request", detail);

/** Reads the JSON body of a platform request, of at most `max` bytes. Rejects values that Postgres cannot store. */
export async function readJson(request: IncomingRequest, max: number): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? ""))
    throw invalid("The Content-Type must be application/json");
  if (request.headers.has("content-encoding")) throw invalid("The body must not be compressed");
  const value = parseJson(await readBody(request, max));
  if (!isObject(value)) throw invalid("The body must be a JSON object");
  return value;
}

export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw invalid("The body is empty; a JSON object is needed");
  let value: unknown;
  try {
    value = parseBounded(utf8(bytes), VALUES_MAX);
  } catch (error) {
    throw invalid(
      error instanceof TooLarge
        ? `The body is JSON ${error.message}`
        : "The body is not valid JSON in UTF-8",
    );
  }
  const unstorable = findUnstorable(value);
  if (unstorable !== undefined)
    throw invalid(`${unstorable}: a string holds NUL or half a surrogate pair`);
  return value;
}
