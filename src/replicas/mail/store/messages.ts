/** Messages of one mailbox. */
import { ID_LENGTH, NUMBER_BITS } from "~/replicas/mail/ids";
import type { MailSession, Posting } from "~/replicas/mail/operation";
import type { Rows } from "~/replicas/mail/store/rows";

export type MessageRow = Rows["messages"];
/** A message without the columns of its text. `raw`: only where it is asked for. */
export type ListedMessage = Pick<
  MessageRow,
  "id" | "threadId" | "labelIds" | "historyId" | "internalDate" | "snippet" | "sizeEstimate"
> & { readonly raw?: Uint8Array };

const listedColumns = ({ sql }: MailSession) =>
  sql`id, "threadId", "labelIds", "historyId", "internalDate", snippet, "sizeEstimate"`;

export async function findMessage(
  session: MailSession,
  mailbox: string,
  id: string,
  { withRaw }: { readonly withRaw: boolean },
): Promise<ListedMessage | undefined> {
  const { sql, t } = session;
  const [row] = await sql<ListedMessage[]>`
    select ${listedColumns(session)} ${withRaw ? sql`, raw` : sql``} from ${t.messages}
    where mailbox = ${mailbox} and id = ${id}
  `;
  return row;
}

/** The messages with these ids, locked until the end of the transaction. */
export async function lockMessages(
  session: MailSession,
  mailbox: string,
  ids: readonly string[],
): Promise<ListedMessage[]> {
  const { sql, t } = session;
  return await sql<ListedMessage[]>`
    select ${listedColumns(session)} from ${t.messages}
    where mailbox = ${mailbox} and id = any(${[...ids]}::text[])
    order by id for update
  `;
}

/** The messages of a thread, oldest first. */
export async function listThread(
  session: MailSession,
  mailbox: string,
  threadId: string,
): Promise<ListedMessage[]> {
  const { sql, t } = session;
  return await sql<ListedMessage[]>`
    select ${listedColumns(session)} from ${t.messages}
    where mailbox = ${mailbox} and "threadId" = ${threadId} order by id
  `;
}

/** The bytes of messages, by their ids. */
export async function listRaws(
  { sql, t }: MailSession,
  mailbox: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = await sql<Pick<MessageRow, "id" | "raw">[]>`
    select id, raw from ${t.messages} where mailbox = ${mailbox} and id = any(${[...ids]}::text[])
  `;
  return new Map(rows.map(({ id, raw }) => [id, raw]));
}

type ThreadSummary = Pick<MessageRow, "id" | "snippet" | "historyId">;

/** Threads with the snippet of their last message and the last change of any, in any order. */
export async function listThreadSummaries(
  { sql, t }: MailSession,
  mailbox: string,
  threadIds: readonly string[],
): Promise<ThreadSummary[]> {
  return await sql<ThreadSummary[]>`
    select distinct on ("threadId") "threadId" as id, snippet,
      max("historyId") over (partition by "threadId") as "historyId"
    from ${t.messages} m where mailbox = ${mailbox} and "threadId" = any(${[...threadIds]}::text[])
    order by "threadId", m.id desc
  `;
}

export async function listSubjects(
  { sql, t }: MailSession,
  mailbox: string,
  threadId: string,
): Promise<string[]> {
  const rows = await sql<Pick<MessageRow, "subject">[]>`
    select subject from ${t.messages} where mailbox = ${mailbox} and "threadId" = ${threadId}
  `;
  return rows.map(({ subject }) => subject);
}

type ThreadPlace = Pick<MessageRow, "id" | "threadId" | "subject" | "messageId" | "labelIds">;

/** The messages of a mailbox that have one of these Message-IDs. */
export async function findByMessageIds(
  { sql, t }: MailSession,
  mailbox: string,
  messageIds: readonly string[],
): Promise<ThreadPlace[]> {
  return await sql<ThreadPlace[]>`
    select id, "threadId", subject, "messageId", "labelIds" from ${t.messages}
    where mailbox = ${mailbox} and "messageId" = any(${[...messageIds]}::text[])
  `;
}

/** The latest messages with a subject that ends so, compared without case. */
export async function findBySubject(
  { sql, t }: MailSession,
  mailbox: string,
  ending: string,
): Promise<ThreadPlace[]> {
  return await sql<ThreadPlace[]>`
    select id, "threadId", subject, "messageId", "labelIds" from ${t.messages}
    where mailbox = ${mailbox} and right(lower(subject), ${ending.length}::int) = ${ending}
    order by id desc limit 50
  `;
}

