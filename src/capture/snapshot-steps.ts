/** Notes what others than the agent change, where snapshots are compared. */
import type { Actor } from "~/capture/actor";
import type { SnapshotRecords } from "~/capture/records";
import { asTexts, readTables } from "~/capture/snapshot";
import { quote, type Sql } from "~/db/connect";

/** Runs `work`, in which this actor acts, and notes the rows that it changes. Nobody else may write meanwhile. */
export async function noteStep<T>(
  records: SnapshotRecords,
  sql: Sql,
  run: string,
  { schema, actor }: { readonly schema: string; readonly actor: Actor },
  work: () => Promise<T>,
): Promise<T> {
  const tables = await readTables(sql, schema);
  const each = async (statement: SnapshotRecords["keepStep"]) => {
    for (const table of tables) {
      const place = `${quote(schema)}.${quote(table.name)}`;
      await sql.unsafe(
        statement(run, table.name, place, asTexts(table, table.key), asTexts(table), actor),
      );
    }
  };
  await each(records.copyForStep);
  const result = await work();
  await each(records.keepStep);
  await records.dropCopies(sql, run);
  return result;
}
