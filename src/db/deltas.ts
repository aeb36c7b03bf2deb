/**
 * The difference between a used clone and its template, as a value. A snapshot stores it; a reset and a fork apply it.
 *
 * Rows are kept in Postgres' own text form, which every type reads back exactly. The clone and its template have the
 * same columns in the same order, so a text of one is a row of the other.
 */
import { type Blueprint, of, type Sequence, type Table } from "~/db/blueprint";
import { literal, quote, type Tx } from "~/db/connect";
import { isNewer, refreshClone, sequenceResets, touchedTables, type Used } from "~/db/recycling";
import { type Built, buildClone, dropSchema } from "~/db/schemas";

export type Delta = {
  readonly tables: readonly TableDelta[];
  readonly sequences: readonly Sequence[];
};

type TableDelta = {
  readonly name: string;
  /** Rows that only the template has. */
  readonly gone: readonly string[];
  /** Rows that only the clone has. */
  readonly here: readonly string[];
};

type DeltaSize = { readonly rows: number; readonly bytes: number };

const isKey = (table: Table, a: string, b: string) =>
  table.key.map((column) => `${a}.${quote(column)} = ${b}.${quote(column)}`).join(" and ");

/**
 * Returns the clone's difference from its template, as far as the limits allow: beyond them only its size. Nothing may
 * write to the clone, unless `isWritable`: then the transaction has one snapshot.
 */
export async function readDelta(
  tx: Tx,
  blueprint: Blueprint,
  used: Used,
  limits: DeltaSize,
  { isWritable = false } = {},
): Promise<{ readonly delta: Delta | undefined; readonly size: DeltaSize }> {
  const tables = await touchedTables(tx, blueprint, used, { isWritable });
  const [pairs, sequences] = await tx.unsafe<[Pair[], Sequence[]]>(
    `${differingRows(blueprint, used, tables, limits)};\n${sequenceStates(blueprint, used)}`,
  );
  const { rows, bytes } = pairs[0] ?? NO_ROWS;
  const delta = tables.map(({ name }) => {
    const mine = pairs.filter((pair) => pair.name === name);
    return { name, gone: texts(mine, "gone"), here: texts(mine, "here") };
  });
  return {
    size: { rows, bytes },
    delta:
      rows <= limits.rows && bytes <= limits.bytes
        ? { tables: delta.filter(({ gone, here }) => gone.length + here.length > 0), sequences }
        : undefined,
  };
}

/** Counts the rows that differ from the template, in a transaction with one snapshot. The clone may be written to. */
export async function countDifferences(tx: Tx, blueprint: Blueprint, used: Used): Promise<number> {
  const tables = await touchedTables(tx, blueprint, used, { isWritable: true });
  if (tables.length === 0) return 0;
  const pairs = tables.map((table) => differingRowsOf(blueprint, used, table));
  const [row] = await tx.unsafe<{ rows: number }[]>(
    `select count(*)::int as rows from (${pairs.join(" union all ")}) as pairs`,
  );
  return row?.rows ?? 0;
}

const NO_ROWS: DeltaSize = { rows: 0, bytes: 0 };

/** The same clone, as one of which any row may differ: for a comparison with another template. */
export const asUnknown = (used: Used): Used => ({ ...used, freshXid: "0" });

/** One row in the clone and in its template, and the size of all. */
type Pair = DeltaSize & {
  readonly name: string | null;
  readonly here: string | null;
  readonly gone: string | null;
};

const texts = (pairs: readonly Pair[], side: "here" | "gone") =>
  pairs.map((pair) => pair[side]).filter((text) => text !== null);

const sequenceStates = ({ sequences }: Blueprint, { schema }: Used) =>
  [
    "select null::text as name, null::text as value, null::boolean as called where false",
    ...sequences.map(
      ({ name }) => `select ${literal(name)}, last_value::text, is_called from ${of(schema, name)}`,
    ),
  ].join(" union all ");