export async function countThread(
  { sql, t }: MailSession,
  mailbox: string,
  threadId: string,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${t.messages} where mailbox = ${mailbox} and "threadId" = ${threadId}
  `;
  return row?.count ?? 0;
}

type NewMessageRow = Omit<MessageRow, "id" | "threadId" | "historyId"> & {
  /** Undefined: it begins a thread. */
  readonly threadId: string | undefined;
};

type Inserted = Pick<MessageRow, "id" | "threadId" | "historyId">;

/** Inserts a message with its record of history, in one statement. Its id sorts by the date and then by the number. */
export async function insertMessage(
  { session: { sql, t }, nextInside }: Posting,
  row: NewMessageRow,
): Promise<Inserted> {
  const [inserted] = await sql<Inserted[]>`
    with numbered as materialized (select ${nextInside()} as number), message as (
      insert into ${t.messages} (
        mailbox, id, "threadId", "labelIds", "historyId", "internalDate", snippet, "sizeEstimate", "isDelivered", "from", "to", cc,
        bcc, subject, "messageId", "inReplyTo", body, attachments, raw
      ) select
        ${row.mailbox}, i.id, coalesce(${row.threadId ?? null}, i.id), ${[...row.labelIds]}::text[], number,
        ${row.internalDate}::bigint, ${row.snippet}, ${row.sizeEstimate}, ${row.isDelivered}, ${row.from}, ${row.to}, ${row.cc},
        ${row.bcc}, ${row.subject}, ${row.messageId}, ${row.inReplyTo}, ${row.body}, ${sql.json(row.attachments as never)}::jsonb,
        ${row.raw}::bytea
      from numbered, lateral (
        select lpad(to_hex((${row.internalDate}::bigint << ${NUMBER_BITS}) | (number & ${2 ** NUMBER_BITS - 1})), ${ID_LENGTH}, '0') as id
      ) i
      returning mailbox, "historyId", id, "threadId", "labelIds"
    ), history as (
      insert into ${t.history} (mailbox, id, type, "messageId", "threadId", "labelIds", "messageLabelIds")
      select mailbox, "historyId", 'messageAdded', id, "threadId", '{}', "labelIds" from message
    )
    select id, "threadId", "historyId" from message
  `;
  if (!inserted) throw new Error("a message was not inserted");
  return inserted;
}

type LabelUpdate = {
  readonly id: string;
  readonly labelIds: readonly string[];
  readonly historyId: number;
};

export async function updateLabels(
  { sql, t }: MailSession,
  mailbox: string,
  updates: readonly LabelUpdate[],
): Promise<void> {
  if (updates.length === 0) return;
  await sql`
    update ${t.messages} m set "labelIds" = u."labelIds", "historyId" = u."historyId", "isDelivered" = false
    from jsonb_populate_recordset(null::${t.messages}, ${sql.json(updates as never)}::jsonb) u
    where m.mailbox = ${mailbox} and m.id = u.id
  `;
}

export async function deleteMessages(
  { sql, t }: MailSession,
  mailbox: string,
  ids: readonly string[],
): Promise<void> {
  await sql`delete from ${t.messages} where mailbox = ${mailbox} and id = any(${[...ids]}::text[])`;
}

export async function listWithLabel(
  { sql, t }: MailSession,
  mailbox: string,
  labelId: string,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from ${t.messages} where mailbox = ${mailbox} and ${labelId} = any("labelIds")
  `;
  return rows.map(({ id }) => id);
}

export type LabelCounts = {
  readonly messagesTotal: number;
  readonly messagesUnread: number;
  readonly threadsTotal: number;
  readonly threadsUnread: number;
};

export const NO_MESSAGES: LabelCounts = {
  ...{ messagesTotal: 0, messagesUnread: 0, threadsTotal: 0, threadsUnread: 0 },
};

/** `labelId`: undefined for the whole mailbox. */
export async function countMessages(
  { sql, t }: MailSession,
  mailbox: string,
  labelId?: string,
): Promise<LabelCounts> {
  const [row] = await sql<LabelCounts[]>`
    select count(*)::int as "messagesTotal", count(distinct "threadId")::int as "threadsTotal",
      (count(*) filter (where 'UNREAD' = any("labelIds")))::int as "messagesUnread",
      (count(distinct "threadId") filter (where 'UNREAD' = any("labelIds")))::int as "threadsUnread"
    from ${t.messages}
    where mailbox = ${mailbox} ${labelId === undefined ? sql`` : sql`and ${labelId} = any("labelIds")`}
  `;
  return row ?? NO_MESSAGES;
}

/** The numbers of messages by label, in one reading of the mailbox. */
export async function countByLabel(
  { sql, t }: MailSession,
  mailbox: string,
): Promise<ReadonlyMap<string, LabelCounts>> {
  const rows = await sql<(LabelCounts & { readonly label: string })[]>`
    select label, count(*)::int as "messagesTotal", count(distinct "threadId")::int as "threadsTotal",
      (count(*) filter (where 'UNREAD' = any("labelIds")))::int as "messagesUnread",
      (count(distinct "threadId") filter (where 'UNREAD' = any("labelIds")))::int as "threadsUnread"
    from ${t.messages}, unnest("labelIds") label where mailbox = ${mailbox} group by label
  `;
  return new Map(rows.map(({ label, ...counts }) => [label, counts]));
}
