/**
 * The register of cloned schemas. Its functions run on either pool, as part of the transactions that build and refresh
 * schemas.
 */
import type { Fragment, Sql } from "~/db/connect";
import type { Used } from "~/db/recycling";
import { schemaIdle } from "~/db/schema-locks";
import type { Built } from "~/db/schemas";

export type SchemaState = "ready" | "reserved" | "claimed" | "used";

export const register = async (
  sql: Sql,
  schema: string,
  templateSchema: string,
  state: SchemaState,
  { freshXid, fingerprint }: Built,
) =>
  await sql`
    insert into diorama.schemas (schema_name, template_schema, state, fresh_xid, fingerprint)
    values (${schema}, ${templateSchema}, ${state}, ${freshXid}, ${fingerprint})
  `;

/** Locks a ready schema of this template for the caller's transaction. Returns undefined if there is none. */
export async function lockReady(
  sql: Sql,
  templateSchema: string,
): Promise<{ readonly schema: string; readonly fingerprint: string } | undefined> {
  const [row] = await sql<{ schema: string; fingerprint: string }[]>`
    select schema_name as schema, fingerprint from diorama.schemas
    where template_schema = ${templateSchema} and state = 'ready'
    limit 1 for update skip locked
  `;
  return row;
}

/** Gives a locked schema to another template, whose rows it has now. */
export const assign = async (
  sql: Sql,
  schema: string,
  templateSchema: string,
  state: SchemaState,
  freshXid: string,
) =>
  await sql`
    update diorama.schemas set template_schema = ${templateSchema}, state = ${state}, fresh_xid = ${freshXid},
      changed_at = now()
    where schema_name = ${schema}
  `;

type Recyclable = Used & {
  readonly templateSchema: string;
  /** Its template has not changed. */
  readonly current: boolean;
  /** No server runs a call of its last environment, and none will during this transaction. */
  readonly schemaIdle: boolean;
};

/** Whether a template, or a large state that is kept like one, has this schema. */
export const isKept = (sql: Sql, schema: Fragment): Fragment => sql`(
  exists (select from diorama.templates kept where kept.schema_name = ${schema})
  or exists (select from diorama.hidden_templates kept where kept.schema_name = ${schema})
)`;

/**
 * Locks a used schema for this transaction. Returns undefined if it is not used, or another server has locked it. Later
 * statements of the transaction wait for a lock at most `lockTimeout`.
 */
export async function lockUsed(
  sql: Sql,
  schema: string,
  lockTimeout: string,
): Promise<Recyclable | undefined> {
  const [row] = await sql<Recyclable[]>`
    with locked as materialized (
      select schema_name, fresh_xid, fingerprint, template_schema, set_config('lock_timeout', ${lockTimeout}, true)
      from diorama.schemas where schema_name = ${schema} and state = 'used'
      for update skip locked
    )
    select schema_name as schema, fresh_xid::text as "freshXid", fingerprint, template_schema as "templateSchema",
      ${isKept(sql, sql`template_schema`)} as current,
      ${schemaIdle(sql, sql`schema_name`)} as "schemaIdle"
    from locked
  `;
  return row;
}

export const markReady = async (sql: Sql, schema: string, { freshXid, fingerprint }: Built) =>
  await sql`
    update diorama.schemas set state = 'ready', fresh_xid = ${freshXid}, fingerprint = ${fingerprint},
      changed_at = now()
    where schema_name = ${schema}
  `;

export const forget = async (sql: Sql, schema: string) =>
  await sql`delete from diorama.schemas where schema_name = ${schema}`;

/** Lists used schemas that have not been recycled for a while: their server died, or could not lock them. */
export async function listUsed(
  sql: Sql,
  olderThanSeconds: number,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ schema: string }[]>`
    select schema_name as schema from diorama.schemas
    where state = 'used' and changed_at <= now() - ${olderThanSeconds}::float8 * interval '1 second'
    order by changed_at limit ${limit}
  `;
  return rows.map(({ schema }) => schema);
}

