/** The history of changes of each mailbox. */
import type { Sql } from "~/db/connect";
import type { MailSession, Posting } from "~/replicas/mail/operation";
import type { Rows } from "~/replicas/mail/store/rows";

export type HistoryRow = Rows["history"];
export type ChangeType = "messageAdded" | "messageDeleted" | "labelAdded" | "labelRemoved";

export type HistoryRecord = {
  readonly id: number;
  readonly type: ChangeType;
  readonly messageId: string;
  readonly threadId: string;
  /** The labels that were added or removed. */
  readonly labelIds: readonly string[];
  /** The labels of the message after the change. */
  readonly messageLabelIds: readonly string[];
};

const sequence = ({ schema, prefix }: MailSession) => `"${schema}".${prefix}history_ids`;

/** The means to change mailboxes in an open transaction. Numbers are unique in the environment. */
export const postingIn = (session: MailSession): Posting => ({
  session,
  next: (count) => nextNumbers(session, count),
  nextInside: () => session.sql`nextval(${sequence(session)}::regclass)`,
});

/** The same for a schema that is being built, whose sequence is set afterwards. */
export function countingFrom(start: number, sql: Sql): Omit<Posting, "session"> {
  let number = start;
  return {
    next: async (count) => Array.from({ length: count }, () => ++number),
    nextInside: () => sql`${++number}::bigint`,
  };
}

async function nextNumbers(session: MailSession, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await session.sql<{ id: number }[]>`
    select nextval(${sequence(session)}::regclass)::float8 as id from generate_series(1, ${count}::int)
  `;
  return rows.map(({ id }) => id);
}

export async function insertHistory(
  { sql, t }: MailSession,
  mailbox: string,
  records: readonly HistoryRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const given = sql.json(records as never);
  await sql`
    insert into ${t.history} (mailbox, id, type, "messageId", "threadId", "labelIds", "messageLabelIds")
    select ${mailbox}, r.id, r.type, r."messageId", r."threadId", r."labelIds", r."messageLabelIds"
    from jsonb_populate_recordset(null::${t.history}, ${given}::jsonb) r
  `;
}

/** The last record of a mailbox. */
export async function currentHistoryId({ sql, t }: MailSession, mailbox: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select greatest(
      (select "historyId" from ${t.mailboxes} where "emailAddress" = ${mailbox}),
      (select max(id) from ${t.history} where mailbox = ${mailbox})
    ) as id
  `;
  return row?.id ?? "0";
}

/** Records after `after`, in their order. `labelId`: only those of messages that had it before or after. */
export async function listHistory(
  { sql, t }: MailSession,
  mailbox: string,
  { after, labelId, limit }: { after: string; labelId: string | undefined; limit: number },
): Promise<HistoryRow[]> {
  return await sql<HistoryRow[]>`
    select * from ${t.history}
    where mailbox = ${mailbox} and id > ${after}::bigint
      ${labelId === undefined ? sql`` : sql`and (${labelId} = any("messageLabelIds") or ${labelId} = any("labelIds"))`}
    order by id limit ${limit}
  `;
}
