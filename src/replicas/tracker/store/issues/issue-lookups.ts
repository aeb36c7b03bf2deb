/**
 * The rows that a change of issues refers to. Each kind of reference is a small statement, sent only when it is given;
 * all of them are sent together. The teams are locked first, so that numbers are unique.
 */
import type { Fragment } from "~/db/connect";
import { together } from "~/db/session";
import { findPlaces, type Place } from "~/replicas/tracker/store/issues/insert";
import { issuesIdentified } from "~/replicas/tracker/store/lookups";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

export type Team = {
  readonly id: string;
  readonly key: string;
  readonly visibility: string;
  readonly parentId: string | null;
  readonly retiredAt: Date | null;
  readonly archivedAt: Date | null;
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
  /** The team and its ancestors, if labels are wanted. */
  readonly lineage: readonly string[];
  /** Empty unless a rule depends on it: the team is private, new issues go to triage, or by a default template. */
  readonly memberIds: readonly string[];
  /** Null unless issues join the cycle automatically. */
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
  readonly retiredAt: Date | null;
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
  /** The labels of each issue whose labels may change. */
  readonly labelIds: Readonly<Record<string, readonly string[]>>;
  readonly issues: readonly IssueRef[];
  readonly projects: readonly ProjectRef[];
  readonly milestones: readonly { readonly id: string; readonly projectId: string }[];
  readonly cycles: readonly { readonly id: string; readonly teamId: string }[];
  readonly templates: readonly Template[];
  /** Where new issues go, by team. */
  readonly places: ReadonlyMap<string, Place>;
};

export type Wanted = {
  readonly teamIds: readonly string[];
  /** Also the teams of these issues. */
  readonly teamsOf: readonly string[];
  readonly stateIds: readonly string[];
  readonly userIds: readonly string[];
  /** Display names, in lower case. */
  readonly userNames: readonly string[];
  readonly labelIds: readonly string[];
  /** Issues whose labels may change. */
  readonly labelledIds: readonly string[];
  readonly issueIds: readonly string[];
  readonly identifiers: readonly string[];
  /** Ids, slug ids or identifiers. */
  readonly projects: readonly string[];
  readonly milestoneIds: readonly string[];
  readonly cycleIds: readonly string[];
  readonly templateIds: readonly string[];
  /** Also the default templates of the teams. */
  readonly defaultTemplates: boolean;
  /** Also the places of new issues in the teams. */
  readonly places: boolean;
};

/** The results of a statement that is sent only when there is something to look for. */
const given = async <T>(
  [...keys]: readonly (readonly unknown[])[],
  read: () => PromiseLike<readonly T[]>,
): Promise<readonly T[]> => (keys.every(({ length }) => length === 0) ? [] : await read());

