/** The labels that a user created. */
import type { MailSession } from "~/replicas/mail/operation";

export type LabelRow = {
  readonly id: string;
  readonly name: string;
  readonly messageListVisibility: string;
  readonly labelListVisibility: string;
  readonly color: object | null;
};

const columns = ({ sql }: MailSession) =>
  sql`id, name, "messageListVisibility", "labelListVisibility", color`;

export async function listLabels(session: MailSession, mailbox: string): Promise<LabelRow[]> {
  const { sql, t } = session;
  return await sql<LabelRow[]>`
    select ${columns(session)} from ${t.labels} where mailbox = ${mailbox} order by length(id), id
  `;
}

export async function findLabel(
  session: MailSession,
  mailbox: string,
  id: string,
): Promise<LabelRow | undefined> {
  const { sql, t } = session;
  const [row] = await sql<LabelRow[]>`
    select ${columns(session)} from ${t.labels} where mailbox = ${mailbox} and id = ${id}
  `;
  return row;
}

export async function putLabel(
  { sql, t }: MailSession,
  mailbox: string,
  label: LabelRow,
): Promise<void> {
  const { id, name, messageListVisibility, labelListVisibility, color } = label;
  await sql`
    insert into ${t.labels} (mailbox, id, name, "messageListVisibility", "labelListVisibility", color) values (
      ${mailbox}, ${id}, ${name}, ${messageListVisibility}, ${labelListVisibility},
      ${color && sql.json(color as never)}::jsonb
    )
    on conflict (mailbox, id) do update set name = excluded.name, color = excluded.color,
      "messageListVisibility" = excluded."messageListVisibility",
      "labelListVisibility" = excluded."labelListVisibility"
  `;
}

export async function deleteLabel(
  { sql, t }: MailSession,
  mailbox: string,
  id: string,
): Promise<boolean> {
  const rows = await sql`delete from ${t.labels} where mailbox = ${mailbox} and id = ${id}`;
  return rows.count === 1;
}
