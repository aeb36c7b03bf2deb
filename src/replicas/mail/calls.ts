/** Parts that the operations of mail share. */
import { MailError, notFound } from "~/replicas/mail/errors";
import { readId } from "~/replicas/mail/ids";
import type { MailCall, Posting } from "~/replicas/mail/operation";
import { nextNumbers } from "~/replicas/mail/store/history";
import { findMailbox, type MailboxRow } from "~/replicas/mail/store/mailboxes";
import { findMessage, type ListedMessage } from "~/replicas/mail/store/messages";

/** Changes mailboxes in one transaction. */
export const post = <T>(
  { session }: Pick<MailCall, "session">,
  work: (posting: Posting) => Promise<T>,
): Promise<T> =>
  session.transaction((inside) =>
    work({ session: inside, next: (count) => nextNumbers(inside, count) }),
  );

/** The message with an id as the client gives it, or the rejection. */
export async function requireMessage(
  { session, mailbox }: MailCall,
  id: string,
  { withRaw }: { readonly withRaw: boolean },
): Promise<ListedMessage> {
  const row = await findMessage(session, mailbox, readId(id), { withRaw });
  if (!row) throw notFound();
  return row;
}

export async function requireMailbox({ session, mailbox }: MailCall): Promise<MailboxRow> {
  const row = await findMailbox(session, mailbox);
  if (!row) throw new MailError("failedPrecondition", "Mail service not enabled");
  return row;
}
