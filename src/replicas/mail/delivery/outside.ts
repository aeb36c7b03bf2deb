/** Messages from other services of the environment. */
import type { OutgoingMail } from "~/outgoing";
import { authorOf, deliverMail } from "~/replicas/mail/delivery/sending";
import { newMessageId } from "~/replicas/mail/ids";
import { composeMail } from "~/replicas/mail/mime/compose";
import type { MailSession } from "~/replicas/mail/operation";
import { postingIn } from "~/replicas/mail/store/history";
import { hexOf, millisOf } from "~/source";

/** Delivers a message to the mailboxes that it is for. The session is a transaction. */
export async function deliver(session: MailSession, mail: OutgoingMail): Promise<void> {
  const { from, to, cc = [], subject, text, html, calendar, headers = {} } = mail;
  const written = ({ email, name = "" }: OutgoingMail["from"]) => authorOf(name, email);
  const raw = await composeMail({
    ...{ from: written(from), to: to.map(written), cc: cc.map(written), subject, text, html },
    ...{ calendar, headers, date: millisOf(session.source) },
    messageId: newMessageId(hexOf(session.source, 16)),
  });
  const addresses = [...to, ...cc].map(({ email }) => email);
  await deliverMail(postingIn(session), raw, addresses);
}
