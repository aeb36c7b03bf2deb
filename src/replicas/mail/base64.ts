/** Base64 as the API writes it, with the letters of URLs and padding, and as it accepts it: of either alphabet. */
import { invalid } from "~/replicas/mail/errors";

const FORM = /^[\w+/-]*={0,2}$/;

export const base64url = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("base64")
    .replaceAll("+", "-")
    .replaceAll("/", "_");

/** Throws for a text that is not base64. */
export function readBase64(text: string, field: string): Buffer {
  if (!FORM.test(text) || text.replace(/=+$/, "").length % 4 === 1)
    throw invalid(`Invalid value at '${field}' (TYPE_BYTES), Base64 decoding failed`);
  return Buffer.from(text, "base64");
}
