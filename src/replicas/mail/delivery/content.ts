/** The columns of a message that are read from its bytes. */
import { isAddress, readAddresses } from "~/replicas/mail/mime/addresses";
import { headerOf, type Part, parseMail } from "~/replicas/mail/mime/parse";
import { attachmentsOf, bodyText, snippetOf } from "~/replicas/mail/mime/text";
import type { MessageRow } from "~/replicas/mail/store/messages";

/** Of the text that is searched; the whole one is in `raw`. */
const BODY_MAX = 256 * 1024;
/** Of a header in a column: longer than mail servers accept. */
const HEADER_MAX = 10_000;
/** Of the ids that name a message. They are indexed. */
const MESSAGE_ID_MAX = 998;
/** Message-IDs of earlier messages that one message names. */
const REFERENCES_MAX = 100;

export type Content = Pick<
  MessageRow,
  | "from"
  | "to"
  | "cc"
  | "bcc"
  | "subject"
  | "messageId"
  | "inReplyTo"
  | "body"
  | "attachments"
  | "snippet"
  | "sizeEstimate"
  | "raw"
> & {
  /** Message-IDs of earlier messages of the conversation, the nearest one first. */
  readonly references: readonly string[];
  readonly root: Part;
};

export async function readContent(raw: Uint8Array): Promise<Content> {
  const root = await parseMail(raw);
  const header = (name: string, max = HEADER_MAX) => {
    const value = headerOf(root, name);
    return value === undefined ? null : clean(value).slice(0, max).toWellFormed();
  };
  const body = clean(bodyText(root));
  const inReplyTo = header("in-reply-to", MESSAGE_ID_MAX);
  return {
    root,
    ...{ from: header("from") ?? "", to: header("to") ?? "", cc: header("cc"), bcc: header("bcc") },
    ...{ subject: header("subject") ?? "", messageId: header("message-id", MESSAGE_ID_MAX) },
    ...{ inReplyTo, references: referencesOf(inReplyTo, header("references")) },
    body: body.slice(0, BODY_MAX).toWellFormed(),
    snippet: snippetOf(body),
    attachments: attachmentsOf(root),
    ...{ raw, sizeEstimate: raw.byteLength },
  };
}

const clean = (text: string) => text.replaceAll("\0", "");

const idsIn = (text: string | null) => text?.match(/<[^<>\s]+>/g) ?? [];

const referencesOf = (inReplyTo: string | null, references: string | null): string[] =>
  [...new Set([...idsIn(inReplyTo), ...idsIn(references).toReversed()])]
    .slice(0, REFERENCES_MAX)
    .map((id) => id.slice(0, MESSAGE_ID_MAX));

const RECIPIENTS = ["To", "Cc", "Bcc"] as const;

/** The recipients of a message, as they are written. Throws `invalidHeader` for a text that is not an address. */
export function recipientsOf(root: Part, invalidHeader: (name: string) => Error): string[] {
  return RECIPIENTS.flatMap((name) => {
    const entries = root.headers
      .filter((header) => header.name.toLowerCase() === name.toLowerCase())
      .flatMap(({ value }) => readAddresses(value));
    if (!entries.every(({ address }) => isAddress(address))) throw invalidHeader(name);
    return entries.map(({ address }) => address);
  });
}
