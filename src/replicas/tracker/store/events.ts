/** The rows that events show, as JSON. Each function is one statement for a batch of changes. */
import type { Fragment } from "~/db/connect";
import { createBudget } from "~/graphql/budget";
import { requireModel } from "~/graphql/model";
import { fetchRows } from "~/graphql/rows";
import type { EventRow } from "~/replicas/events";
import { CATALOG } from "~/replicas/tracker/store/comparators";
import type { Entity } from "~/replicas/tracker/store/entities";
import { MODELS } from "~/replicas/tracker/store/models/index";
import { TABLES, type TableName, type TrackerSession } from "~/replicas/tracker/store/tables";

/** Rows of a table that have one of these ids in a column. A record has it in its data, unless it is its own. */
export type Wanted = {
  readonly table: TableName;
  readonly column: string;
  /** Of a record. */
  readonly type?: string | undefined;
  readonly ids: readonly string[];
};

export type Found = { readonly table: TableName; readonly row: EventRow };

export async function listRows(
  { sql, t }: TrackerSession,
  wanted: readonly Wanted[],
): Promise<readonly Found[]> {
  const queries = wanted
    .filter(({ ids }) => ids.length > 0)
    .map(({ table, column, type, ids }) => {
      const isInData = !TABLES.get(table)?.has(column);
      const condition = isInData
        ? sql`r.type = ${type ?? ""} and r.data->>${column}::text = any(${[...ids]}::text[])`
        : sql`${sql(`r.${column}`)} = any(${[...ids]}::uuid[])`;
      return sql`select ${table}::text as "table", to_jsonb(r) as row from ${t[table]} r where ${condition}`;
    });
  if (queries.length === 0) return [];
  const all = queries.reduce<Fragment | undefined>(
    (before, query) => (before ? sql`${before} union all ${query}` : query),
    undefined,
  );
  return await sql<Found[]>`${all as Fragment}`;
}

export type Workspace = {
  readonly id: string;
  readonly urlKey: string;
  readonly privateTeamIds: readonly string[];
};

export async function findWorkspace({ sql, t }: TrackerSession): Promise<Workspace> {
  const [row] = await sql<Workspace[]>`
    select o.id, o."urlKey", array(
      select x.id::text from ${t.teams} x where x.visibility = 'private'
    ) as "privateTeamIds"
    from ${t.organizations} o
  `;
  if (!row) throw new Error("the workspace has no organization");
  return row;
}

/** Values of these rows that are not stored, by id. */
export async function listValues(
  { sql, t }: TrackerSession,
  { entity, ids, fields }: { entity: Entity; ids: readonly string[]; fields: readonly string[] },
  now: Date,
): Promise<ReadonlyMap<string, EventRow>> {
  if (ids.length === 0) return new Map();
  const viewer = { sql, table: (name: string) => t[name as TableName], now, actor: "", hidden: [] };
  const reading = { ...CATALOG, viewer, budget: createBudget() };
  const wanted = { fields: new Set(fields), columns: new Set(["id"]), evenHidden: true };
  return await fetchRows(reading, requireModel(MODELS, entity), ids, wanted);
}

/** The user that is an app, by its id. */
export async function findAppUser(
  { sql, t }: TrackerSession,
  id: string,
): Promise<string | undefined> {
  const [user] = await sql<{ id: string }[]>`
    select id from ${t.users} where id = ${id} and active
  `;
  return user?.id;
}
