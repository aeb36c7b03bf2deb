/** Rows of any schema by the values of a column, for names. */
import { quote, type Sql } from "~/db/connect";

const ROWS_MAX = 1_000;
const TEXT_MAX = 200;

/** Finds rows with one of the values in a column, with the beginnings of some columns as texts. */
export async function findNamed(
  sql: Sql,
  schema: string,
  { table, by, columns }: { table: string; by: string; columns: readonly string[] },
  values: readonly string[],
): Promise<{ readonly [column: string]: string | null }[]> {
  const texts = columns.map((column) => `left(${quote(column)}::text, ${TEXT_MAX})`);
  const rows = await sql.unsafe<{ texts: (string | null)[] }[]>(
    `select to_json(array[${texts.join(", ")}]) as texts from ${quote(schema)}.${quote(table)}
     where ${quote(by)}::text = any($1::text[]) limit ${ROWS_MAX}`,
    [[...values]],
  );
  return rows.map(({ texts }) =>
    Object.fromEntries(columns.map((column, place) => [column, texts[place] ?? null])),
  );
}
