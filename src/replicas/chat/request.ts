/** The arguments of a call from the query, a form, multipart or JSON. The body takes precedence. */
import { isObject, parseBounded } from "~/input/json";
import type { RawArguments } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { readFields } from "~/replicas/kit/text-values";
import { type HttpRequest, type RequestHead, utf8 } from "~/wire/message";

export type Incoming = { readonly request: HttpRequest; readonly body: Uint8Array };

export type Arguments = { readonly raw: RawArguments; readonly warnings: readonly string[] };

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const MULTIPART_TYPE = "multipart/form-data";

export const isMethodVerb = (verb: string) => verb === "GET" || verb === "POST";

export const methodName = (path: string) => path.replace(/^api\//, "");

/** The arguments of a method, and the token among them. Throws like `readArguments`. */
export async function readCall(incoming: Incoming) {
  const { raw: given, warnings } = await readArguments(incoming);
  const raw = new Map(given);
  const token = raw.get("token");
  raw.delete("token");
  return { raw, token, warnings };
}

/** Throws the service's codes for a body that cannot be read. */
async function readArguments({ request, body }: Incoming): Promise<Arguments> {
  const raw = new Map<string, unknown>(request.hasQuery ? request.url.searchParams : []);
  const [type = "", ...parameters] = (request.headers.get("content-type") ?? "")
    .toLowerCase()
    .split(";");
  const charset = parameters
    .map((parameter) => /^\s*charset="?([^"\s]+)/.exec(parameter)?.[1])
    .find(Boolean);
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8")
    throw new ChatError("invalid_charset");
  const warnings: string[] = [];
  if (body.byteLength === 0) return { raw, warnings };

  switch (type.trim()) {
    case JSON_TYPE:
      if (charset === undefined) warnings.push("missing_charset");
      for (const [name, value] of Object.entries(parseObject(body))) raw.set(name, value);
      break;
    case FORM_TYPE:
      if (charset !== undefined) warnings.push("superfluous_charset");
      for (const [name, value] of readForm(body)) raw.set(name, value);
      break;
    case MULTIPART_TYPE:
      for (const [name, value] of await readMultipart(request, body)) raw.set(name, value);
      break;
    case "":
      throw new ChatError("missing_post_type");
    default:
      throw new ChatError("invalid_post_type");
  }
  return { raw, warnings };
}

function decode(body: Uint8Array, code: string): string {
  try {
    return utf8(body);
  } catch {
    throw new ChatError(code);
  }
}

/** Throws `invalid_form_data` for a form with more fields than any method has. */
function readForm(body: Uint8Array): URLSearchParams {
  const fields = readFields(decode(body, "invalid_form_data"));
  if (!fields) throw new ChatError("invalid_form_data");
  return fields;
}

function parseObject(body: Uint8Array): object {
  let value: unknown;
  try {
    value = parseBounded(decode(body, "invalid_json"));
  } catch {
    throw new ChatError("invalid_json");
  }
  if (!isObject(value)) throw new ChatError("json_not_object");
  return value;
}

const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i;
const LINE_END = /^[ \t]*(?:\r\n|$)/;
/** Bytes that are checked after a delimiter: padding and the end of its line. */
const PADDING_MAX = 100;

/** A multipart body up to its first closing delimiter. What follows is no part of the form (RFC 2046, 5.1.1). */
function untilClosed(body: Uint8Array, type: string): Uint8Array {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return body;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const closing = `--${boundary}--`;
  for (let at = bytes.indexOf(closing); at >= 0; at = bytes.indexOf(closing, at + 1)) {
    const end = at + closing.length;
    const isLine = at === 0 || bytes.toString("latin1", at - 2, at) === "\r\n";
    if (isLine && LINE_END.test(bytes.toString("latin1", end, end + PADDING_MAX)))
      return bytes.subarray(0, end);
  }
  return body;
}

/** The fields of a multipart body, files as their bytes. Throws `invalid_form_data`. */
export async function readMultipart(
  request: RequestHead,
  body: Uint8Array,
): Promise<[string, string | Uint8Array][]> {
  const type = request.headers.get("content-type") ?? "";
  const fields: [string, string | Uint8Array][] = [];
  try {
    const whole = Buffer.from(untilClosed(body, type));
    const form = await new Response(whole, { headers: { "Content-Type": type } }).formData();
    for (const [name, value] of form)
      fields.push([
        name,
        typeof value === "string" ? value : new Uint8Array(await value.arrayBuffer()),
      ]);
  } catch {
    throw new ChatError("invalid_form_data");
  }
  return fields;
}

/** The `token` argument, where clients may send their credential. Undefined when there is none. */
export async function tokenArgument({
  request,
  beginning,
}: Omit<Incoming, "body"> & { readonly beginning: () => Promise<Uint8Array> }): Promise<
  string | undefined
> {
  const fromQuery = request.hasQuery ? request.url.searchParams.get("token") : null;
  if (fromQuery !== null) return fromQuery;
  const type = (request.headers.get("content-type") ?? "").toLowerCase();
  const read = TOKEN_READERS.find(([name]) => type.startsWith(name))?.[1];
  return read?.(Buffer.from(await beginning()).toString());
}

const TOKEN_NAME = /name="?token"?/gi;
/** The empty line after the headers of a part; or a line end that no header has. */
const HEADERS_END = /(\r\n\r\n)|\r(?!\n)|(?<!\r)\n/g;

/**
 * The value of the part named `token`, after its headers. It is read before authentication, so each byte is read once:
 * a name whose headers do not end rules out every other one before that place.
 */
function multipartToken(text: string): string | undefined {
  let from = 0;
  while (true) {
    TOKEN_NAME.lastIndex = from;
    const name = TOKEN_NAME.exec(text);
    if (!name) return undefined;
    HEADERS_END.lastIndex = name.index;
    const end = HEADERS_END.exec(text);
    if (!end) return undefined;
    from = HEADERS_END.lastIndex;
    if (end[1]) return /^[^\r\n]*/.exec(text.slice(from))?.[0];
  }
}

const TOKEN_READERS: readonly (readonly [string, (text: string) => string | undefined])[] = [
  [FORM_TYPE, (text) => new URLSearchParams(text).get("token") ?? undefined],
  [MULTIPART_TYPE, multipartToken],
  [JSON_TYPE, (text) => /"token"\s*:\s*"([^"\\]*)"/.exec(text)?.[1]],
];
