/** New issues: numbers, positions and side effects in one statement. */
import type { Fragment } from "~/db/connect";
import type { NewValues, Row } from "~/replicas/tracker/store/entities";
import { type Acting, type Effects, effectsOf } from "~/replicas/tracker/store/issues/effects";
import { requireColumns, TABLES, type TrackerSession } from "~/replicas/tracker/store/tables";
import { sequence } from "~/replicas/tracker/store/write";

const COLUMNS = [...(TABLES.get("issues")?.keys() ?? [])];

/**
 * Inserts issues in the order of the list; their teams are locked. Each is complete except for its number and
 * identifier, and for null positions: these put it on top. Returns the rows and the sync id.
 */
export async function insertIssues(
  session: TrackerSession,
  issues: readonly NewValues<"Issue">[],
  effects: Effects,
  acting: Acting,
): Promise<{ readonly rows: readonly Row<"Issue">[]; readonly lastSyncId: number }> {
  const { sql, t, schema } = session;
  for (const issue of issues) requireColumns("issues", issue);
  const values: Readonly<Record<string, Fragment>> = {
    number: sql`top.number + place.nth`,
    identifier: sql`top.key || '-' || (top.number + place.nth)`,
    sortOrder: sql`coalesce(given."sortOrder", top."sortOrder" - place.nth)`,
    prioritySortOrder: sql`coalesce(given."prioritySortOrder", top."sortOrder" - place.nth)`,
    subIssueSortOrder: sql`case when given."parentId" is not null then coalesce(given."subIssueSortOrder", top."sortOrder" - place.nth) end`,
  };
  const columns = COLUMNS.map((name) => sql`${sql(name)}`).reduce(
    (all, one) => sql`${all}, ${one}`,
  );
  const selected = COLUMNS.map((name) => values[name] ?? sql`${sql(`given.${name}`)}`).reduce(
    (all, one) => sql`${all}, ${one}`,
  );
  const found = await sql`
    with given as (
      select row_number() over () as ordinal, g.*
      from jsonb_populate_recordset(null::${t.issues}, ${sql.json(issues as never)}::jsonb) g
    ), place as (
      select id, row_number() over (partition by "teamId" order by ordinal) as nth from given
    ), top as (
      select team.id, team.key,
        greatest(team."highestNumber", (select max(i.number) from ${t.issues} i where i."teamId" = team.id)) as number,
        coalesce((select min(i."sortOrder") from ${t.issues} i where i."teamId" = team.id), 0) as "sortOrder"
      from ${t.teams} team where team.id in (select "teamId" from given)
    ), added as (
      insert into ${t.issues} (${columns})
      select ${selected} from given join place using (id) join top on top.id = given."teamId"
      order by given.ordinal returning *
    ), ${effectsOf(session, effects, acting, sql`added`)}
    select added.*, sync.id as "lastSyncId"
    from added cross join (select nextval(${sequence(schema)}::regclass)::float8 as id) sync
    order by added.number
  `;
  const rows = found.map(({ lastSyncId: _, ...row }) => row as Row<"Issue">);
  return { rows, lastSyncId: found[0]?.["lastSyncId"] };
}