/** Selects the differing rows, those with the same key side by side. Beyond the limits they do not leave Postgres. */
function differingRows(
  blueprint: Blueprint,
  used: Used,
  tables: readonly Table[],
  limits: DeltaSize,
): string {
  const pairs = [
    "select null::text as name, null::text as here, null::text as gone where false",
    ...tables.map((table) => differingRowsOf(blueprint, used, table)),
  ];
  return `
    with pairs as materialized (
      ${pairs.join(" union all ")} limit ${limits.rows + 1}
    ), size as (
      select count(*)::int as rows,
        coalesce(sum(coalesce(octet_length(here), 0) + coalesce(octet_length(gone), 0)), 0)::float8 as bytes
      from pairs
    )
    select name, here, gone, rows, bytes
    from size left join pairs on rows <= ${limits.rows} and bytes <= ${limits.bytes}`;
}

function differingRowsOf({ schema }: Blueprint, used: Used, table: Table): string {
  const { name } = table;
  const keys = table.key.map((column) => quote(column)).join(", ");
  const newer = isNewer(used);
  return `
    select ${literal(name)} as name, mine.text as here, template.text as gone
    from (select ${keys}, r::text as text from ${of(used.schema, name)} r where ${newer}) mine
    full join (
      select ${keys}, r::text as text from ${of(schema, name)} r
      where not exists (
        select from ${of(used.schema, name)} kept where ${isKey(table, "kept", "r")} and not ${newer}
      )
    ) template using (${keys})
    where mine.text is distinct from template.text`;
}

/** The statements that turn a clone that equals its template into one that differs by the delta. */
function statements(blueprint: Blueprint, schema: string, { tables, sequences }: Delta): string[] {
  const wanted = blueprint.tables.flatMap((table) =>
    tables.filter(({ name }) => name === table.name).map((delta) => ({ table, delta })),
  );
  const rowsOf = (name: string, rows: readonly string[]) =>
    // `offset 0` keeps Postgres from reading a text again for each of its columns.
    `(select x::${of(schema, name)} as r from json_array_elements_text(${literal(JSON.stringify(rows))}::json) x offset 0)`;
  const deletes = wanted.map(({ table, delta: { name, gone } }) => {
    if (gone.length === 0) return "";
    const same = table.key.map((column) => `mine.${quote(column)} = (gone.r).${quote(column)}`);
    return `delete from ${of(schema, name)} mine using ${rowsOf(name, gone)} gone where ${same.join(" and ")}`;
  });
  const inserts = wanted.map(({ table, delta: { name, here } }) => {
    if (here.length === 0) return "";
    const columns = table.columns.filter(({ generated }) => !generated);
    const list = columns.map((column) => quote(column.name));
    return `insert into ${of(schema, name)} (${list.join(", ")}) overriding system value
      select ${list.map((column) => `(here.r).${column}`).join(", ")} from ${rowsOf(name, here)} here`;
  });
  return [...deletes, ...inserts, ...sequenceResets(sequences, schema)].filter(
    (statement) => statement !== "",
  );
}

/** Applies a delta to a clone that equals its template. */
export async function applyDelta(
  tx: Tx,
  blueprint: Blueprint,
  schema: string,
  delta: Delta,
): Promise<void> {
  // A savepoint has a transaction id of its own, which makes its rows newer than the clone's fresh state.
  const all = statements(blueprint, schema, delta);
  await tx.unsafe(["savepoint delta", ...all, "release savepoint delta"].join(";\n"));
}

/**
 * Makes a used clone equal to its template, or to a delta on it, under the same name and whatever happened to it. Of
 * another template than `templateSchema`, it is built anew.
 */
export async function resetClone(
  tx: Tx,
  blueprint: Blueprint,
  used: Used & { readonly templateSchema: string },
  delta: Delta | undefined,
  onBuild: (tx: Tx, schema: string) => Promise<void>,
): Promise<Built> {
  const isSame = blueprint.schema === used.templateSchema;
  const built = (isSame && (await refreshClone(tx, blueprint, used))) || (await rebuild());
  if (delta) await applyDelta(tx, blueprint, used.schema, delta);
  return built;

  async function rebuild() {
    await dropSchema(tx, used.schema);
    const rebuilt = await buildClone(tx, blueprint, used.schema);
    await onBuild(tx, used.schema);
    return rebuilt;
  }
}