export async function readIssueLookups(
  session: TrackerSession,
  wanted: Wanted,
  now: Date,
): Promise<IssueLookups> {
  const { teamIds, teamsOf, userIds, userNames, labelIds, labelledIds } = wanted;
  const { milestoneIds, cycleIds } = wanted;
  const placeIds = wanted.places ? teamIds : [];
  const [
    held,
    places,
    states,
    users,
    labels,
    applied,
    issues,
    projects,
    milestones,
    cycles,
    lineages,
  ] = await together([
    given([teamIds, teamsOf], () => lockTeams(session, wanted)),
    given([placeIds], () => findPlaces(session, placeIds)),
    given([teamIds, teamsOf, wanted.stateIds], () => listStates(session, wanted)),
    given([userIds, userNames], () => listUsers(session, userIds, userNames)),
    given([labelIds, labelledIds], () => listLabels(session, labelIds, labelledIds)),
    given([labelledIds], () => listApplied(session, labelledIds)),
    given([wanted.issueIds, wanted.identifiers], () => listIssues(session, wanted)),
    given([wanted.projects, milestoneIds], () =>
      listProjects(session, wanted.projects, milestoneIds),
    ),
    given([milestoneIds], () => listMilestones(session, milestoneIds)),
    given([cycleIds], () => listCycles(session, cycleIds)),
    given([labelIds, labelledIds], () => listLineages(session, wanted)),
  ]);
  const cycling = held.filter(joinsCycles).map(({ id }) => id);
  const templateIds = [
    ...wanted.templateIds,
    ...(wanted.defaultTemplates ? held.flatMap(defaultTemplatesOf) : []),
  ];
  const [active, templates] = await together([
    given([cycling], () => listActiveCycles(session, cycling, now)),
    given([templateIds], () => listTemplates(session, templateIds)),
  ]);
  const teams = held.map((team) => ({
    ...team,
    lineage: lineages.find(({ id }) => id === team.id)?.lineage ?? [team.id],
    activeCycleId: active.find(({ teamId }) => teamId === team.id)?.id ?? null,
  }));
  const ofIssues = Object.fromEntries(applied.map(({ issueId, ids }) => [issueId, ids]));
  return {
    ...{ teams, states, users, labels, labelIds: ofIssues },
    ...{ issues, projects, milestones, cycles, templates },
    places: new Map(places.map((place) => [place.teamId, place])),
  };
}

type HeldTeam = Omit<Team, "lineage" | "activeCycleId">;

const joinsCycles = (team: HeldTeam) =>
  team.cyclesEnabled && (team.cycleIssueAutoAssignStarted || team.cycleIssueAutoAssignCompleted);
const defaultTemplatesOf = (team: HeldTeam) =>
  [team.defaultTemplateForMembersId, team.defaultTemplateForNonMembersId].filter(
    (id) => id !== null,
  );

/** The ids of the teams that are wanted, as an array. */
const teamsIn = ({ sql, t }: TrackerSession, { teamIds, teamsOf }: Wanted): Fragment =>
  teamsOf.length === 0
    ? sql`${teamIds}::uuid[]`
    : sql`${teamIds}::uuid[] || array(select "teamId" from ${t.issues} where id = any(${teamsOf}::uuid[]))`;

const lockTeams = (session: TrackerSession, wanted: Wanted) => {
  const { sql, t } = session;
  const { places, defaultTemplates } = wanted;
  return sql<HeldTeam[]>`
  select case when team.visibility = 'private' or ${defaultTemplates} or ${places} and team."triageEnabled" then array(
      select m."userId" from ${t.team_memberships} m where m."teamId" = team.id order by m."userId"
    ) else '{}' end as "memberIds",
    id, key, visibility, "parentId", "retiredAt", "archivedAt", "cyclesEnabled", "triageEnabled",
    "requirePriorityToLeaveTriage", "defaultIssueStateId", "defaultTemplateForMembersId",
    "defaultTemplateForNonMembersId", "autoCloseParentIssues", "autoCloseChildIssues",
    "cycleIssueAutoAssignStarted", "cycleIssueAutoAssignCompleted"
  from ${t.teams} team where id = any(${teamsIn(session, wanted)}) order by id for no key update
`;
};

/** The states of the teams, and the given ones, whose team may be another one. */
const listStates = (session: TrackerSession, wanted: Wanted) => session.sql<State[]>`
  select id, "teamId", type, name, position from ${session.t.workflow_states}
  where ("teamId" = any(${teamsIn(session, wanted)}) or id = any(${wanted.stateIds}::uuid[]))
    and "archivedAt" is null
  order by position, id
`;

const listUsers = (
  { sql, t }: TrackerSession,
  ids: readonly string[],
  names: readonly string[],
) => sql<User[]>`
  select id, "displayName" from ${t.users}
  where active and (id = any(${ids}::uuid[]) or lower("displayName") = any(${names}::text[]))
  order by id
`;

