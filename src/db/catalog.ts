/** Tables and sequences of a schema, read from the catalog with the DDL that recreates them under any search_path. */
import { type Fragment, quote, type Sql, type Tx } from "~/db/connect";

export type CatalogTable = {
  name: string;
  columns: { name: string; type: string; definition: string; generated: boolean }[];
  constraints: { name: string; definition: string }[];
  indexes: string[];
  key: string[];
};

export type CatalogSequence = {
  name: string;
  definition: string;
  value: string;
  called: boolean;
  owner: string | null;
  identity: boolean;
};

/** Throws if the schema contains objects that a clone cannot have. */
export async function readCatalog(
  tx: Tx,
  schema: string,
): Promise<{ readonly tables: CatalogTable[]; readonly sequences: CatalogSequence[] }> {
  // Catalog functions print names relative to the search_path: bare names fit every clone.
  await tx.unsafe(`set local search_path to ${quote(schema)}`);
  await refuseUnclonable(tx, schema);
  return { tables: await readTables(tx, schema), sequences: await readSequences(tx, schema) };
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
        where i.indrelid = c.oid and not exists (
          select from pg_constraint k where k.conrelid = i.indrelid and k.conindid = i.indexrelid
        )
      ), '[]') as indexes,
      to_json(${keyOf(tx)}) as key
    from ${relationsOf(tx, schema)}
    where c.relkind = 'r'
    order by c.oid
  `;
}

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

/**
 * Enum, domain and composite types get another id in each clone, which breaks prepared statements; views, rules,
 * functions, triggers and policies are not copied. A replica's tables use none of them; the triggers by which the platform
 * notes changes belong to one environment.
 */
async function refuseUnclonable(tx: Tx, schema: string): Promise<void> {
  const relations = relationsOf(tx, schema);
  const found = await tx<{ what: string }[]>`
    select format('relation %s of kind %s', relname, relkind) as what from ${relations} where relkind not in ('r', 'S')
    union all select 'function ' || proname from ${objectsOf(tx, schema)} join pg_proc f on f.oid = o.objid
      where o.classid = 'pg_proc'::regclass
    union all select 'type ' || typname from ${objectsOf(tx, schema)} join pg_type t on t.oid = o.objid
      where o.classid = 'pg_type'::regclass and typtype in ('e', 'd', 'r', 'c')
    union all select 'trigger ' || tgname from ${relations} join pg_trigger on tgrelid = c.oid
      where not tgisinternal and tgname not like 'diorama\\_%'
    union all select 'policy ' || polname from ${relations} join pg_policy on polrelid = c.oid
    union all select 'table without a key ' || relname from ${relations}
      where relkind = 'r' and not coalesce((
        select bool_and(a.attnotnull) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and a.attname = any(${keyOf(tx)})
      ), false)
    union all select 'foreign key ' || conname from ${relations} join pg_constraint on conrelid = c.oid where contype = 'f'
    union all select 'deferrable key ' || conname from ${relations} join pg_constraint on conrelid = c.oid
      where contype in ('p', 'u') and condeferrable
  `;
  if (found.length > 0)
    throw new Error(`${schema} cannot be cloned: ${found.map(({ what }) => what).join(", ")}`);
}

/**
 * The columns that identify a row of the table `c`: its primary key, or else its column `id`, or else all columns, none of
 * which may be null. Small tables have no index: it costs each environment, and few rows are read as quickly without.
 */
export const keyOf = (sql: Sql): Fragment => sql`coalesce(
  (
    select array_agg(k.attname::text order by array_position(i.indkey::int2[], k.attnum))
    from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey)
    where i.indrelid = c.oid and i.indisprimary
  ),
  (select array[k.attname::text] from pg_attribute k where k.attrelid = c.oid and k.attname = 'id' and not k.attisdropped),
  (select array_agg(k.attname::text order by k.attnum) from pg_attribute k
    where k.attrelid = c.oid and k.attnum > 0 and not k.attisdropped)
)`;

/** `o`: the objects of a schema, by an index; the catalogs of relations and types have none by schema. */
const objectsOf = (sql: Sql, schema: string): Fragment => sql`(
  select classid, objid from pg_depend
  where refclassid = 'pg_namespace'::regclass and refobjid = ${schema}::regnamespace
) o`;

/** `c`: the tables, views and sequences of a schema, which must exist. */
export const relationsOf = (sql: Sql, schema: string): Fragment => sql`
  ${objectsOf(sql, schema)} join pg_class c on c.oid = o.objid and o.classid = 'pg_class'::regclass
`;
