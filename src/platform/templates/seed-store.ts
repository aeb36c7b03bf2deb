/**
 * Builds a template's tables from a seed, and exports a template as a seed.
 *
 * A seed has one of two forms: the service's own, which people write, or `rows`, which holds any state exactly and is
 * the export format of an environment's copy.
 */
import { of, type Table } from "~/db/blueprint";
import { keyOf, relationsOf } from "~/db/catalog";
import { literal, quote, type Sql, type Tx } from "~/db/connect";
import { tablesOf } from "~/db/session";
import { isObject } from "~/input/json";
import { nearest } from "~/input/nearest";
import { SeedError } from "~/replicas/kit/seed-mistakes";
import { checkDirectory, type Model } from "~/replicas/world";

type Rows = { readonly [table: string]: readonly object[] };

const BATCH = 500;

/** Creates the schema and fills it, in the caller's transaction. Returns notes on the seed. Throws SeedError. */
export async function importSeed(
  tx: Tx,
  model: Model,
  schema: string,
  seed: object,
): Promise<readonly string[]> {
  await tx.unsafe(
    `create schema ${quote(schema)}; set local search_path to ${quote(schema)}; ${model.tables}; set local search_path to ''`,
  );
  const tables = await readColumns(tx, schema);
  const t = tablesOf(tx, schema, tables);
  const notes =
    "rows" in seed ? await importRows(tx, schema, tables, seed) : await model.seed(tx, t, seed);
  await requireUniqueKeys(tx, schema, tables);
  return [...notes, ...(await checkDirectory(tx, schema, t, model))];
}

/** Checks the tables that have no index which would. */
async function requireUniqueKeys(
  tx: Tx,
  schema: string,
  tables: readonly SeedTable[],
): Promise<void> {
  const checks = tables.flatMap(({ name, key, isIndexed }) =>
    isIndexed
      ? []
      : [
          `(select ${literal(name)} as name from ${of(schema, name)} group by ${key.map(quote).join(", ")} having count(*) > 1 limit 1)`,
        ],
  );
  if (checks.length === 0) return;
  const [twice] = await tx.unsafe<{ name: string }[]>(checks.join(" union all "));
  if (twice) throw new SeedError(`rows.${twice.name}`, "two rows have the same key");
}

const ROWS_FIELDS = ["template", "service", "services", "description", "now", "rows", "sequences"];

function requireKnown(fields: readonly string[], known: readonly string[]): void {
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw new SeedError(unknown, `there is no such field${nearest(unknown, known)}`);
}

type SeedTable = {
  name: string;
  columns: { name: string; generated: boolean }[];
  key: string[];
  isIndexed: boolean;
};

const readColumns = async (tx: Tx, schema: string): Promise<SeedTable[]> =>
  await tx<SeedTable[]>`
    select relname as name, json_agg(
      json_build_object('name', attname, 'generated', attgenerated <> '') order by attnum
    ) as columns, ${keyOf(tx)} as key,
      exists (select from pg_index where indrelid = c.oid and indisprimary) as "isIndexed"
    from ${relationsOf(tx, schema)} join pg_attribute on attrelid = c.oid
    where relkind = 'r' and attnum > 0 and not attisdropped
    group by c.oid order by c.oid
  `;

async function importRows(
  tx: Tx,
  schema: string,
  tables: readonly SeedTable[],
  seed: object,
): Promise<readonly string[]> {
  requireKnown(Object.keys(seed), ROWS_FIELDS);
  const { rows, sequences = {} } = seed as { rows: unknown; sequences?: unknown };
  if (!isObject(rows)) throw new SeedError("rows", "an object of tables is needed");
  const known = tables.map(({ name }) => name);
  for (const table of Object.keys(rows))
    if (!known.includes(table))
      throw new SeedError(`rows.${table}`, `there is no such table${nearest(table, known)}`);
  for (const { name, columns } of tables) {
    const list = (rows as Rows)[name] ?? [];
    const writable = columns.filter(({ generated }) => !generated).map((column) => column.name);
    requireRows(list, `rows.${name}`, writable);
    const target = `${quote(schema)}.${quote(name)}`;
    for (let from = 0; from < list.length; from += BATCH) {
      const batch = list.slice(from, from + BATCH);
      // A column that no row names keeps its default.
      const named = writable.filter((column) => batch.some((row) => Object.hasOwn(row, column)));
      const columns = named.map(quote).join(", ");
      await tx
        .unsafe(
          `insert into ${target} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${target}, $1::text::json)`,
          [JSON.stringify(batch)],
        )
        .catch((error) => {
          throw dataError(error, `rows.${name}`) ?? error;
        });
    }
  }
  await plantSequences(tx, schema, sequences);
  return [];
}

