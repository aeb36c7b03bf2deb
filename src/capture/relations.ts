/**
 * Checks that the log shows every change of a schema's tables.
 *
 * DDL is not decoded, and some of it hides changes from the log: another replica identity, `set unlogged`, a rewrite,
 * removal from the publication. Both marks of a run therefore carry sums over the catalog that grow with each such
 * statement, even if a later one reverts it. Added columns are detected in the changes themselves.
 */
import { MARK_PREFIX, type Relations } from "~/capture/change";
import type { Loss } from "~/capture/loss";
import { PUBLICATION } from "~/capture/pgoutput";
import type { Plugin } from "~/capture/slot";
import type { Fragment, Sql } from "~/db/connect";

/**
 * Writes `mark` and the current relations of a schema as a message in the log of this transaction. Selected beside the
 * schema's `schema_name`. The relations are found through pg_depend, which has an index by schema; pg_class has none.
 */
export const markExpression = (sql: Sql, plugin: Plugin | undefined, mark: object): Fragment =>
  withRelations(sql, plugin, sql`${JSON.stringify(mark).slice(0, -1)}::text`);

/** Ends the recording of each selected `run_id`; no call waits for the results. Selected beside `schema_name` too. */
export const endMark = (sql: Sql): Fragment =>
  withRelations(sql, undefined, sql`'{"k":"end","instance":"","run":"' || run_id || '"'`);

/** `open`: the JSON text of a mark without its closing brace. */
function withRelations(sql: Sql, plugin: Plugin | undefined, open: Fragment): Fragment {
  // That lookup costs as much as all the rest.
  const isPublished = plugin !== "wal2json";
  return sql`pg_logical_emit_message(true, ${MARK_PREFIX}, ${open} || ',"relations":' || coalesce((
    select json_build_object(
      'ids', md5(string_agg(c.oid::text, ',' order by c.oid)),
      'whole', bool_and(c.relkind <> 'r' or c.relreplident = 'f' and c.relpersistence = 'p'),
      'files', coalesce(sum(c.relfilenode::bigint) filter (where c.relkind = 'r'), 0),
      'versions', coalesce(sum(c.xmin::text::bigint) filter (where c.relkind = 'r'), 0),
      'columns', coalesce(sum(c.relnatts) filter (where c.relkind = 'r'), 0),
      'published', ${isPublished ? sql`coalesce(sum(r.xmin::text::bigint) + max(p.xmin::text::bigint), 0)` : sql`null::int`},
      'xid', pg_current_xact_id()::text
    )::text
    from pg_depend d
    join pg_class c on c.oid = d.objid
    ${
      isPublished
        ? sql`left join pg_publication p on p.pubname = ${PUBLICATION}
            left join pg_publication_rel r on r.prrelid = c.oid and r.prpubid = p.oid`
        : sql``
    }
    where d.refclassid = 'pg_namespace'::regclass and d.refobjid = to_regnamespace(quote_ident(schema_name))
      and d.classid = 'pg_class'::regclass
    having count(*) > 0
  ), 'null') || '}')`;
}

/**
 * Why the log may lack changes of a run that began with `before` and ended with `after`; undefined if it is complete.
 */
export function lossBetween(before: Relations, after: Relations | null): Loss | undefined {
  if (before.ids !== after?.ids) return "table_replaced";
  if (!after.whole) return "incomplete_identity";
  const isSame =
    before.files === after.files &&
    before.versions === after.versions &&
    before.columns === after.columns &&
    isPublishedAlike(before, after);
  return isSame ? undefined : "table_altered";
}

const isPublishedAlike = (before: Relations, after: Relations) =>
  before.published === null || before.published === after.published;

/**
 * Returns the tables altered since `before` if only nullable columns without a default were added: the log shows all of
 * that. Otherwise undefined.
 */
export async function findWidened(
  sql: Sql,
  schema: string,
  before: Relations,
  after: Relations,
): Promise<string[] | undefined> {
  const added = after.columns - before.columns;
  if (added <= 0 || before.files !== after.files || !isPublishedAlike(before, after))
    return undefined;
  const [row] = await sql<{ tables: string[]; isHarmless: boolean }[]>`
    with tables as (
      select c.oid, relname, c.xmin as version, age(c.xmin) <= age(${before.xid}::xid8::xid) as altered
      from pg_depend d join pg_class c on c.oid = d.objid
      where d.refclassid = 'pg_namespace'::regclass and d.refobjid = to_regnamespace(quote_ident(${schema}))
        and d.classid = 'pg_class'::regclass and relkind = 'r'
    ), added as (
      select attrelid, a.xmin as version,
        not (attisdropped or atthasdef or atthasmissing or attgenerated <> '' or attidentity <> '') as harmless
      from pg_attribute a join tables on attrelid = tables.oid
      where attnum > 0 and age(a.xmin) <= age(${before.xid}::xid8::xid)
    )
    select array(select relname::text from tables where altered) as tables,
      (select count(*) = ${added} and bool_and(harmless) from added)
        and not exists (
          select from tables t where altered
            and not exists (select from added a where a.attrelid = t.oid and a.version = t.version)
        ) as "isHarmless"
  `;
  return row?.isHarmless ? row.tables : undefined;
}
