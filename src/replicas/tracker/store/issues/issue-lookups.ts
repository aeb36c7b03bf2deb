/**
 * The rows that a change of issues refers to: read in one statement, which locks the teams so that numbers are unique.
 */
import type { TrackerSession } from "~/replicas/tracker/store/tables";

export type Team = {
  readonly id: string;
  readonly key: string;
  readonly visibility: string;
  readonly retiredAt: string | null;
  readonly archivedAt: string | null;
  readonly cyclesEnabled: boolean;
  readonly triageEnabled: boolean;
  readonly requirePriorityToLeaveTriage: boolean;
  readonly defaultIssueStateId: string | null;
  readonly defaultTemplateForMembersId: string | null;
  readonly defaultTemplateForNonMembersId: string | null;
  readonly autoCloseParentIssues: boolean;
  readonly autoCloseChildIssues: boolean;
  readonly cycleIssueAutoAssignStarted: boolean;
  readonly cycleIssueAutoAssignCompleted: boolean;
  /** The team and its ancestors. */
  readonly lineage: readonly string[];
  readonly memberIds: readonly string[];
  readonly activeCycleId: string | null;
};
export type State = {
  readonly id: string;
  readonly teamId: string;
  readonly type: string;
  readonly name: string;
  readonly position: number;
};
export type User = { readonly id: string; readonly displayName: string };
export type Label = {
  readonly id: string;
  readonly name: string;
  readonly teamId: string | null;
  readonly parentId: string | null;
  readonly isGroup: boolean;
  readonly retiredAt: string | null;
  /** Whether the label's group allows only one of its labels on an issue. */
  readonly exclusive: boolean;
};
export type IssueRef = {
  readonly id: string;
  readonly identifier: string;
  readonly previousIdentifiers: readonly string[];
  readonly teamId: string;
  readonly sharedWithUserIds: readonly string[];
  /** Every ancestor of the issue. */
  readonly ancestorIds: readonly string[];
};
export type ProjectRef = {
  readonly id: string;
  readonly slugId: string;
  readonly identifier: string;
  readonly teamIds: readonly string[];
};
export type Template = {
  readonly id: string;
  readonly type: string;
  readonly templateData: unknown;
};

export type IssueLookups = {
  readonly teams: readonly Team[];
  /** States of the teams that are not archived, by position. */
  readonly states: readonly State[];
  readonly users: readonly User[];
  /** The requested labels, and those of the issues. */
  readonly labels: readonly Label[];
  /** The labels of each issue. */
  readonly labelIds: Readonly<Record<string, readonly string[]>>;
  readonly issues: readonly IssueRef[];
  readonly projects: readonly ProjectRef[];
  readonly milestones: readonly { readonly id: string; readonly projectId: string }[];
  readonly cycles: readonly { readonly id: string; readonly teamId: string }[];
  readonly templates: readonly Template[];
};

export type Wanted = {
  readonly teamIds: readonly string[];
  readonly userIds: readonly string[];
  /** Display names, in lower case. */
  readonly userNames: readonly string[];
  readonly labelIds: readonly string[];
  /** Issues whose labels will change. */
  readonly labelledIds: readonly string[];
  /** Ids or identifiers. */
  readonly issues: readonly string[];
  /** Ids, slug ids or identifiers. */
  readonly projects: readonly string[];
  readonly milestoneIds: readonly string[];
  readonly cycleIds: readonly string[];
  readonly templateIds: readonly string[];
};

