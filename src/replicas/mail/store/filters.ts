/** Filters of a mailbox. */
import type { MailSession } from "~/replicas/mail/operation";

export type Criteria = {
  readonly from?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly query?: string;
  readonly negatedQuery?: string;
  readonly hasAttachment?: boolean;
  readonly excludeChats?: boolean;
  readonly size?: number;
  readonly sizeComparison?: string;
};
export type Action = {
  readonly addLabelIds?: readonly string[];
  readonly removeLabelIds?: readonly string[];
  readonly forward?: string;
};
export type FilterRow = {
  readonly id: string;
  readonly criteria: Criteria;
  readonly action: Action;
};

export async function listFilters({ sql, t }: MailSession, mailbox: string): Promise<FilterRow[]> {
  return await sql<FilterRow[]>`
    select id, criteria, action from ${t.filters} where mailbox = ${mailbox} order by id
  `;
}

export async function findFilter(
  { sql, t }: MailSession,
  mailbox: string,
  id: string,
): Promise<FilterRow | undefined> {
  const [row] = await sql<FilterRow[]>`
    select id, criteria, action from ${t.filters} where mailbox = ${mailbox} and id = ${id}
  `;
  return row;
}

export async function insertFilter(
  { sql, t }: MailSession,
  mailbox: string,
  { id, criteria, action }: FilterRow,
): Promise<void> {
  await sql`
    insert into ${t.filters} (mailbox, id, criteria, action) values (
      ${mailbox}, ${id}, ${sql.json(criteria as never)}::jsonb, ${sql.json(action as never)}::jsonb
    )
  `;
}

export async function deleteFilter(
  { sql, t }: MailSession,
  mailbox: string,
  id: string,
): Promise<boolean> {
  const rows = await sql`delete from ${t.filters} where mailbox = ${mailbox} and id = ${id}`;
  return rows.count === 1;
}

/** Takes a label out of the actions of filters, and deletes filters that have no other action. */
export async function dropFromFilters(
  { sql, t }: MailSession,
  mailbox: string,
  labelId: string,
): Promise<void> {
  const [adds, removes] = [sql`(action -> 'addLabelIds')`, sql`(action -> 'removeLabelIds')`];
  await sql`
    update ${t.filters} set action = jsonb_strip_nulls(action || jsonb_build_object(
      'addLabelIds', nullif(${adds} - ${labelId}::text, '[]'),
      'removeLabelIds', nullif(${removes} - ${labelId}::text, '[]')
    ))
    where mailbox = ${mailbox} and (${adds} ? ${labelId}::text or ${removes} ? ${labelId}::text)
  `;
  await sql`
    delete from ${t.filters}
    where mailbox = ${mailbox} and action = '{}'
  `;
}
