/**
 * Capture without the log: copies the state before a run and compares it with the state after. Its cost grows with the
 * environment, and it is the reference for tests of the other way.
 */
import type { Actor } from "~/capture/actor";
import { addDifference, addEvidence, type JsonObject, pickFrom } from "~/capture/fold";
import { foldsOfRow } from "~/capture/folds";
import { RUN_BYTES_MAX, RUN_ROWS_MAX } from "~/capture/limits";
import { diffLists, evidenceLists, otherChanges } from "~/capture/lists";
import { Lost } from "~/capture/loss";
import type { Result, SnapshotRecords, SnapshotTable } from "~/capture/records";
import { keyOf, relationsOf } from "~/db/catalog";
import { quote, type Sql } from "~/db/connect";

/** The tables of a schema in the order of their creation, which is the order in which diffs list them. */
export async function readTables(sql: Sql, schema: string): Promise<SnapshotTable[]> {
  return await sql<SnapshotTable[]>`
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum) as columns,
      array_agg(format_type(a.atttypid, null) order by a.attnum) as types,
      ${keyOf(sql)} as key
    from ${relationsOf(sql, schema)} join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    group by c.oid order by c.oid
  `;
}

/** Types whose cast to text differs from their output function, and so from the log. */
const CAST_DIFFERS = /^(boolean|character\b(?! varying)|"char"|name|inet|cidr|xml)/;

export function asTexts({ columns, types }: SnapshotTable, wanted = columns): string {
  const texts = wanted.map((name) => {
    const column = quote(name);
    return CAST_DIFFERS.test(types[columns.indexOf(name)] ?? "")
      ? `case when ${column} is not null then format('%s', ${column}) end`
      : `${column}::text`;
  });
  return `array[${texts.join(", ")}]::text[]`;
}

/** Trigger on every table while snapshots are compared; a schema that still has it is not recycled. */
const TRIGGER = "diorama_order";

/** Locks all tables before any is changed: creating or dropping a trigger needs this lock anyway. */
async function lockTables(
  sql: Sql,
  schema: string,
  tables: readonly SnapshotTable[],
  mode: string,
) {
  const names = tables.map(({ name }) => `${quote(schema)}.${quote(name)}`);
  if (names.length > 0) await sql.unsafe(`lock table ${names.join(", ")} in ${mode} mode`);
}

/** Copies every row of the schema. Call it in a repeatable-read transaction. */
export async function takeSnapshot(
  records: SnapshotRecords,
  sql: Sql,
  run: string,
  schema: string,
): Promise<void> {
  const tables = await readTables(sql, schema);
  await lockTables(sql, schema, tables, "share row exclusive");
  for (const table of tables) {
    const { name, key } = table;
    const place = `${quote(schema)}.${quote(name)}`;
    await records.insertTable(sql, run, table);
    await sql.unsafe(
      `${records.copyRows(run, name, place, asTexts(table, key), asTexts(table))};
       create trigger ${TRIGGER} after insert or update or delete on ${place}
       for each row execute function ${records.noteOrder(run, key)}`,
    );
  }
}

type RowTexts = (string | null)[] | null;

type Pair = {
  before: RowTexts;
  after: RowTexts;
  /** How others than the agent have changed it, in order. */
  steps: { actor: Actor; was: RowTexts; became: RowTexts }[] | null;
  /** Size of all as text. */
  bytes: number;
};

/**
 * Returns the differences from the copy as JSON text, rows in the order of their first change. Call it in a
 * repeatable-read transaction. Throws Lost if they cannot be determined or exceed a limit.
 */
