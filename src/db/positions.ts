/**
 * Positions in the order in which transactions commit. A position is a snapshot: the transactions that had committed at
 * that time. Rows that name their transaction can be read from one position to the next, each exactly once: unlike
 * times and sequences, a position does not pass over a transaction that commits late.
 */
import { errorCode, type Fragment, type Sql } from "~/db/connect";

/** From one position to a later one. */
export type Span = { readonly from: string; readonly to: string };

const POSITION = /^\d{1,20}:\d{1,20}:[\d,]*$/;
const POSITION_LENGTH_MAX = 4_000;
const INVALID_TEXT = "22P02";

export async function currentPosition(sql: Sql): Promise<string> {
  const [row] = await sql<{ now: string }[]>`select pg_current_snapshot()::text as now`;
  if (!row) throw new Error("a query without a row");
  return row.now;
}

/** Whether a text is a position that this database has reached. A restored database has not reached its later ones. */
export async function isReached(sql: Sql, text: string): Promise<boolean> {
  if (!POSITION.test(text) || text.length > POSITION_LENGTH_MAX) return false;
  try {
    const [row] = await sql<{ reached: boolean }[]>`
      select pg_snapshot_xmax(${text}::text::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot()) as reached
    `;
    return row?.reached === true;
  } catch (error) {
    if (errorCode(error) === INVALID_TEXT) return false;
    throw error;
  }
}

/** Whether the transaction that a column names has committed within a span. An index on the column finds its rows. */
export const isWithin = (sql: Sql, column: Fragment, { from, to }: Span): Fragment => sql`(
  ${column} >= pg_snapshot_xmin(${from}::text::pg_snapshot) and ${column} < pg_snapshot_xmax(${to}::text::pg_snapshot)
  and pg_visible_in_snapshot(${column}, ${to}::text::pg_snapshot)
  and not pg_visible_in_snapshot(${column}, ${from}::text::pg_snapshot)
)`;
