/** Messages, drafts and labels in the form of the tools. */
import { base64url } from "~/replicas/mail/base64";
import { attachmentIdOf } from "~/replicas/mail/ids";
import { readAddresses } from "~/replicas/mail/mime/addresses";
import { parseMail } from "~/replicas/mail/mime/parse";
import { attachmentsOf, bodyHtml, bodyText } from "~/replicas/mail/mime/text";
import type { MailCall } from "~/replicas/mail/operation";
import { viewsWithRaw } from "~/replicas/mail/raws";
import type { Head } from "~/replicas/mail/store/heads";
import type { LabelRow } from "~/replicas/mail/store/labels";
import { type LabelCounts, NO_MESSAGES } from "~/replicas/mail/store/messages";

/** The names of the formats in arguments. */
export type Format =
  | "MESSAGE_FORMAT_UNSPECIFIED"
  | "MINIMAL"
  | "METADATA_ONLY"
  | "PLAIN_TEXT"
  | "FULL_CONTENT"
  | "RAW";

const addresses = (text: string | null): string[] =>
  readAddresses(text).flatMap(({ address }) => (address === "" ? [] : [address]));

/** `2026-01-05T08:40:00Z` */
const moment = (millis: string): string =>
  new Date(Number(millis)).toISOString().replace(/\.\d+Z$/, "Z");

function metadata({ id, labelIds, internalDate, from, to, cc, bcc }: Head) {
  return {
    ...{ id, sender: addresses(from)[0], toRecipients: addresses(to) },
    ...{ ccRecipients: addresses(cc), bccRecipients: addresses(bcc) },
    ...{ date: moment(internalDate), labelIds },
  };
}

type View = ReturnType<typeof metadata>;

const SNIPPET_ESCAPES: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" },
};
/** The snippet as text: the API's own is HTML. */
const snippetText = (snippet: string) =>
  snippet.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => SNIPPET_ESCAPES[found] ?? found);

const brief = (row: Head): View => ({
  ...metadata(row),
  ...{ snippet: snippetText(row.snippet), subject: row.subject },
});

async function whole(row: Head & { readonly raw: Uint8Array }, format: Format): Promise<View> {
  if (format === "RAW") return { ...metadata(row), ...{ raw: base64url(row.raw) } };
  const root = await parseMail(row.raw);
  const attachments = attachmentsOf(root).map(({ partId, filename, mimeType }) => ({
    ...{ id: attachmentIdOf(row.id, partId), filename, mimeType },
  }));
  return {
    ...brief(row),
    ...{ plaintextBody: bodyText(root) },
    ...(format !== "PLAIN_TEXT" && { htmlBody: bodyHtml(root) }),
    ...{ attachmentIds: attachments.map(({ id }) => id), attachments },
  };
}

/** Messages in a format. Those that another call has deleted since are left out. */
export async function messageShapes(
  call: MailCall,
  rows: readonly Head[],
  format: Format,
): Promise<View[]> {
  if (format === "METADATA_ONLY") return rows.map(metadata);
  if (format === "MINIMAL") return rows.map(brief);
  return await viewsWithRaw(call, rows, (row) => whole(row, format));
}

/** A label with its numbers. */
export const labelShape = (
  { id, name, color }: Pick<LabelRow, "id" | "name" | "color">,
  counts: LabelCounts = NO_MESSAGES,
) => ({ labelId: id, name, color, ...counts });
