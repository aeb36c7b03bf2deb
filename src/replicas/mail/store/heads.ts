/** Messages with the headers that lists of them show. */
import type { MailSession } from "~/replicas/mail/operation";
import type { ListedMessage, MessageRow } from "~/replicas/mail/store/messages";

export type Head = ListedMessage & Pick<MessageRow, "from" | "to" | "cc" | "bcc" | "subject">;

/** Oldest first. */
export async function listHeads(
  { sql, t }: MailSession,
  mailbox: string,
  by: { readonly ids: readonly string[] } | { readonly threadIds: readonly string[] },
): Promise<Head[]> {
  const condition =
    "ids" in by
      ? sql`id = any(${[...by.ids]}::text[])`
      : sql`"threadId" = any(${[...by.threadIds]}::text[])`;
  return await sql<Head[]>`
    select id, "threadId", "labelIds", "historyId", "internalDate", snippet, "sizeEstimate", "from", "to", cc, bcc, subject
    from ${t.messages} where mailbox = ${mailbox} and ${condition} order by id
  `;
}
