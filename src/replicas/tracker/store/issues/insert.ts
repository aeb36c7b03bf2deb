/** New issues: their numbers and positions. */
import type { NewValues, Row } from "~/replicas/tracker/store/entities";
import { requireColumns, type TrackerSession } from "~/replicas/tracker/store/tables";
import { sequence } from "~/replicas/tracker/store/write";

/** New issues of a team go after this number and above this position. */
export type Place = {
  readonly teamId: string;
  readonly number: number;
  readonly sortOrder: number;
};

/** The places of teams, which are locked: a statement after the one that locks them sees every issue. */
export const findPlaces = ({ sql, t }: TrackerSession, teamIds: readonly string[]) => sql<Place[]>`
  select id as "teamId",
    greatest("highestNumber", (select max(i.number) from ${t.issues} i where i."teamId" = team.id)) as number,
    coalesce((select min(i."sortOrder") from ${t.issues} i where i."teamId" = team.id), 0) as "sortOrder"
  from ${t.teams} team where id = any(${teamIds}::uuid[])
`;

/** Inserts complete issues in the order of the list. Returns the rows and the sync id. */
export async function insertIssues(
  session: TrackerSession,
  issues: readonly NewValues<"Issue">[],
): Promise<{ readonly rows: readonly Row<"Issue">[]; readonly lastSyncId: number }> {
  for (const issue of issues) requireColumns("issues", issue);
  const { sql, t } = session;
  const found = await sql`
    insert into ${t.issues}
    select * from jsonb_populate_recordset(null::${t.issues}, ${sql.json(issues as never)})
    returning *, (select nextval(${sequence(session)}::regclass))::float8 as "lastSyncId"
  `;
  const rows = found.map(({ lastSyncId: _, ...row }) => row as Row<"Issue">);
  return { rows, lastSyncId: found[0]?.["lastSyncId"] };
}
