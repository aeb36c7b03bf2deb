/** The rows of a seed, as statements. */
import type { Sql } from "~/db/connect";
import type { Tables } from "~/db/session";

/**
 * Inserts rows, those with the same columns together: a column that a row lacks gets its default. They are sent as JSON,
 * because Postgres then knows the type of every column.
 */
export async function insertRows<Name extends string>(
  tx: Sql,
  t: Tables<Name>,
  table: Name,
  rows: readonly object[],
): Promise<void> {
  const alike = Map.groupBy(rows, (row) => Object.keys(row).toSorted().join());
  for (const group of alike.values()) {
    const columns = tx(Object.keys(group[0] ?? {}));
    await tx`
      insert into ${t[table]} (${columns})
      select ${columns} from jsonb_populate_recordset(null::${t[table]}, ${tx.json(group as never)})
    `;
  }
}
