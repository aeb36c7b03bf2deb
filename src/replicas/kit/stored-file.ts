/** The answer with the bytes of an uploaded file. */
import { isUtf8 } from "node:buffer";
import { type HttpAnswer, httpAnswer } from "~/wire/message";

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
export function fileAnswer({ name, mimetype, content }: StoredFile, download = false): HttpAnswer {
  const disposition = download || !mimetype.startsWith("image/") ? "attachment" : "inline";
  const isText = /^text\/[\w.+-]+$/.test(mimetype) && isUtf8(content);
  const headers = {
    ...SAFE_HEADERS,
    "Content-Type": isText ? `${mimetype}; charset=utf-8` : mimetype,
    "Content-Disposition": `${disposition}; filename*=UTF-8''${encodeURIComponent(name)}`,
  };
  return httpAnswer(200, headers, content);
}
