/**
 * Builds, clones and drops schemas.
 *
 * A clone is built from DDL text that is read once from the template's catalog entries, never with `like`: that would
 * omit replica identity, and keep defaults that use the template's sequences.
 */
import { createHash } from "node:crypto";
import {
  type Fragment,
  inTransaction,
  literal,
  type Pool,
  quote,
  type Sql,
  type Tx,
} from "~/db/connect";

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

/** Returns an unused schema name that nobody can guess. */
export const newSchemaName = () => `env_${crypto.randomUUID().replaceAll("-", "")}`;

type CatalogTable = {
  name: string;
  columns: { name: string; type: string; definition: string; generated: boolean }[];
  constraints: { name: string; definition: string }[];
  indexes: string[];
  key: string[];
};

/** Reads a template from the catalog. Throws if it contains objects that a clone cannot have. */
export const readBlueprint = async (pool: Pool, schema: string): Promise<Blueprint> =>
  await inTransaction(pool, (tx) => readBlueprintIn(tx, schema));

/** Reads a template in the caller's transaction. Sequences are read as they are now, whatever its snapshot shows. */
export async function readBlueprintIn(tx: Tx, schema: string): Promise<Blueprint> {
  // Catalog functions print names relative to the search_path: bare names fit every clone.
  await tx.unsafe(`set local search_path to ${quote(schema)}`);
  await refuseUnclonable(tx, schema);
  const tables = await readTables(tx, schema);
  const sequences = await readSequences(tx, schema);
  const rowCounts = await countRows(
    tx,
    schema,
    tables.map(({ name }) => name),
  );
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
  tables: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (tables.length === 0) return new Map();
  const counts = tables.map(
    (name) => `select ${literal(name)} as name, count(*)::int as count from ${of(schema, name)}`,
  );
  const rows = await tx.unsafe<{ name: string; count: number }[]>(counts.join(" union all "));
  return new Map(rows.map(({ name, count }) => [name, count]));
}

async function readTables(tx: Tx, schema: string): Promise<CatalogTable[]> {
  return await tx<CatalogTable[]>`
    select
      c.relname as name,
      (
        select json_agg(
          json_build_object(
            'name', a.attname,
            'type', format_type(a.atttypid, null),
            'generated', a.attgenerated <> '',
            'definition', concat_ws(' ',
              quote_ident(a.attname),
              format_type(a.atttypid, a.atttypmod),
              case when a.attcollation <> 0 and a.attcollation <> (select typcollation from pg_type where oid = a.atttypid)
                then 'collate ' || a.attcollation::regcollation end,
              case when a.attidentity <> ''
                then 'generated ' || case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity' end,
              case when a.attgenerated <> '' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
                when d.adbin is not null then 'default ' || pg_get_expr(d.adbin, d.adrelid) end,
              case when a.attnotnull then 'not null' end
            )
          ) order by a.attnum
        )
        from pg_attribute a
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as columns,
      coalesce((
        select json_agg(
          json_build_object('name', k.conname, 'definition', pg_get_constraintdef(k.oid)) order by k.contype desc, k.conname
        )
        from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'c')
      ), '[]') as constraints,
      coalesce((
        select json_agg(pg_get_indexdef(i.indexrelid, 0, true) order by i.indexrelid)
        from pg_index i
        where i.indrelid = c.oid and not exists (select from pg_constraint where conindid = i.indexrelid)
      ), '[]') as indexes,
      coalesce((
        select json_agg(a.attname order by array_position(i.indkey::int2[], a.attnum))
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
        where i.indrelid = c.oid and i.indisprimary
      ), '[]') as key
    from ${relationsOf(tx, schema)}
    where c.relkind = 'r'
    order by c.oid
  `;
}

type CatalogSequence = {
  name: string;
  definition: string;
  value: string;
  called: boolean;
  owner: string | null;
  identity: boolean;
};

async function readSequences(tx: Tx, schema: string): Promise<CatalogSequence[]> {
  const sequences = await tx<Omit<CatalogSequence, "value" | "called">[]>`
    select
      c.relname as name,
      format('as %s increment %s minvalue %s maxvalue %s start %s cache %s %s',
        format_type(s.seqtypid, null), s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache,
        case when s.seqcycle then 'cycle' else 'no cycle' end) as definition,
      (select quote_ident(t.relname) || '.' || quote_ident(a.attname)
        from pg_class t join pg_attribute a on a.attrelid = t.oid
        where t.oid = d.refobjid and a.attnum = d.refobjsubid) as owner,
      coalesce(d.deptype = 'i', false) as identity
    from ${relationsOf(tx, schema)}
    join pg_sequence s on s.seqrelid = c.oid
    left join pg_depend d
      on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and d.refclassid = 'pg_class'::regclass
    order by c.oid
  `;
  const read: CatalogSequence[] = [];
  for (const sequence of sequences) {
    const [row] =
      await tx`select last_value::text as value, is_called as called from ${tx(`${schema}.${sequence.name}`)}`;
    read.push({ ...sequence, value: row?.["value"], called: row?.["called"] });
  }
  return read;
}

/** `o`: the objects of a schema, by an index; the catalogs of relations and types have none by schema. */
const objectsOf = (sql: Sql, schema: string): Fragment => sql`(
  select classid, objid from pg_depend
  where refclassid = 'pg_namespace'::regclass and refobjid = ${schema}::regnamespace
) o`;