function requireRows(list: unknown, path: string, columns: readonly string[]): void {
  if (!Array.isArray(list)) throw new SeedError(path, "a list of rows is needed");
  for (const [index, row] of list.entries()) {
    if (!isObject(row) || Object.keys(row).length === 0)
      throw new SeedError(`${path}[${index}]`, "a row is an object of columns");
    for (const column of Object.keys(row))
      if (!columns.includes(column))
        throw new SeedError(
          `${path}[${index}].${column}`,
          `there is no such column${nearest(column, columns)}`,
        );
  }
}

async function plantSequences(tx: Tx, schema: string, sequences: unknown): Promise<void> {
  if (!isObject(sequences)) throw new SeedError("sequences", "an object of numbers is needed");
  const found = await tx<{ name: string }[]>`
    select relname as name from ${relationsOf(tx, schema)} where relkind = 'S'
  `;
  for (const [name, value] of Object.entries(sequences)) {
    const path = `sequences.${name}`;
    if (!found.some((sequence) => sequence.name === name))
      throw new SeedError(path, "there is no such sequence");
    if (!Number.isSafeInteger(value) || Number(value) < 1)
      throw new SeedError(path, "a whole number from 1 is needed");
    await tx`select setval(${`${quote(schema)}.${quote(name)}`}, ${Number(value)})`;
  }
}

/** Describes Postgres' objection to the data, without the data. Undefined for any other error. */
export function dataError(error: unknown, path: string): SeedError | undefined {
  const { code, table_name, column_name, constraint_name } = error as Record<string, unknown>;
  if (typeof code !== "string" || !/^2[23]/.test(code)) return undefined;
  const where = [table_name, column_name, constraint_name].filter(Boolean).join(" ");
  const what = PROBLEMS[code] ?? "a value does not fit its column";
  return new SeedError(path, where === "" ? what : `${what} (${where})`);
}

const PROBLEMS: { readonly [code: string]: string } = {
  "23502": "a column that must have a value has none",
  "23505": "two rows have the same key",
  "23514": "a value is not allowed",
  "22001": "a text is too long",
  "22003": "a number is too large",
};

/** Returns the rows and sequences of a schema in the seed's format, as JSON text so that no digit is lost. */
export async function exportSeed(
  sql: Sql,
  schema: string,
  tables: readonly Pick<Table, "name" | "key" | "columns">[],
  sequences: readonly { name: string; value: string; called: boolean }[],
): Promise<string> {
  const parts: string[] = [];
  for (const { name, key, columns } of tables) {
    const list = columns.filter(({ generated }) => !generated).map((column) => quote(column.name));
    const [row] = await sql.unsafe<{ rows: string | null }[]>(
      `select json_agg(to_json(r))::text as rows from (select ${list.join(", ")} from ${quote(schema)}.${quote(name)} order by ${key.map(quote).join(", ")}) r`,
    );
    if (row?.rows) parts.push(`${JSON.stringify(name)}:${row.rows}`);
  }
  const values = sequences
    .filter(({ called }) => called)
    .map(({ name, value }) => `${JSON.stringify(name)}:${value}`);
  return `"rows":{${parts.join(",")}}${values.length > 0 ? `,"sequences":{${values.join(",")}}` : ""}`;
}
