/** Visibility for other users than the viewer, as SQL conditions. */
import type { Fragment } from "~/db/connect";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

const maySeeTeam = (
  { sql, t }: TrackerSession,
  teamId: Fragment,
  userId: Fragment,
): Fragment => sql`
  not exists (
    select from ${t.teams} x where x.id = ${teamId} and x.visibility = 'private' and not exists (
      select from ${t.team_memberships} m where m."teamId" = x.id and m."userId" = ${userId}
    )
  )`;

/** `offset 0` makes it a lookup for each row: the planner may join all issues otherwise. */
export const maySeeIssue = (
  session: TrackerSession,
  issueId: Fragment,
  userId: Fragment,
): Fragment => session.sql`exists (
  select from ${session.t.issues} i
  where i.id = ${issueId} and (
    ${userId} = any(i."sharedWithUserIds") or ${maySeeTeam(session, session.sql`i."teamId"`, userId)}
  ) offset 0
)`;

export const maySeeProject = (
  session: TrackerSession,
  projectId: Fragment,
  userId: Fragment,
): Fragment => session.sql`exists (
  select from ${session.t.project_teams} p
  where p."projectId" = ${projectId} and ${maySeeTeam(session, session.sql`p."teamId"`, userId)}
)`;
