/** The response with the bytes of an uploaded file. */
import { isUtf8 } from "node:buffer";

export type StoredFile = {
  readonly name: string;
  readonly mimetype: string;
  readonly content: Uint8Array;
};

/** Uploaded content never runs under our origin: a page is sandboxed, without scripts. */
const SAFE_HEADERS = {
  "Content-Security-Policy":
    "sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'",
  "X-Content-Type-Options": "nosniff",
};

/** Images are shown in the browser unless `download` is set; everything else is always downloaded. */
export function fileResponse({ name, mimetype, content }: StoredFile, download = false): Response {
  const disposition = download || !mimetype.startsWith("image/") ? "attachment" : "inline";
  const isText = /^text\/[\w.+-]+$/.test(mimetype) && isUtf8(content);
  return new Response(Buffer.from(content), {
    headers: {
      ...SAFE_HEADERS,
      "Content-Type": isText ? `${mimetype}; charset=utf-8` : mimetype,
      "Content-Disposition": `${disposition}; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
  });
}