/** Takes up to `count` ready schemas out of the pool. No two callers get the same one, on any servers. */
export async function reserve(sql: Sql, templateSchema: string, count: number): Promise<string[]> {
  const rows = await sql<{ schema: string }[]>`
    update diorama.schemas set state = 'reserved', changed_at = now()
    where schema_name in (
      select schema_name from diorama.schemas
      where template_schema = ${templateSchema} and state = 'ready'
      limit ${count} for update skip locked
    )
    returning schema_name as schema
  `;
  return rows.map(({ schema }) => schema);
}

/** Keeps a schema reserved until the caller's transaction ends. Returns false if it is not reserved any more. */
export async function lockReserved(sql: Sql, schema: string): Promise<boolean> {
  const rows = await sql`
    select from diorama.schemas where schema_name = ${schema} and state = 'reserved' for share
  `;
  return rows.count === 1;
}

/** Leaves reserved schemas to recycling: those given, or those whose server has died. */
export async function unreserve(
  sql: Sql,
  which: readonly string[] | { readonly olderThanSeconds: number },
): Promise<void> {
  const condition =
    "olderThanSeconds" in which
      ? sql`changed_at <= now() - ${which.olderThanSeconds}::float8 * interval '1 second'`
      : sql`schema_name = any(${[...which]})`;
  await sql`
    update diorama.schemas set state = 'used', changed_at = now() where state = 'reserved' and ${condition}
  `;
}

/** Counts ready schemas by template schema. */
export async function countReady(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ template: string; count: number }[]>`
    select template_schema as template, count(*)::int as count from diorama.schemas
    where state = 'ready' group by template_schema
  `;
  return new Map(rows.map(({ template, count }) => [template, count]));
}

/** Removes ready schemas from the pool: all but `keep`, or all of a deleted template. */
export async function retire(
  sql: Sql,
  templateSchema: string,
  keep: number,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ schema: string }[]>`
    update diorama.schemas set state = 'used', changed_at = now()
    where schema_name in (
      select schema_name from diorama.schemas
      where template_schema = ${templateSchema} and state = 'ready'
      offset ${keep} limit ${limit} for update skip locked
    )
    returning schema_name as schema
  `;
  return rows.map(({ schema }) => schema);
}

/** The last names of a page: the next one begins after them. Empty: from the beginning. */
export type Page = { readonly schema: string; readonly entry: string };
export const FIRST_PAGE: Page = { schema: "", entry: "" };

/**
 * Finds schemas with our names that no row refers to, and entries whose schema is missing, among the next names. A name
 * has another collation than a text: without the index of the text's own, each name would read all entries.
 */
export async function listOrphans(
  sql: Sql,
  after: Page,
  limit: number,
): Promise<{ schemas: string[]; entries: string[]; next: Page }> {
  const [row] = await sql<{ schemas: string[]; entries: string[]; next: Page }[]>`
    with named as materialized (
      select nspname::text collate "default" as found from pg_namespace where nspname > ${after.schema}::name order by nspname limit ${limit}
    ), entered as materialized (
      select schema_name as entry from diorama.schemas where schema_name > ${after.entry} order by schema_name limit ${limit}
    )
    select
      array(
        select found from named
        where (found ~ '^env_[0-9a-f]{32}$'
            and (select s.schema_name from diorama.schemas s where s.schema_name = found) is null)
           or (found ~ '^tpl_(large_)?[0-9a-f]{32}$' and not ${isKept(sql, sql`found`)})
      ) as schemas,
      array(
        select entry from entered where (select n.oid from pg_namespace n where n.nspname = entry::name) is null
      ) as entries,
      (select json_build_object(
        'schema', coalesce((select max(found) from named having count(*) = ${limit}), ''),
        'entry', coalesce((select max(entry) from entered having count(*) = ${limit}), '')
      )) as next
  `;
  return row ?? { schemas: [], entries: [], next: FIRST_PAGE };
}

/** Removes entries of missing schemas, except those that a live environment still has. */
export const forgetEnded = async (sql: Sql, missing: readonly string[]) =>
  await sql`
    delete from diorama.schemas s where schema_name = any(${[...missing]}) and not exists (
      select from diorama.environments e where e.deleted_at is null and e.schema_name = s.schema_name
    )
  `;
