/** New messages from the fields of tools: plain ones, answers that quote a message, and forwarded ones. */
import { readBase64 } from "~/replicas/mail/base64";
import { invalid } from "~/replicas/mail/errors";
import { newMessageId } from "~/replicas/mail/ids";
import type { Fields, File } from "~/replicas/mail/mcp/tool";
import { isAddress } from "~/replicas/mail/mime/addresses";
import { composeMail } from "~/replicas/mail/mime/compose";
import { allParts, headerOf, type Part } from "~/replicas/mail/mime/parse";
import { bodyHtml, bodyText } from "~/replicas/mail/mime/text";
import type { MailCall } from "~/replicas/mail/operation";
import { hexOf, millisOf } from "~/source";
import { escaped } from "~/wire/markup";

/** Of all files of a message. */
const FILES_MAX = 25 * 1024 * 1024;

type Composed = Parameters<typeof composeMail>[0];
type Files = NonNullable<Composed["attachments"]>;

/** The parts of a message that fields do not give. */
type Rest = Pick<Composed, "inReplyTo" | "references"> & { readonly files?: Files };

function plain(name: "To" | "Cc" | "Bcc", addresses: readonly string[] | undefined) {
  if (addresses?.some((address) => !isAddress(address))) throw invalid(`Invalid ${name} header`);
  return addresses;
}

const fileOf = ({ content, filename = "attachment", mimeType, inline }: File, at: number) => ({
  ...{ filename, isInline: inline ?? false },
  mimeType: mimeType ?? "application/octet-stream",
  content: readBase64(content, `attachments[${at}].content`),
});

/** Throws for a name as `Name <address>`: the tools take addresses only. */
export const checkAddresses = ({ to, cc, bcc }: Fields): void => {
  plain("To", to);
  plain("Cc", cc);
  plain("Bcc", bcc);
};

/** The bytes of a message. */
export async function rawWith(call: MailCall, fields: Fields, rest: Rest = {}): Promise<Buffer> {
  const { source } = call.session;
  const { subject = "", body, htmlBody, attachments = [] } = fields;
  const files = [...(rest.files ?? []), ...attachments.map(fileOf)];
  const size = files.reduce((sum, { content }) => sum + content.byteLength, 0);
  if (size > FILES_MAX) throw invalid("The attachments are larger than 25 MB");
  return await composeMail({
    ...{ to: fields.to, cc: fields.cc, bcc: fields.bcc, subject },
    ...{ text: body, html: htmlBody, attachments: files },
    ...{ inReplyTo: rest.inReplyTo, references: rest.references },
    ...{ date: millisOf(source), messageId: newMessageId(hexOf(source, 16)) },
  });
}

/** The headers of an answer. */
export function answering(root: Part): Rest {
  const id = headerOf(root, "message-id");
  if (id === undefined) return {};
  const earlier = headerOf(root, "references")?.match(/<[^<>\s]+>/g) ?? [];
  return { inReplyTo: id, references: [...earlier, id] };
}

const withPrefix = (prefix: string, subject: string) =>
  subject.toLowerCase().startsWith(prefix.toLowerCase()) ? subject : `${prefix} ${subject}`;

export const subjectOf = (root: Part): string => headerOf(root, "subject") ?? "";
export const replySubject = (root: Part): string => withPrefix("Re:", subjectOf(root));
const forwardSubject = (root: Part): string => withPrefix("Fwd:", subjectOf(root));

const linesOf = (text: string) => text.replace(/\r\n/g, "\n").trimEnd();
const inHtml = (text: string) => escaped(text).replaceAll("\n", "<br>");
const ownHtml = (root: Part) => bodyHtml(root) ?? inHtml(linesOf(bodyText(root)));

/** The texts of an answer: the message is quoted below. */
export function quoting({ body, htmlBody }: Fields, root: Part): Pick<Fields, "body" | "htmlBody"> {
  const line = `On ${headerOf(root, "date") ?? "an earlier day"}, ${headerOf(root, "from") ?? ""} wrote:`;
  const quoted = linesOf(bodyText(root))
    .split("\n")
    .map((each) => (each.startsWith(">") ? `>${each}` : `> ${each}`.trimEnd()))
    .join("\n");
  const html = `<br><div class="gmail_quote"><div>${escaped(line)}</div><blockquote class="gmail_quote">${ownHtml(root)}</blockquote></div>`;
  return {
    ...((body !== undefined || htmlBody === undefined) && {
      body: `${linesOf(body ?? "")}\n\n${line}\n\n${quoted}\n`,
    }),
    ...(htmlBody !== undefined && { htmlBody: htmlBody + html }),
  };
}

const SHOWN = ["From", "Date", "Subject", "To", "Cc"] as const;

/** The fields of a forwarded message, under a text of one's own. */
export function forwarding({ body = "", htmlBody, ...fields }: Fields, root: Part): Fields {
  const head = SHOWN.flatMap((name) => {
    const value = headerOf(root, name.toLowerCase());
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  const top = ["---------- Forwarded message ---------", ...head].join("\n");
  const text = body === "" ? "" : `${linesOf(body)}\n\n`;
  return {
    ...fields,
    subject: forwardSubject(root),
    body: `${text}${top}\n\n${linesOf(bodyText(root))}\n`,
    ...(htmlBody !== undefined && {
      htmlBody: `${htmlBody}<br><div class="gmail_quote"><div>${inHtml(top)}</div><br>${ownHtml(root)}</div>`,
    }),
  };
}

/** The files of a message, to be sent again. */
export const filesOf = (root: Part): Files =>
  allParts(root)
    .filter(({ filename }) => filename !== "")
    .map((part) => ({
      ...{ filename: part.filename, mimeType: part.mimeType, content: part.bytes },
      isInline: /^inline/i.test(headerOf(part, "content-disposition") ?? ""),
    }));
