/** The body of a REST call: JSON, a form, media, or JSON and media as `multipart/related`. */
import type { TObject } from "@sinclair/typebox";
import { parseBounded, TooLarge } from "~/input/json";
import { MultipartError, readParts } from "~/replicas/kit/multipart";
import { readFields, valuesOf } from "~/replicas/kit/text-values";
import { type HttpRequest, utf8 } from "~/wire/message";

/** Content of any type, such as a message in its wire format. */
export type Media = { readonly type: string; readonly bytes: Uint8Array };

type BodyForm = {
  readonly shape: TObject | undefined;
  /** Types of media that the operation takes, alone or after JSON: `message/rfc822`, `*`. */
  readonly media: readonly string[];
};

/** `value`: of the shape, unchecked. */
type ReadBody = { readonly value: unknown; readonly media: Media | undefined };

/** A body that cannot be read. `isType`: because of its type. The message says why. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly isType: boolean;
  constructor(message: string, { isType }: { readonly isType: boolean }) {
    super(message);
    this.isType = isType;
  }
}

const unreadable = (message: string) => new BodyError(message, { isType: false });

const JSON_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?json$/;
const FORM_TYPE = "application/x-www-form-urlencoded";
const RELATED_TYPE = "multipart/related";

const typeOf = (header: string | null) => (header ?? "").replace(/;.*/s, "").trim().toLowerCase();

/** Throws BodyError. A body of an operation that takes none is ignored. */
export function readBody(
  { shape, media }: BodyForm,
  { headers }: HttpRequest,
  bytes: Uint8Array,
): ReadBody {
  if (!shape && media.length === 0) return { value: undefined, media: undefined };
  const header = headers.get("content-type") ?? "";
  const type = typeOf(header);
  if (type === RELATED_TYPE && shape && media.length > 0) {
    const [json, content] = readRelated(header, bytes);
    const mediaType = typeOf(content.headers.get("content-type"));
    requireMedia(media, mediaType);
    return {
      value: parseJson(json.content),
      media: { type: mediaType, bytes: content.content },
    };
  }
  if (bytes.byteLength === 0) return { value: shape && {}, media: undefined };
  if (shape && type === FORM_TYPE) return { value: parseForm(shape, bytes), media: undefined };
  if (shape && (type === "" || JSON_TYPE.test(type)))
    return { value: parseJson(bytes), media: undefined };
  requireMedia(media, type);
  return { value: shape && {}, media: { type, bytes } };
}

function requireMedia(accepted: readonly string[], type: string): void {
  if (!accepted.some((each) => each === "*" || each === type))
    throw new BodyError(`The type ${type} is not accepted.`, { isType: true });
}

function readRelated(header: string, bytes: Uint8Array) {
  try {
    const [json, content] = readParts(header, bytes, 2);
    if (json && content) return [json, content] as const;
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    throw unreadable(error.message);
  }
  throw unreadable("The body must have two parts: JSON and media.");
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseBounded(utf8(bytes));
  } catch (error) {
    throw unreadable(
      error instanceof TooLarge
        ? `The body is JSON ${error.message}.`
        : "The body is not valid JSON in UTF-8.",
    );
  }
}

function parseForm({ properties }: TObject, bytes: Uint8Array): unknown {
  const fields = readFields(Buffer.from(bytes).toString());
  if (!fields) throw unreadable("The form has too many fields.");
  return valuesOf(properties, fields);
}
