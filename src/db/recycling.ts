/**
 * Recycles schemas. Building costs relations, not rows (about 90 files for 20 tables), so a used schema is not dropped.
 * Instead, one transaction deletes the rows written since it was fresh, inserts the template's missing rows, and resets
 * the sequences.
 */
import { type Blueprint, of, type Sequence, type Table } from "~/db/blueprint";
import { literal, quote, type Tx } from "~/db/connect";
import { type Built, fingerprintOf, inSchema, setSequence } from "~/db/schemas";

export type Used = {
  readonly schema: string;
  readonly freshXid: string;
  readonly fingerprint: string;
};

/**
 * Makes a used clone equal to its template again, inside the caller's transaction. Returns undefined if that fails: the
 * schema must be dropped.
 *
 * Uses the rows themselves, not tracked changes: a row that the environment wrote or changed has a newer xmin than the
 * schema's last fresh state, and a deleted row is missing from the count.
 */
export async function refreshClone(
  tx: Tx,
  blueprint: Blueprint,
  used: Used,
): Promise<Built | undefined> {
  const isOfShape = async () => (await fingerprintOf(tx, used.schema)) === used.fingerprint;
  const fits = (await isOfShape()) || ((await dropNoting(tx, used.schema)) && (await isOfShape()));
  if (!fits) return undefined;
  const touched = await touchedTables(tx, blueprint, used);
  const results = await tx.unsafe<{ different: boolean; xid: string }[][]>(
    [
      ...repairs(blueprint, used, touched),
      ...sequenceResets(blueprint.sequences, used.schema),
      `select ${differences(blueprint, used, touched)} as different, pg_current_xact_id()::text as xid`,
    ].join(";\n"),
  );
  const proof = results.flat().at(-1);
  return proof?.different === false
    ? { freshXid: proof.xid, fingerprint: used.fingerprint }
    : undefined;
}

/**
 * The triggers that note the changes of an environment. Recycling drops these only: those of a run that compares
 * snapshots prevent it, since its rows are still to be read.
 */
export const NOTING = { apps: "diorama_note", counterparts: "diorama_counterpart" };

/** Drops the triggers that noted changes. Returns whether there were any. */
async function dropNoting(tx: Tx, schema: string): Promise<boolean> {
  const triggers = await tx<{ name: string; table: string }[]>`
    select tgname as name, relname as table from pg_depend
    join pg_class c on c.oid = objid
    join pg_trigger on tgrelid = c.oid and not tgisinternal and tgname = any(${Object.values(NOTING)})
    where refclassid = 'pg_namespace'::regclass and refobjid = to_regnamespace(quote_ident(${schema}))
      and classid = 'pg_class'::regclass
  `;
  if (triggers.length === 0) return false;
  await tx.unsafe(
    triggers
      .map(({ name, table }) => `drop trigger ${quote(name)} on ${of(schema, table)}`)
      .join(";\n"),
  );
  return true;
}

/** `newer`: rows that were written since the clone was fresh. `isLacking`: rows of the template are missing. */
type Touched = Table & { readonly newer: number; readonly isLacking: boolean };

/** Whether a row of a used clone was written since the clone was fresh. */
export const isNewer = ({ freshXid }: Used) => `age(xmin) < age(${literal(freshXid)}::xid8::xid)`;

/** Returns the tables that may differ from the template's. Prevents writes to all tables until the transaction ends. */
export async function touchedTables(
  tx: Tx,
  { tables, rowCounts }: Blueprint,
  used: Used,
  { isWritable = false } = {},
): Promise<readonly Touched[]> {
  const names = tables.map(({ name }) => of(used.schema, name));
  const empty = tables.flatMap(({ name }) => (rowCounts.get(name) === 0 ? [name] : []));
  const [, written] = await Promise.all([
    // Writes in progress finish first.
    isWritable || tx.unsafe(`lock table ${names.join(", ")} in share row exclusive mode`),
    writtenAmong(tx, used.schema, empty),
  ]);
  const counted = tables.filter(({ name }) => !empty.includes(name) || written.has(name));
  if (counted.length === 0) return [];
  const states = await tx.unsafe<{ name: string; count: number; newer: number }[]>(
    counted
      .map(
        ({ name }) =>
          `select ${literal(name)} as name, count(*)::int as count, count(*) filter (where ${isNewer(used)})::int as newer from ${of(used.schema, name)}`,
      )
      .join(" union all "),
  );
  return counted.flatMap((table) => {
    const { count = 0, newer = 0 } = states.find(({ name }) => name === table.name) ?? {};
    const isLacking = count - newer !== rowCounts.get(table.name);
    return newer > 0 || isLacking ? [{ ...table, newer, isLacking }] : [];
  });
}

/**
 * Returns those tables that have or had rows. Postgres plans a count of a table with all its indexes, which takes longer
 * than anything else here; whether its file is empty costs little.
 */
async function writtenAmong(tx: Tx, schema: string, names: readonly string[]) {
  const rows = await tx<{ name: string }[]>`
    select relname as name from pg_depend join pg_class c on c.oid = objid
    where refclassid = 'pg_namespace'::regclass and refobjid = to_regnamespace(quote_ident(${schema}))
      and classid = 'pg_class'::regclass and relname = any(${[...names]}) and pg_relation_size(c.oid) > 0
  `;
  return new Set(rows.map(({ name }) => name));
}

export const sequenceResets = (sequences: readonly Sequence[], schema: string): string[] =>
  sequences.length === 0 ? [] : inSchema(schema, sequences.map(setSequence));

/** Deletes rows that only the clone has, and inserts rows that only the template has. */
function repairs(blueprint: Blueprint, used: Used, touched: readonly Touched[]): string[] {
  const { schema } = used;
  const deletes = touched
    .filter(({ newer }) => newer > 0)
    .map(({ name }) => `delete from ${of(schema, name)} where ${isNewer(used)}`);
  const lacking = touched.filter(({ isLacking }) => isLacking);
  const inserts = lacking.map(({ name, columns, key }) => {
    const list = columns.filter(({ generated }) => !generated).map((column) => quote(column.name));
    const same = key
      .map((column) => `mine.${quote(column)} = template.${quote(column)}`)
      .join(" and ");
    return `insert into ${of(schema, name)} (${list.join(", ")}) overriding system value
      select ${list.map((column) => `template.${column}`).join(", ")} from ${of(blueprint.schema, name)} template
      where not exists (select from ${of(schema, name)} mine where ${same})`;
  });
  return [...deletes, ...inserts];
}

/** Whether any of the tables differs from the template's, in any row. */
function differences(blueprint: Blueprint, { schema }: Used, tables: readonly Table[]): string {
  const each = tables.map(
    ({
      name,
    }) => `exists (select from ${of(schema, name)} having count(*) <> ${blueprint.rowCounts.get(name)})
      or exists (select r::text from ${of(schema, name)} r except select r::text from ${of(blueprint.schema, name)} r)`,
  );
  return each.length > 0 ? each.join(" or ") : "false";
}
