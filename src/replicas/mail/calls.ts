/** Parts that the operations of mail share. */
import type { Caller } from "~/replicas/caller";
import { MailError, notFound } from "~/replicas/mail/errors";
import { readId } from "~/replicas/mail/ids";
import type { MailCall, Posting, TableName } from "~/replicas/mail/operation";
import { postingIn } from "~/replicas/mail/store/history";
import { findMailbox, type MailboxRow } from "~/replicas/mail/store/mailboxes";
import { findMessage, type ListedMessage } from "~/replicas/mail/store/messages";
import { NOBODY_HERE } from "~/replicas/members";

const notEnabled = () => new MailError("failedPrecondition", "Mail service not enabled");

/** The call of a person. Throws for one without a mailbox. */
export function callOf({ session, actor }: Caller<TableName>): MailCall {
  if (actor === NOBODY_HERE) throw notEnabled();
  return { session, mailbox: actor };
}

/** Changes mailboxes in one transaction. */
export const post = <T>(
  { session }: Pick<MailCall, "session">,
  work: (posting: Posting) => Promise<T>,
): Promise<T> => session.transaction((inside) => work(postingIn(inside)));

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
  if (!row) throw notEnabled();
  return row;
}
