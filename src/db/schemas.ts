/** Builds, fills, compares and drops clones of templates. */
import type { Blueprint, Sequence } from "~/db/blueprint";
import { literal, quote, type Sql, type Tx } from "~/db/connect";
import { randomId } from "~/source";

/** Returns an unused schema name that nobody can guess. */
export const newSchemaName = () => `env_${randomId()}`;

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

/** Statements with bare names, to be run in a schema. */
export const inSchema = (schema: string, statements: readonly string[]) => [
  `set local search_path to ${quote(schema)}`,
  ...statements,
  "set local search_path to ''",
];

/**
 * Drops one schema with its contents. Drop only one per transaction: each relation takes an entry in the lock table.
 */
export const dropSchema = async (sql: Sql, schema: string) =>
  await sql.unsafe(`drop schema if exists ${quote(schema)} cascade`);

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

export const setSequence = ({ name, value, called }: Sequence) =>
  `select setval(${literal(quote(name))}, ${value}, ${called})`;
