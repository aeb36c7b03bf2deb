/** Public documents that never change while the process runs: compressed once per encoding, sent once to each client. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import { weightsOf } from "~/http/accept";
import type { RequestHead } from "~/wire/message";

/** At these levels the explorer's script, 1.5 MB, takes a few hundred milliseconds, once and outside the event loop. */
const BROTLI_QUALITY = 9;
const ZSTD_LEVEL = 12;
const GZIP_LEVEL = 9;

const compressors = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
    }),
  zstd: (bytes: Uint8Array) =>
    promisify(zstdCompress)(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
    }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: GZIP_LEVEL }),
};
type Encoding = keyof typeof compressors;
/** In order of preference. */
const ENCODINGS = Object.keys(compressors) as Encoding[];

type Cached = {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly headers: Headers;
  readonly encoded: Map<Encoding, Promise<Uint8Array>>;
};

export function createCache() {
  const texts = new Map<string, Promise<Cached | Response>>();

  return {
    /** Answers with the cached result of `produce` for `name`. Any status other than 200 is passed on and not cached. */
    async answer(
      request: RequestHead,
      name: string,
      produce: () => Promise<Response>,
    ): Promise<Response> {
      let text = texts.get(name);
      if (!text) {
        text = keep(produce());
        texts.set(name, text);
      }
      let found: Cached | Response | undefined;
      try {
        found = await text;
      } finally {
        if (!found || found instanceof Response) texts.delete(name);
      }
      return found instanceof Response ? found : await respond(request, found);
    },
  };
}

async function keep(produced: Promise<Response>): Promise<Cached | Response> {
  const response = await produced;
  if (response.status !== 200) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  headers.append("Vary", "Accept-Encoding");
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-cache");
  return { bytes, hash, headers, encoded: new Map() };
}

async function respond(request: RequestHead, cached: Cached): Promise<Response> {
  const encoding = encodingOf(request.headers.get("accept-encoding") ?? "");
  const headers = new Headers(cached.headers);
  const etag = `"${cached.hash}${encoding ? `-${encoding}` : ""}"`;
  headers.set("ETag", etag);
  if (isKnown(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  if (!encoding) return new Response(cached.bytes, { headers });
  headers.set("Content-Encoding", encoding);
  let bytes = cached.encoded.get(encoding);
  if (!bytes) {
    bytes = compressors[encoding](cached.bytes);
    cached.encoded.set(encoding, bytes);
  }
  return new Response(await bytes, { headers });
}

const isKnown = (header: string | null, etag: string) =>
  (header ?? "").split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));

/** The client's preferred encoding of those supported; undefined if it accepts none. */
export function encodingOf(header: string): Encoding | undefined {
  const weights = weightsOf(header);
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  return ENCODINGS.filter((name) => weightOf(name) > 0).toSorted(
    (a, b) => weightOf(b) - weightOf(a),
  )[0];
}
