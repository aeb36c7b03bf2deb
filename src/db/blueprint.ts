/**
 * Blueprints of templates.
 *
 * A clone is built from DDL text that is read once from the template's catalog entries, never with `like`: that would
 * omit replica identity, and keep defaults that use the template's sequences.
 */
import { createHash } from "node:crypto";
import { type CatalogSequence, type CatalogTable, readCatalog } from "~/db/catalog";
import { inTransaction, literal, type Pool, quote, type Tx } from "~/db/connect";

export type Column = { readonly name: string; readonly type: string; readonly generated: boolean };
export type Table = {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The primary key's columns, in its order. */
  readonly key: readonly string[];
};

/** A sequence's name and state. */
export type Sequence = { readonly name: string; readonly value: string; readonly called: boolean };

/** Statements that fill the schema in `search_path`, in this order. */
type Ddl = {
  readonly tables: readonly string[];
  /** Only of tables that have rows. */
  readonly rows: readonly string[];
  readonly indexes: readonly string[];
};

/** A template's structure, and the DDL that recreates it in another schema. */
export type Blueprint = {
  readonly schema: string;
  readonly tables: readonly Table[];
  readonly ddl: Ddl;
  /** Identifies its tables: equal for templates that differ in their rows only. */
  readonly shape: string;
  readonly rowCounts: ReadonlyMap<string, number>;
  readonly sequences: readonly Sequence[];
};

/** Reads a template from the catalog. Throws if it contains objects that a clone cannot have. */
export const readBlueprint = async (pool: Pool, schema: string): Promise<Blueprint> =>
  await inTransaction(pool, (tx) => readBlueprintIn(tx, schema));

/** Reads a template in the caller's transaction. Sequences are read as they are now, whatever its snapshot shows. */
export async function readBlueprintIn(tx: Tx, schema: string): Promise<Blueprint> {
  const { tables, sequences } = await readCatalog(tx, schema);
  const rowCounts = await countRows(tx, schema, tables);
  const ddl = cloneDdl(schema, tables, sequences, rowCounts);
  return {
    schema,
    tables: tables.map(({ name, columns, key }) => ({
      name,
      columns: columns.map(({ name, type, generated }) => ({ name, type, generated })),
      key,
    })),
    ddl,
    shape: contentHash(...ddl.tables, ...ddl.indexes),
    rowCounts,
    sequences: sequences.map(({ name, value, called }) => ({ name, value, called })),
  };
}

async function countRows(
  tx: Tx,
  schema: string,
  tables: readonly CatalogTable[],
): Promise<ReadonlyMap<string, number>> {
  if (tables.length === 0) return new Map();
  const counts = tables.map(
    ({ name }) =>
      `select ${literal(name)} as name, count(*)::int as count from ${of(schema, name)}`,
  );
  const rows = await tx.unsafe<{ name: string; count: number }[]>(counts.join(" union all "));
  return new Map(rows.map(({ name, count }) => [name, count]));
}

function cloneDdl(
  template: string,
  tables: readonly CatalogTable[],
  sequences: readonly CatalogSequence[],
  rowCounts: ReadonlyMap<string, number>,
): Ddl {
  const statements: string[] = [];
  for (const { name, definition, identity } of sequences)
    if (!identity) statements.push(`create sequence ${quote(name)} ${definition}`);

  for (const { name, columns, constraints } of tables) {
    const lines = [
      ...columns.map(({ definition }) => definition),
      ...constraints.map(
        (constraint) => `constraint ${quote(constraint.name)} ${constraint.definition}`,
      ),
    ];
    statements.push(`create table ${quote(name)} (${lines.join(", ")})`);
  }
  // Old images of every column: without them the log has only the key of an updated or deleted row.
  for (const { name } of tables)
    statements.push(`alter table ${quote(name)} replica identity full`);

  const filled = tables.filter(({ name }) => rowCounts.get(name) !== 0);
  const rows = filled.map(({ name, columns }) => {
    const list = columns
      .filter(({ generated }) => !generated)
      .map((column) => quote(column.name))
      .join(", ");
    const source = of(template, name);
    return `insert into ${quote(name)} (${list}) overriding system value select ${list} from ${source}`;
  });

  const indexes = tables.flatMap((table) => table.indexes);
  for (const { name, owner, identity } of sequences)
    if (owner && !identity) indexes.push(`alter sequence ${quote(name)} owned by ${owner}`);
  return { tables: statements, rows, indexes };
}

/** The same template without its rows: a clone of it fits all templates of its shape. */
export const withoutRows = (blueprint: Blueprint): Blueprint => ({
  ...blueprint,
  ddl: { ...blueprint.ddl, rows: [] },
  sequences: [],
});

export const of = (schema: string, table: string) => `${quote(schema)}.${quote(table)}`;

/** Identifies a template's content: the same DDL and seed give the same rows. */
export const contentHash = (...parts: readonly string[]) =>
  createHash("sha256").update(parts.join("\u0000")).digest("hex");
