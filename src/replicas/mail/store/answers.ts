/** Automatic replies that a mailbox has sent. */
import { firstIdOf } from "~/replicas/mail/ids";
import type { MailSession } from "~/replicas/mail/operation";

export async function hasSentSince(
  { sql, t }: MailSession,
  mailbox: string,
  { to, subject, since }: { to: string; subject: string; since: number },
): Promise<boolean> {
  const [row] = await sql`
    select from ${t.messages}
    where mailbox = ${mailbox} and 'SENT' = any("labelIds") and "to" = ${to} and subject = ${subject}
      and id >= ${firstIdOf(since)}
    limit 1
  `;
  return row !== undefined;
}
