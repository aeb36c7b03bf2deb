/** Tells changes by the clock of an environment from those of an agent, where snapshots are compared. */
import type { SnapshotRecords } from "~/capture/records";
import { asTexts, readTables } from "~/capture/snapshot";
import { quote, type Sql } from "~/db/connect";

/** Runs `work`, which moves the clock, and notes the rows that it changes. Nobody else may write meanwhile. */
export async function noteClock<T>(
  records: SnapshotRecords,
  sql: Sql,
  run: string,
  schema: string,
  work: () => Promise<T>,
): Promise<T> {
  const tables = await readTables(sql, schema);
  const each = async (statement: SnapshotRecords["copyForClock"]) => {
    for (const table of tables) {
      const place = `${quote(schema)}.${quote(table.name)}`;
      await sql.unsafe(
        statement(run, table.name, place, asTexts(table, table.key), asTexts(table)),
      );
    }
  };
  await each(records.copyForClock);
  const result = await work();
  await each(records.keepClockChanges);
  await records.dropClockCopies(sql, run);
  return result;
}
