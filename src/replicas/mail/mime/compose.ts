/** Builds messages. The same input gives the same bytes. */
import MailComposer from "nodemailer/lib/mail-composer";
import { mailDate } from "~/replicas/mail/mime/raw";

type Composed = {
  readonly from?: string | undefined;
  readonly to?: readonly string[] | undefined;
  readonly cc?: readonly string[] | undefined;
  readonly bcc?: readonly string[] | undefined;
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
  readonly inReplyTo?: string | undefined;
  readonly references?: readonly string[] | undefined;
  readonly attachments?: readonly ComposedFile[] | undefined;
  readonly calendar?: { readonly method: string; readonly content: string } | undefined;
  /** In milliseconds. */
  readonly date: number;
  readonly messageId: string;
  readonly headers?: Readonly<Record<string, string>>;
};

type ComposedFile = {
  readonly filename: string;
  readonly mimeType?: string | undefined;
  readonly content: Uint8Array;
  readonly isInline?: boolean;
};

const listed = (addresses: readonly string[] = []) =>
  addresses.length === 0 ? {} : addresses.join(", ");

export async function composeMail(mail: Composed): Promise<Buffer> {
  const { from, to, cc, bcc, subject, text, html, date, messageId, attachments = [] } = mail;
  const addresses = Object.entries({ to, cc, bcc }).flatMap(([name, value]) => {
    const list = listed(value);
    return typeof list === "string" ? [[name, list]] : [];
  });
  const node = new MailComposer({
    ...Object.fromEntries(addresses),
    ...(from !== undefined && { from }),
    ...(subject !== undefined && { subject }),
    text: text ?? (html === undefined ? "" : undefined),
    html,
    ...(mail.inReplyTo !== undefined && { inReplyTo: mail.inReplyTo }),
    ...(mail.references && { references: mail.references.join(" ") }),
    attachments: attachments.map(({ filename, mimeType, content, isInline }) => ({
      filename,
      content: Buffer.from(content),
      ...(mimeType !== undefined && { contentType: mimeType }),
      contentDisposition: isInline ? ("inline" as const) : ("attachment" as const),
    })),
    ...(mail.calendar && { icalEvent: mail.calendar }),
    headers: { ...mail.headers },
    date: mailDate(date),
    messageId,
    baseBoundary: messageId.replace(/[^\w]/g, "").slice(0, 24),
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  node.keepBcc = true;
  return await node.build();
}