const listLabels = (
  { sql, t }: TrackerSession,
  ids: readonly string[],
  issueIds: readonly string[],
) => sql<Label[]>`
  select l.id, l.name, l."teamId", l."parentId", l."isGroup", l."retiredAt",
    coalesce(g."groupType", 'singleSelect') = 'singleSelect' as exclusive
  from ${t.issue_labels} l left join ${t.issue_labels} g on g.id = l."parentId"
  where l.id = any(${ids}::uuid[]) or l.id in (
    select a."labelId" from ${t.issue_label_assignments} a where a."issueId" = any(${issueIds}::uuid[])
  )
`;

const listApplied = ({ sql, t }: TrackerSession, issueIds: readonly string[]) => sql<
  { issueId: string; ids: string[] }[]
>`
  select "issueId", array_agg("labelId" order by "createdAt", "labelId") as ids
  from ${t.issue_label_assignments} where "issueId" = any(${issueIds}::uuid[]) group by 1
`;

/** `offset 0` keeps the planner from joining all issues: each ancestor is one lookup. */
const listIssues = ({ sql, t }: TrackerSession, { issueIds, identifiers }: Wanted) => sql<
  IssueRef[]
>`
  select i.id, i.identifier, i."previousIdentifiers", i."teamId", i."sharedWithUserIds", array(
    with recursive up as (
      select i."parentId" as id union
      select p."parentId" from up cross join lateral (
        select "parentId" from ${t.issues} where id = up.id offset 0
      ) p
    ) select id from up where id is not null
  ) as "ancestorIds"
  from ${t.issues} i
  where i.id = any(array(
    select unnest(${issueIds}::uuid[]) union all
    ${issuesIdentified({ sql, table: (name) => t[name] }, identifiers)}
  ))
`;

const listProjects = (
  { sql, t }: TrackerSession,
  keys: readonly string[],
  milestoneIds: readonly string[],
) => sql<ProjectRef[]>`
  select p.id, p."slugId", p.identifier,
    array(select x."teamId" from ${t.project_teams} x where x."projectId" = p.id) as "teamIds"
  from ${t.projects} p
  where p.id::text = any(${keys}::text[]) or p."slugId" = any(${keys}::text[])
    or p.identifier = any(${keys}::text[])
    or p.id in (select m."projectId" from ${t.project_milestones} m where m.id = any(${milestoneIds}::uuid[]))
`;

const listMilestones = ({ sql, t }: TrackerSession, ids: readonly string[]) =>
  sql<
    { id: string; projectId: string }[]
  >`select id, "projectId" from ${t.project_milestones} where id = any(${ids}::uuid[])`;

const listCycles = ({ sql, t }: TrackerSession, ids: readonly string[]) =>
  sql<
    { id: string; teamId: string }[]
  >`select id, "teamId" from ${t.cycles} where id = any(${ids}::uuid[]) and "archivedAt" is null`;

const listLineages = (session: TrackerSession, wanted: Wanted) => session.sql<
  { id: string; lineage: string[] }[]
>`
  with recursive up as (
    select id as team, id, "parentId" from ${session.t.teams} where id = any(${teamsIn(session, wanted)}) union
    select up.team, p.id, p."parentId" from ${session.t.teams} p join up on p.id = up."parentId"
  ) select team as id, array_agg(id) as lineage from up group by team
`;

const listActiveCycles = ({ sql, t }: TrackerSession, teamIds: readonly string[], now: Date) => sql<
  { id: string; teamId: string }[]
>`
  select id, "teamId" from ${t.cycles}
  where "teamId" = any(${teamIds}::uuid[]) and "startsAt" <= ${now} and "endsAt" > ${now}
    and "completedAt" is null and "archivedAt" is null
  order by "startsAt", id
`;

const listTemplates = ({ sql, t }: TrackerSession, ids: readonly string[]) => sql<Template[]>`
  select id, type, "templateData" from ${t.templates} where id = any(${ids}::uuid[])
`;
