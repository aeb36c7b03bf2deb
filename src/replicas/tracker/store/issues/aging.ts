import type { Fragment } from "~/db/connect";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The longest period of a team. Rows of an import can have more. */
export const AGE_MONTHS_MAX = 1_200;

/** An issue that nobody has changed for as long as its team allows. */
export type AgedIssue = {
  readonly id: string;
  /** Of its state. */
  readonly type: string;
  /** The state that closes it. */
  readonly closeStateId: string;
  readonly closeType: string;
};

/**
 * The moment at which each issue will be closed or archived, as a relation with the columns of AgedIssue and `at`. A
 * closed issue waits for its cycle and its project.
 */
export const agingOf = ({ sql, t }: TrackerSession): Fragment => sql`(
  select i.id, s.type, c.id as "closeStateId", c.type as "closeType",
    i."updatedAt" + make_interval(months => least(p.months, ${AGE_MONTHS_MAX})::int) as at
  from ${t.issues} i
  join ${t.teams} team on team.id = i."teamId"
  join ${t.workflow_states} s on s.id = i."stateId"
  join lateral (
    select case when s.type in ('completed', 'canceled', 'duplicate') then team."autoArchivePeriod"
      else team."autoClosePeriod" end as months
  ) p on p.months > 0
  join lateral (
    select id, type from ${t.workflow_states} closing
    where closing."teamId" = team.id and closing."archivedAt" is null
      and (closing.id::text = team."autoCloseStateId" or closing.type = 'canceled')
    order by closing.id::text = team."autoCloseStateId" desc nulls last, position limit 1
  ) c on true
  left join ${t.cycles} cycle on cycle.id = i."cycleId"
  left join ${t.projects} project on project.id = i."projectId"
  where i."archivedAt" is null and (
    s.type not in ('completed', 'canceled', 'duplicate')
    or (cycle.id is null or cycle."completedAt" is not null)
      and (project.id is null or coalesce(project."completedAt", project."canceledAt") is not null)
  )
)`;

/** Lists the issues whose time is exactly now. */
export const listAged = async (session: TrackerSession, now: Date): Promise<readonly AgedIssue[]> =>
  await session.sql<AgedIssue[]>`
    select id, type, "closeStateId", "closeType" from ${agingOf(session)} aging
    where at = ${now}::timestamptz order by id
  `;
