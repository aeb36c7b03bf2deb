/** Writes rows of any table. */
import type { Fragment } from "~/db/connect";
import type { CalendarSession, TableName } from "~/replicas/calendar/operation";
import { insertRows } from "~/replicas/kit/seed";

type Key = Readonly<Record<string, string>>;

/** Values are as in JSON: times are texts. */
export const insert = (
  { sql, t }: CalendarSession,
  table: TableName,
  rows: readonly object[],
): Promise<void> => insertRows(sql, t, table, rows);

const having = ({ sql }: CalendarSession, key: Key): Fragment =>
  Object.entries(key)
    .map(([column, value]) => sql`${sql(column)} = ${value}`)
    .reduce((all, each) => sql`${all} and ${each}`);

/** `changes`: at least one, with values as in JSON. */
export async function update(
  session: CalendarSession,
  table: TableName,
  key: Key,
  changes: object,
): Promise<void> {
  const { sql, t } = session;
  const columns = sql(Object.keys(changes));
  await sql`
    update ${t[table]} set (${columns}) = (
      select ${columns} from jsonb_populate_record(null::${t[table]}, ${sql.json(changes as never)})
    ) where ${having(session, key)}
  `;
}

export async function remove(session: CalendarSession, table: TableName, key: Key): Promise<void> {
  const { sql, t } = session;
  await sql`delete from ${t[table]} where ${having(session, key)}`;
}
