/** Drafts: ids of messages that are not sent yet. */
import type { MailSession } from "~/replicas/mail/operation";
import type { Rows } from "~/replicas/mail/store/rows";

export type DraftRow = Rows["drafts"];

export async function findDraft(
  { sql, t }: MailSession,
  mailbox: string,
  id: string,
): Promise<DraftRow | undefined> {
  const [row] = await sql<DraftRow[]>`
    select * from ${t.drafts} where mailbox = ${mailbox} and id = ${id}
  `;
  return row;
}

export async function listDraftsOf(
  { sql, t }: MailSession,
  mailbox: string,
  messageIds: readonly string[],
): Promise<DraftRow[]> {
  return await sql<DraftRow[]>`
    select * from ${t.drafts} where mailbox = ${mailbox} and "messageId" = any(${[...messageIds]}::text[])
  `;
}

/** Points the draft to a message, and creates it if there is none. */
export async function putDraft(
  { sql, t }: MailSession,
  { mailbox, id, messageId }: DraftRow,
): Promise<void> {
  await sql`
    insert into ${t.drafts} (mailbox, id, "messageId") values (${mailbox}, ${id}, ${messageId})
    on conflict (mailbox, id) do update set "messageId" = excluded."messageId"
  `;
}

export async function deleteDraftsOf(
  { sql, t }: MailSession,
  mailbox: string,
  messageIds: readonly string[],
): Promise<void> {
  await sql`
    delete from ${t.drafts} where mailbox = ${mailbox} and "messageId" = any(${[...messageIds]}::text[])
  `;
}
