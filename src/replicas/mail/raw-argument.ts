/** The message that a call carries: in its JSON, or as media. */
import type { Media } from "~/replicas/kit/rest-body";
import { readBase64 } from "~/replicas/mail/base64";
import { invalid, tooLarge } from "~/replicas/mail/errors";
import { SERVICE_BODY_MAX } from "~/wire/limits";

/** Bytes of a message that a call carries. The service takes 35 MB, whose parsing would hold up everybody's calls. */
export const RAW_MAX = SERVICE_BODY_MAX;

/** Throws for a call without a message. */
export function rawOf(
  { raw }: { readonly raw?: string | undefined },
  media: Media | undefined,
  field = "raw",
): Uint8Array {
  const bytes = media?.bytes ?? (raw === undefined ? undefined : readBase64(raw, field));
  if (bytes === undefined || bytes.byteLength === 0)
    throw invalid(
      "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
    );
  if (bytes.byteLength > RAW_MAX) throw tooLarge();
  return bytes;
}
