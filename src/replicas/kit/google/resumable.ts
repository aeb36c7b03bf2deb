/**
 * Uploads of Google's APIs in several requests (`uploadType=resumable`): one begins it and returns an address, others
 * bring pieces of the file. The last one makes the call, as if it had come whole.
 */
import { GoogleError, UnknownPath } from "~/replicas/kit/google/errors";
import type { Router } from "~/replicas/kit/router";
import type { Delivery, Upload, UploadStore, Uploads } from "~/replicas/uploads";
import {
  HeaderList,
  type HttpAnswer,
  HttpRequest,
  httpAnswer,
  isOk,
  JSON_HEADERS,
  textOf,
} from "~/wire/message";

/** All pieces but the last have a multiple of this. */
const PIECE_BYTES = 256 * 1024;
/** Of the fields beside the file, which are stored until its last piece. */
const FIELDS_BYTES_MAX = 64 * 1024;

type Rules<Context> = {
  readonly router: Router<Context>;
  /** In front of the paths of operations: `upload/`. */
  readonly prefix: string;
  readonly bytesMax: number;
  /** The type of a file whose client says none. */
  readonly type: string;
  readonly errors: {
    readonly invalid: (message: string) => GoogleError;
    readonly tooLarge: () => GoogleError;
    readonly tooMany: () => GoogleError;
    readonly gone: () => GoogleError;
    /** The client may try again. */
    readonly busy: () => GoogleError;
  };
};

const RESUMABLE = /^resumable\//;

export function resumableUploads<Context>(rules: Rules<Context>): Uploads {
  const { prefix } = rules;
  return {
    matches(request, path) {
      if (RESUMABLE.test(path)) return true;
      if (!path.startsWith(prefix) || !request.hasQuery) return false;
      const { searchParams } = request.url;
      return (
        searchParams.has("upload_id") ||
        [searchParams.get("uploadType"), searchParams.get("upload_protocol")].includes("resumable")
      );
    },
    async answer(delivery, store, perform) {
      const id = delivery.request.url.searchParams.get("upload_id");
      try {
        return await (id === null
          ? begin(rules, delivery, store)
          : proceed(rules, { ...delivery, id }, store, perform));
      } catch (error) {
        if (error instanceof GoogleError) return error.answer;
        throw error;
      }
    },
  };
}

async function begin<Context>(
  { router, prefix, bytesMax, type, errors }: Rules<Context>,
  { request, path: given, body, address }: Delivery & { readonly address: string },
  store: UploadStore,
): Promise<HttpAnswer> {
  const path = given.replace(RESUMABLE, "");
  const route = router.find({ request, path: path.slice(prefix.length), body });
  if (!path.startsWith(prefix) || "kind" in route || route.operation.media.length === 0)
    throw new UnknownPath("there is no such path");
  if (body.byteLength > FIELDS_BYTES_MAX) throw errors.tooLarge();
  const length = request.headers.get("x-upload-content-length");
  const announced = length === null ? null : Number(length);
  if (announced !== null && !(Number.isSafeInteger(announced) && announced >= 0))
    throw errors.invalid("Invalid value for header X-Upload-Content-Length.");
  if (announced !== null && announced > bytesMax) throw errors.tooLarge();
  const query = new URLSearchParams(request.url.search);
  for (const name of ["uploadType", "upload_protocol", "access_token", "oauth_token"])
    query.delete(name);
  query.set("uploadType", body.byteLength > 0 ? "multipart" : "media");
  const upload: Upload = {
    method: request.method,
    path: `${path}?${query}`,
    contentType: request.headers.get("x-upload-content-type") ?? type,
    fields: Buffer.from(body).toString(),
    announced,
  };
  if (findBreak(upload)) throw errors.invalid("Invalid value.");
  const id = await store.begin(upload);
  if (id === undefined) throw errors.tooMany();
  return httpAnswer(200, {
    Location: `${address}?uploadType=resumable&upload_id=${id}`,
    "X-GUploader-UploadID": id,
    "X-Goog-Upload-Status": "active",
  });
}

/** Postgres stores no zero byte. */
const findBreak = ({ path, fields }: Upload) => path.includes("\0") || fields.includes("\0");

