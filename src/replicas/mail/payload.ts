/** Messages as the API shows them, in each of its formats. */
import { base64url } from "~/replicas/mail/base64";
import { attachmentIdOf } from "~/replicas/mail/ids";
import { type Part, parseMail } from "~/replicas/mail/mime/parse";
import { textOf } from "~/replicas/mail/mime/text";
import type { ListedMessage } from "~/replicas/mail/store/messages";

export type Format = "minimal" | "full" | "metadata" | "raw";

type Body = { attachmentId?: string; size: number; data?: string };
type Payload = {
  partId: string;
  mimeType: string;
  filename: string;
  headers: readonly { readonly name: string; readonly value: string }[];
  body: Body;
  parts?: Payload[];
};

type MessageView = Record<string, unknown> & { id: string; threadId: string };

export function minimalView(row: ListedMessage): MessageView {
  const { id, threadId, labelIds, snippet, historyId, internalDate, sizeEstimate } = row;
  return {
    ...{ id, threadId },
    ...(labelIds.length > 0 && { labelIds }),
    ...{ snippet, sizeEstimate, historyId, internalDate },
  };
}

/** `metadataHeaders`: of the format metadata; none given: all. The row needs its raw bytes unless the format is minimal. */
export async function messageView(
  row: ListedMessage,
  format: Format,
  metadataHeaders: readonly string[] = [],
): Promise<MessageView> {
  const view = minimalView(row);
  const { raw } = row;
  if (format === "minimal" || !raw) return view;
  if (format === "raw") return { ...view, raw: base64url(raw) };
  const root = await parseMail(raw);
  const payload = format === "full" ? fullPart(root, row.id) : headPart(root, metadataHeaders);
  return { ...view, payload };
}

function headPart(part: Part, names: readonly string[]): Payload {
  const wanted = names.map((name) => name.toLowerCase());
  const { partId, mimeType, filename, headers } = part;
  const shown = headers.filter(
    ({ name }) => names.length === 0 || wanted.includes(name.toLowerCase()),
  );
  return { partId, mimeType, filename, headers: shown, body: { size: part.bytes.byteLength } };
}

function fullPart(part: Part, messageId: string): Payload {
  const { partId, mimeType, filename, headers, parts } = part;
  return {
    ...{ partId, mimeType, filename, headers },
    body: bodyOf(part, messageId),
    ...(parts.length > 0 && { parts: parts.map((child) => fullPart(child, messageId)) }),
  };
}

function bodyOf(part: Part, messageId: string): Body {
  const { partId, mimeType, filename, bytes, parts } = part;
  const size = bytes.byteLength;
  if (filename !== "") return { attachmentId: attachmentIdOf(messageId, partId), size };
  if (parts.length > 0) return { size: 0 };
  if (size === 0) return { size };
  const data = mimeType.startsWith("text/") ? Buffer.from(textOf(part)) : bytes;
  return { size, data: base64url(data) };
}