export async function readIssueLookups(
  { sql, t }: TrackerSession,
  wanted: Wanted,
  now: Date,
): Promise<IssueLookups> {
  const teamIds = wanted.teamIds;
  const [row] = await sql<[IssueLookups]>`
    with held as (
      select * from ${t.teams} where id = any(${teamIds}::uuid[]) order by id for no key update
    )
    select
      (
        select coalesce(jsonb_agg(to_jsonb(held) || jsonb_build_object(
          'lineage', (
            with recursive up as (
              select held.id as id, held."parentId" as parent union
              select p.id, p."parentId" from ${t.teams} p join up on p.id = up.parent
            ) select jsonb_agg(id) from up
          ),
          'memberIds', (select coalesce(jsonb_agg(m."userId" order by m."userId"), '[]') from ${t.team_memberships} m where m."teamId" = held.id),
          'activeCycleId', (
            select c.id from ${t.cycles} c
            where c."teamId" = held.id and c."startsAt" <= ${now} and c."endsAt" > ${now}
              and c."completedAt" is null and c."archivedAt" is null
            order by c."startsAt", c.id limit 1
          )
        )), '[]') from held
      ) as teams,
      (
        select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'teamId', s."teamId", 'type', s.type, 'name', s.name, 'position', s.position) order by s.position, s.id), '[]')
        from ${t.workflow_states} s where s."teamId" = any(${teamIds}::uuid[]) and s."archivedAt" is null
      ) as states,
      (
        select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'displayName', u."displayName") order by u.id), '[]')
        from ${t.users} u
        where u.active and (u.id = any(${wanted.userIds}::uuid[]) or lower(u."displayName") = any(${wanted.userNames}::text[]))
      ) as users,
      (
        select coalesce(jsonb_agg(to_jsonb(l) || jsonb_build_object('exclusive', coalesce(g."groupType", 'singleSelect') = 'singleSelect')), '[]')
        from ${t.issue_labels} l left join ${t.issue_labels} g on g.id = l."parentId"
        where l.id = any(${wanted.labelIds}::uuid[]) or l.id in (
          select a."labelId" from ${t.issue_label_assignments} a where a."issueId" = any(${wanted.labelledIds}::uuid[])
        )
      ) as labels,
      (
        select coalesce(jsonb_object_agg(a."issueId", a.ids), '{}') from (
          select "issueId", jsonb_agg("labelId" order by "createdAt", "labelId") as ids
          from ${t.issue_label_assignments} where "issueId" = any(${wanted.labelledIds}::uuid[]) group by 1
        ) a
      ) as "labelIds",
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', i.id, 'identifier', i.identifier, 'previousIdentifiers', i."previousIdentifiers", 'teamId', i."teamId",
          'sharedWithUserIds', i."sharedWithUserIds", 'ancestorIds', (
            with recursive up as (
              select i."parentId" as id union
              select p."parentId" from ${t.issues} p join up on p.id = up.id
            ) select coalesce(jsonb_agg(id) filter (where id is not null), '[]') from up
          )
        )), '[]') from ${t.issues} i
        where i.id::text = any(${wanted.issues}::text[]) or i.identifier = any(${wanted.issues}::text[])
          or i."previousIdentifiers" && ${wanted.issues}::text[]
      ) as issues,
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', p.id, 'slugId', p."slugId", 'identifier', p.identifier,
          'teamIds', (select coalesce(jsonb_agg(x."teamId"), '[]') from ${t.project_teams} x where x."projectId" = p.id)
        )), '[]') from ${t.projects} p
        where p.id::text = any(${wanted.projects}::text[]) or p."slugId" = any(${wanted.projects}::text[])
          or p.identifier = any(${wanted.projects}::text[])
          or p.id in (select m."projectId" from ${t.project_milestones} m where m.id = any(${wanted.milestoneIds}::uuid[]))
      ) as projects,
      (
        select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'projectId', m."projectId")), '[]')
        from ${t.project_milestones} m where m.id = any(${wanted.milestoneIds}::uuid[])
      ) as milestones,
      (
        select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'teamId', c."teamId")), '[]')
        from ${t.cycles} c where c.id = any(${wanted.cycleIds}::uuid[]) and c."archivedAt" is null
      ) as cycles,
      (
        select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'type', p.type, 'templateData', p."templateData")), '[]')
        from ${t.templates} p where p.id = any(${wanted.templateIds}::uuid[])
          or p.id in (select unnest(array["defaultTemplateForMembersId", "defaultTemplateForNonMembersId"]) from held)
      ) as templates
  `;
  return row;
}