/** `from`: the place of the first byte, undefined for a question; `total`: undefined as long as the client has not said. */
type Range = { readonly from: number | undefined; readonly total: number | undefined };

function rangeOf(header: string | null, length: number): Range | undefined {
  if (header === null) return { from: 0, total: length };
  const [, first, last, all] =
    /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/.exec(header) ?? [];
  if (all === undefined) return undefined;
  const total = all === "*" ? undefined : Number(all);
  if (first === undefined) return length === 0 ? { from: undefined, total } : undefined;
  const isWhole = Number(last) + 1 - Number(first) === length;
  return isWhole && (total ?? Infinity) > Number(last) ? { from: Number(first), total } : undefined;
}

/** Where the client continues. */
const incomplete = (received: number): HttpAnswer =>
  httpAnswer(308, received > 0 ? { Range: `bytes=0-${received - 1}` } : {});

async function proceed<Context>(
  { prefix, bytesMax, errors }: Rules<Context>,
  { request, path, body, id }: Delivery & { readonly id: string },
  store: UploadStore,
  perform: (whole: Delivery) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const upload = await store.find(id);
  if (!upload || !path.replace(RESUMABLE, "").startsWith(prefix)) throw errors.gone();
  if (request.method === "DELETE") {
    await store.drop(id);
    return httpAnswer(499, {});
  }
  if (upload.answer !== null) return httpAnswer(200, JSON_HEADERS, upload.answer);
  const range = rangeOf(request.headers.get("content-range"), body.byteLength);
  if (!range) throw errors.invalid("Failed to parse Content-Range header.");
  const { received, announced } = upload;
  const { from = received, total } = range;
  if ((total ?? from + body.byteLength) > bytesMax) {
    await store.drop(id);
    throw errors.tooLarge();
  }
  if (total !== undefined && announced !== null && total !== announced)
    throw errors.invalid("The total of Content-Range is not the announced length.");
  // A client that is at another place continues at ours.
  if (from > received || from + body.byteLength < received) return incomplete(received);
  const fresh = body.subarray(received - from);
  const length = received + fresh.byteLength;
  if (length === total) return await complete(errors, { upload, id, last: fresh }, store, perform);
  if (fresh.byteLength % PIECE_BYTES !== 0)
    throw errors.invalid(
      `Invalid request.  The number of bytes uploaded is required to be equal or greater than ${PIECE_BYTES}, except for the final request (it's recommended to be the exact multiple of ${PIECE_BYTES}).  The received request contained ${fresh.byteLength} bytes, which does not meet this requirement.`,
    );
  if (fresh.byteLength > 0 && !(await store.append(id, received, fresh))) throw errors.busy();
  return incomplete(length);
}

async function complete<Context>(
  errors: Rules<Context>["errors"],
  {
    upload,
    id,
    last,
  }: { readonly upload: Upload & { received: number }; id: string; last: Uint8Array },
  store: UploadStore,
  perform: (whole: Delivery) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const pieces = await store.take(id, upload.received);
  if (!pieces) throw errors.busy();
  let answer: HttpAnswer | undefined;
  try {
    answer = await perform(wholeOf(upload, id, [...pieces, last]));
  } finally {
    // Of a failure that may pass, the client repeats the last piece.
    if (answer && isOk(answer)) await store.keep(id, textOf(answer));
    else if (answer && answer.status < 500 && answer.status !== 429) await store.drop(id);
    else await store.giveBack(id);
  }
  return answer;
}

/** The call as one request: the file, or its fields and the file as two parts. */
function wholeOf(
  { method, path, contentType, fields }: Upload,
  id: string,
  pieces: Uint8Array[],
): Delivery {
  const isAlone = fields === "";
  const headers = HeaderList.of({
    "content-type": isAlone ? contentType : `multipart/related; boundary=${id}`,
  });
  const head = `--${id}\r\nContent-Type: application/json\r\n\r\n${fields}\r\n--${id}\r\nContent-Type: ${contentType}\r\n\r\n`;
  const body = isAlone
    ? Buffer.concat(pieces)
    : Buffer.concat([Buffer.from(head), ...pieces, Buffer.from(`\r\n--${id}--\r\n`)]);
  const request = new HttpRequest(method, `/${path}`, headers);
  return { request, path: request.pathname.slice(1), body };
}