export async function compareSnapshot(
  records: SnapshotRecords,
  sql: Sql,
  run: string,
  schema: string,
  evaluate: boolean,
): Promise<Result> {
  const before = await records.tablesOf(sql, run);
  const now = await readTables(sql, schema);
  if (
    now.length !== before.length ||
    !now.every(({ name }) => before.some((table) => table.name === name))
  )
    throw new Lost("table_replaced");
  await lockTables(sql, schema, now, "access exclusive");
  const diff = diffLists();
  const evidence = evidenceLists(evaluate);
  const others = otherChanges();
  let rows = 0;
  let bytes = 0;
  for (const table of now) {
    const copied = before.find(({ name }) => name === table.name) ?? table;
    // Columns that only one side has are included too, as in the log.
    const columns = [...new Set([...copied.columns, ...table.columns])];
    const types = columns.map(
      (column) => typeOf(table, column) ?? typeOf(copied, column) ?? "text",
    );
    const place = (from: readonly string[], row: Pair["before"]) =>
      row ? columns.map((column) => row[from.indexOf(column)]) : undefined;
    const altered =
      columns.length !== copied.columns.length || columns.length !== table.columns.length;
    // Rows over a limit do not leave Postgres.
    const pairs = await sql.unsafe<Pair[]>(
      `with changed as (
         select to_json(b.row) as before, to_json(a.row) as after, c.steps, o.position, key
         from (${records.rows(run, table.name)}) b
         full join (
           select ${asTexts(table, table.key)} as key, ${asTexts(table)} as row
           from ${quote(schema)}.${quote(table.name)}
         ) a using (key)
         full join (${records.steps(run, table.name)}) c using (key)
         left join (${records.order(run, table.name)}) o using (key)
         where ${altered} or a.row is distinct from b.row or c.steps is not null
       ), measured as (
         select *, octet_length(concat(before, after, steps)) as bytes from changed
       ), summed as (
         select *, sum(bytes) over (order by position nulls first, key) as until from measured
       )
       select ${["before", "after", "steps"]
         .map((name) => `case when until <= ${RUN_BYTES_MAX - bytes} then ${name} end as ${name}`)
         .join(", ")}, bytes
       from summed order by position nulls first, key limit ${RUN_ROWS_MAX - rows + 1}`,
    );
    rows += pairs.length;
    if (rows > RUN_ROWS_MAX) throw new Lost("too_many_rows");
    for (const pair of pairs) bytes += pair.bytes;
    if (bytes > RUN_BYTES_MAX) throw new Lost("too_many_bytes");
    const shape = { name: table.name, columns, types, key: table.key };
    for (const pair of pairs) {
      const before = place(copied.columns, pair.before);
      const after = place(table.columns, pair.after);
      if (pair.steps) {
        if (altered) throw new Lost("table_altered");
        const steps = pair.steps.map(({ actor, was, became }) => {
          const [from, to] = [was, became].map((row) => place(table.columns, row));
          return { actor, was: from, became: to };
        });
        const folds = foldsOfRow(shape, [before, after], steps);
        folds.agent.drain(diff.lists, evidence.lists);
        others.add(folds);
        continue;
      }
      addDifference(diff.lists, shape, before, after);
      addEvidence(evidence.lists, shape, before, after);
    }
  }
  return {
    diff: diff.text(),
    evidence: evidence.isGivenUp ? undefined : evidence.text(),
    others: others.text(),
    isPending: evaluate,
  };
}

/** Rows by table, and the tables that have more of them, or more bytes, than were read. */
type TableRows = {
  readonly found: { [table: string]: JsonObject[] };
  readonly cut: readonly string[];
};

/** Reads the rows of some tables as a diff shows them: at most so many of each table, and so many bytes of all. */
export async function readRows(
  sql: Sql,
  schema: string,
  names: readonly string[],
  { rows: rowsMax, bytes: bytesMax }: { readonly rows: number; readonly bytes: number },
): Promise<TableRows> {
  const found: TableRows["found"] = {};
  const cut: string[] = [];
  let left = bytesMax;
  for (const table of names.length > 0 ? await readTables(sql, schema) : []) {
    if (!names.includes(table.name)) continue;
    // The first row that does not fit is null.
    const read = await sql.unsafe<{ row: (string | null)[] | null; bytes: number }[]>(`
      select case when until <= ${left} then row end as row, bytes
      from (
        select *, sum(bytes) over (rows unbounded preceding) as until
        from (
          select *, octet_length(row::text) as bytes
          from (
            select to_json(${asTexts(table)}) as row
            from ${quote(schema)}.${quote(table.name)} limit ${rowsMax + 1}
          ) rows
        ) measured
      ) summed
      where until - bytes <= ${left}
    `);
    const all = table.columns.map((_, place) => place);
    const fitting = read
      .flatMap(({ row, bytes }) => (row ? [{ row, bytes }] : []))
      .slice(0, rowsMax);
    if (fitting.length < read.length) cut.push(table.name);
    left -= fitting.reduce((sum, { bytes }) => sum + bytes, 0);
    found[table.name] = fitting.map(({ row }) => pickFrom(table, row, all));
  }
  return { found, cut };
}

const typeOf = ({ columns, types }: SnapshotTable, column: string) =>
  types[columns.indexOf(column)];

/** Deletes the copy and its triggers. */
export async function dropSnapshot(
  records: SnapshotRecords,
  sql: Sql,
  run: string,
  schema: string,
): Promise<void> {
  for (const { name } of await readTables(sql, schema))
    await sql.unsafe(`drop trigger if exists ${TRIGGER} on ${quote(schema)}.${quote(name)}`);
  await records.drop(sql, run);
}
