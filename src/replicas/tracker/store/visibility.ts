/** Visibility for other users than the viewer, as SQL conditions. */
import type { Fragment, Identifier } from "~/db/connect";
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

/** `issues`: the source of the issue, if the same statement inserts it. */
export const maySeeIssue = (
  session: TrackerSession,
  issueId: Fragment,
  userId: Fragment,
  issues: Fragment | Identifier = session.t.issues,
): Fragment => session.sql`exists (
  select from ${issues} i
  where i.id = ${issueId} and (
    ${userId} = any(i."sharedWithUserIds") or ${maySeeTeam(session, session.sql`i."teamId"`, userId)}
  )
)`;

export const maySeeProject = (
  session: TrackerSession,
  projectId: Fragment,
  userId: Fragment,
): Fragment => session.sql`exists (
  select from ${session.t.project_teams} p
  where p."projectId" = ${projectId} and ${maySeeTeam(session, session.sql`p."teamId"`, userId)}
)`;
