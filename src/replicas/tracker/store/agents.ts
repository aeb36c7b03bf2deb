/** The users that are apps, and the sessions in which they work. */
import type { Fragment } from "~/db/connect";
import type { RowObject } from "~/graphql/page";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { maySeeIssue } from "~/replicas/tracker/store/visibility";

/** The active apps among these users that may see an issue, apart from the actor. */
export async function listApps(
  session: TrackerSession,
  userIds: readonly string[],
  { issueId, actor }: { readonly issueId: string; readonly actor: string },
): Promise<readonly string[]> {
  const { sql, t } = session;
  if (userIds.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    select u.id from ${t.users} u
    where u.app and u.active and u.id <> ${actor} and u.id = any(${[...userIds]}::uuid[])
      and ${maySeeIssue(session, sql`${issueId}::uuid`, sql`u.id`)}
    order by u.id
  `;
  return rows.map(({ id }) => id);
}

/** The latest session of each app in the thread of this root comment. */
export async function listSessionsIn(
  { sql, t }: TrackerSession,
  rootId: string,
): Promise<readonly RowObject[]> {
  const rows = await sql<{ row: RowObject }[]>`
    select distinct on (r.data->>'appUserId')
      r.data || jsonb_build_object('id', r.id, 'createdAt', r."createdAt", 'updatedAt', r."updatedAt") as row
    from ${t.records} r
    where r.type = 'AgentSession' and r.data->>'commentId' = ${rootId} and r."archivedAt" is null
    order by r.data->>'appUserId', r."createdAt" desc, r.id
  `;
  return rows.map(({ row }) => row);
}

/** The service expects a first activity, or an external URL, in this time, and another one in the second. */
const FIRST_SECONDS = 10;
const NEXT_MINUTES = 30;

/** The moment at which each session becomes stale unless its agent reports, as a relation with the columns `id` and `at`. */
export const silencesOf = ({ sql, t }: TrackerSession): Fragment => sql`(
  select r.id, case
    when r.data->>'status' = 'pending' and coalesce(r.data->'externalLinks', '[]') = '[]'
      then r."createdAt" + make_interval(secs => ${FIRST_SECONDS}::int)
    else r."updatedAt" + make_interval(mins => ${NEXT_MINUTES}::int) end as at
  from ${t.records} r
  where r.type = 'AgentSession' and r.data->>'status' in ('pending', 'active') and r."archivedAt" is null
)`;

/** Ends the wait for agents that have not reported. Returns their sessions. */
export async function leaveStale(session: TrackerSession, now: Date): Promise<string[]> {
  const { sql, t } = session;
  const rows = await sql<{ id: string }[]>`
    update ${t.records} r set "updatedAt" = ${now}, data = r.data || '{"status": "stale"}'::jsonb
    where r.id in (select s.id from ${silencesOf(session)} s where s.at <= ${now}::timestamptz)
    returning r.id
  `;
  return rows.map(({ id }) => id).toSorted();
}