/** `c`: the tables, views and sequences of a schema. */
const relationsOf = (sql: Sql, schema: string): Fragment => sql`
  ${objectsOf(sql, schema)} join pg_class c on c.oid = o.objid and o.classid = 'pg_class'::regclass
`;

/**
 * Enum, domain and composite types get another id in each clone, which breaks prepared statements; views, rules,
 * functions, triggers and policies are not copied. A replica's tables use none of them.
 */
async function refuseUnclonable(tx: Tx, schema: string): Promise<void> {
  const relations = relationsOf(tx, schema);
  const found = await tx<{ what: string }[]>`
    select format('relation %s of kind %s', relname, relkind) as what from ${relations} where relkind not in ('r', 'S')
    union all select 'function ' || proname from ${objectsOf(tx, schema)} join pg_proc f on f.oid = o.objid
      where o.classid = 'pg_proc'::regclass
    union all select 'type ' || typname from ${objectsOf(tx, schema)} join pg_type t on t.oid = o.objid
      where o.classid = 'pg_type'::regclass and typtype in ('e', 'd', 'r', 'c')
    union all select 'trigger ' || tgname from ${relations} join pg_trigger on tgrelid = c.oid where not tgisinternal
    union all select 'policy ' || polname from ${relations} join pg_policy on polrelid = c.oid
    union all select 'table without primary key ' || relname from ${relations}
      where relkind = 'r' and not exists (select from pg_index where indrelid = c.oid and indisprimary)
    union all select 'foreign key ' || conname from ${relations} join pg_constraint on conrelid = c.oid where contype = 'f'
    union all select 'deferrable key ' || conname from ${relations} join pg_constraint on conrelid = c.oid
      where contype in ('p', 'u') and condeferrable
  `;
  if (found.length > 0)
    throw new Error(`${schema} cannot be cloned: ${found.map(({ what }) => what).join(", ")}`);
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

export const setSequence = ({ name, value, called }: Sequence) =>
  `select setval(${literal(quote(name))}, ${value}, ${called})`;

export const of = (schema: string, table: string) => `${quote(schema)}.${quote(table)}`;

/**
 * Returns a text that differs after any DDL: it has the ids of all relations and the versions of all columns' catalog
 * rows, which a truncate does not change.
 */
export async function fingerprintOf(tx: Tx, schema: string): Promise<string | undefined> {
  const [row] = await tx<{ fingerprint: string | null }[]>`
    with tables as materialized (
      select objid as oid from pg_depend
      where refclassid = 'pg_namespace'::regclass and refobjid = to_regnamespace(quote_ident(${schema}))
        and classid = 'pg_class'::regclass
    ), relations as (
      select oid from tables union all select indexrelid from pg_index join tables on indrelid = tables.oid
    )
    select md5(string_agg(concat_ws(' ', c.oid, c.relname, c.relkind, c.relreplident), ',' order by c.oid)) || concat_ws(' ', '',
      (select sum(a.xmin::text::bigint) from tables join pg_attribute a on attrelid = tables.oid and attnum > 0),
      (select count(*) from tables join pg_trigger on tgrelid = tables.oid where not tgisinternal)
    ) as fingerprint
    from relations join pg_class c using (oid)
  `;
  return row?.fingerprint ?? undefined;
}

export type Built = { readonly freshXid: string; readonly fingerprint: string };

/** Builds a clone named `schema` inside the caller's transaction. */
export async function buildClone(tx: Tx, blueprint: Blueprint, schema: string): Promise<Built> {
  const { ddl, sequences } = blueprint;
  await tx.unsafe(
    [
      `create schema ${quote(schema)}`,
      ...inSchema(schema, [
        ...ddl.tables,
        ...ddl.rows,
        ...ddl.indexes,
        ...sequences.map(setSequence),
      ]),
    ].join(";\n"),
  );
  const fingerprint = await fingerprintOf(tx, schema);
  if (fingerprint === undefined) throw new Error("a template has no tables");
  const [now] = await tx`select pg_current_xact_id()::text as xid`;
  return { freshXid: now?.["xid"], fingerprint };
}

/** The same template without its rows: a clone of it fits all templates of its shape. */
export const withoutRows = (blueprint: Blueprint): Blueprint => ({
  ...blueprint,
  ddl: { ...blueprint.ddl, rows: [] },
  sequences: [],
});

/**
 * Inserts the template's rows into a clone of its shape without rows, inside the caller's transaction. Returns its new
 * `freshXid`.
 */
export async function fillClone(tx: Tx, blueprint: Blueprint, schema: string): Promise<string> {
  const { ddl, sequences } = blueprint;
  const results = await tx.unsafe<{ xid: string }[][]>(
    [
      ...inSchema(schema, [...ddl.rows, ...sequences.map(setSequence)]),
      "select pg_current_xact_id()::text as xid",
    ].join(";\n"),
  );
  const xid = results.flat().at(-1)?.xid;
  if (xid === undefined) throw new Error("a clone has no transaction id");
  return xid;
}

const inSchema = (schema: string, statements: readonly string[]) => [
  `set local search_path to ${quote(schema)}`,
  ...statements,
  "set local search_path to ''",
];

/**
 * Drops one schema with its contents. Drop only one per transaction: each relation takes an entry in the lock table.
 */
export const dropSchema = async (sql: Sql, schema: string) =>
  await sql.unsafe(`drop schema if exists ${quote(schema)} cascade`);

/** Identifies a template's content: the same DDL and seed give the same rows. */
export const contentHash = (...parts: readonly string[]) =>
  createHash("sha256").update(parts.join("\u0000")).digest("hex");
