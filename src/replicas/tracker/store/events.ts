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
  readonly part: Part;
  readonly ids: readonly string[];
};

/**
 * Which part is read. `light`: rows without the long texts that only events of their own show, since there can be many.
 * `newest`: only what a conversation shows of the newest comments with each id, as far as they fit.
 */
type Part = "whole" | "light" | "newest";

export type Found = { readonly table: TableName; readonly part: Part; readonly row: EventRow };

const LONG: { readonly [table: string]: readonly string[] } = {
  comments: ["bodyData", "quotedText"],
  cycles: ["description"],
  documents: ["content"],
  initiatives: ["description", "content"],
  issue_labels: ["description"],
  issues: ["description"],
  project_milestones: ["description"],
  project_statuses: ["description"],
  projects: ["content"],
  teams: ["description"],
  users: ["description"],
  workflow_states: ["description"],
};

/** Comments of a conversation. */
export const NEWEST_MAX = 100;
/** Of a comment's text. In characters. */
const NEWEST_LENGTH_MAX = 16_000;
/** Of the texts of a conversation. */
const NEWEST_BYTES_MAX = 256 * 1024;

const newestComments = ({ sql, t }: TrackerSession, { column, ids }: Wanted): Fragment => sql`
  select 'comments'::text as "table", 'newest'::text as part, to_jsonb(n) - 'bytes' as row
  from unnest(${[...ids]}::uuid[]) as w (id) cross join lateral (
    select s.*, sum(octet_length(s.body)) over (order by s."createdAt" desc nulls last, s.id) as bytes from (
      select r.id, r."createdAt", r."issueId", r."parentId", r."userId", left(r.body, ${NEWEST_LENGTH_MAX}::int) as body
      from ${t.comments} r where ${sql(`r.${column}`)} = w.id
      order by r."createdAt" desc nulls last, r.id limit ${NEWEST_MAX}::int
    ) s
  ) n
  where n.bytes <= ${NEWEST_BYTES_MAX}::int
`;

function lightRow({ sql }: TrackerSession, table: string): Fragment {
  if (table === "records")
    return sql`to_jsonb(r) || jsonb_build_object(
      'data', case when r.type = 'Release' then r.data - 'description' else r.data end
    )`;
  const long = LONG[table];
  return long ? sql`to_jsonb(r) - ${[...long]}::text[]` : sql`to_jsonb(r)`;
}

export async function listRows(
  session: TrackerSession,
  wanted: readonly Wanted[],
): Promise<readonly Found[]> {
  const { sql, t } = session;
  const queries = wanted
    .filter(({ ids }) => ids.length > 0)
    .map((each) => {
      const { table, column, type, part, ids } = each;
      if (part === "newest") return newestComments(session, each);
      const isInData = !TABLES.get(table)?.has(column);
      const condition = isInData
        ? sql`r.type = ${type ?? ""} and r.data->>${column}::text = any(${[...ids]}::text[])`
        : sql`${sql(`r.${column}`)} = any(${[...ids]}::uuid[])`;
      const row = part === "light" ? lightRow(session, table) : sql`to_jsonb(r)`;
      return sql`select ${table}::text as "table", ${part}::text as part, ${row} as row from ${t[table]} r where ${condition}`;
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

/** The oldest webhooks. */
export async function listWebhooks({ sql, t }: TrackerSession, limit: number): Promise<EventRow[]> {
  const rows = await sql<{ row: EventRow }[]>`
    select to_jsonb(w) as row from ${t.webhooks} w order by w."createdAt", w.id limit ${limit}
  `;
  return rows.map(({ row }) => row);
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
