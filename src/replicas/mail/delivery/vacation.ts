/** Automatic replies of a mailbox whose owner is away. */
import type { Content } from "~/replicas/mail/delivery/content";
import { newMessageId } from "~/replicas/mail/ids";
import { canonicalAddress, domainOf, readAddresses } from "~/replicas/mail/mime/addresses";
import { composeMail } from "~/replicas/mail/mime/compose";
import { headerOf } from "~/replicas/mail/mime/parse";
import { textOfHtml } from "~/replicas/mail/mime/text";
import type { MailSession } from "~/replicas/mail/operation";
import { hasSentSince } from "~/replicas/mail/store/answers";
import type { Destination } from "~/replicas/mail/store/mailboxes";

export type Vacation = {
  readonly enableAutoReply?: boolean;
  readonly responseSubject?: string;
  readonly responseBodyPlainText?: string;
  readonly responseBodyHtml?: string;
  readonly restrictToContacts?: boolean;
  readonly restrictToDomain?: boolean;
  readonly startTime?: string;
  readonly endTime?: string;
};

/** The same sender gets one reply in this time, in milliseconds. */
const AGAIN_MS = 4 * 24 * 3600 * 1000;

/** The reply to a message; undefined if it gets none, as an automatic message does. */
export async function vacationAnswer(
  session: MailSession,
  mailbox: Destination,
  content: Content,
  at: number,
): Promise<Uint8Array | undefined> {
  const vacation = mailbox.vacation as Vacation | null;
  if (!vacation || !isActive(vacation, at) || isAutomatic(content)) return undefined;
  const own = mailbox.emailAddress;
  const [author] = readAddresses(headerOf(content.root, "reply-to") ?? content.from);
  const to = author?.address.includes("@") ? canonicalAddress(author.address) : "";
  if (to === "" || to === own) return undefined;
  if (vacation.restrictToDomain && domainOf(to) !== domainOf(own)) return undefined;
  const subject = subjectOf(vacation, content);
  if (await hasSentSince(session, own, { to, subject, since: at - AGAIN_MS + 1 })) return undefined;
  const { responseBodyHtml: html, responseBodyPlainText: text } = vacation;
  return await composeMail({
    ...{ from: own, to: [to], subject, html, date: at },
    text: text ?? (html === undefined ? "" : textOfHtml(html)),
    ...(content.messageId !== null && {
      inReplyTo: content.messageId,
      references: [content.messageId],
    }),
    messageId: newMessageId(`${own} ${content.messageId}`),
    headers: { "Auto-Submitted": "auto-replied", Precedence: "bulk", "X-Autoreply": "yes" },
  });
}

const subjectOf = ({ responseSubject }: Vacation, { subject }: Content) =>
  responseSubject || `Re: ${subject.replace(/^re:\s*/i, "")}`;

const isActive = ({ enableAutoReply, startTime, endTime }: Vacation, at: number) =>
  enableAutoReply === true &&
  (startTime === undefined || at >= Number(startTime)) &&
  (endTime === undefined || at < Number(endTime));

/** Of a list, a bounce, or another automatic reply. */
function isAutomatic({ root, from }: Content): boolean {
  const submitted = headerOf(root, "auto-submitted") ?? "no";
  const precedence = headerOf(root, "precedence") ?? "";
  return (
    submitted.toLowerCase() !== "no" ||
    headerOf(root, "list-id") !== undefined ||
    headerOf(root, "list-unsubscribe") !== undefined ||
    /^(?:bulk|junk|list)$/i.test(precedence) ||
    /mailer-daemon@|no-?reply@/i.test(from)
  );
}
