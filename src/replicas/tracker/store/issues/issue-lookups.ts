/**
 * The rows that a change of issues refers to. Each kind of reference is a small statement, sent only when it is given;
 * all of them are sent together. The teams are locked first, so that numbers are unique.
 */
import { together } from "~/db/session";
import { findPlaces, type Place } from "~/replicas/tracker/store/issues/insert";
import {
  defaultTemplatesOf,
  joinsCycles,
  listActiveCycles,
  listLineages,
  listStates,
  lockTeams,
  type State,
  type Team,
  type TeamsWanted,
} from "~/replicas/tracker/store/issues/team-lookups";
import { issuesIdentified } from "~/replicas/tracker/store/lookups";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

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
  /** The followers of each issue whose followers may change. */
  readonly followerIds: Readonly<Record<string, readonly string[]>>;
  readonly issues: readonly IssueRef[];
  readonly projects: readonly ProjectRef[];
  readonly milestones: readonly { readonly id: string; readonly projectId: string }[];
  readonly cycles: readonly { readonly id: string; readonly teamId: string }[];
  readonly templates: readonly Template[];
  /** Where issues go that are new in a team, by team. */
  readonly places: ReadonlyMap<string, Place>;
};

export type Wanted = TeamsWanted & {
  readonly userIds: readonly string[];
  /** Display names, in lower case. */
  readonly userNames: readonly string[];
  readonly labelIds: readonly string[];
  /** Issues whose labels may change. */
  readonly labelledIds: readonly string[];
  /** Issues whose followers may change. */
  readonly followedIds: readonly string[];
  readonly issueIds: readonly string[];
  readonly identifiers: readonly string[];
  /** Ids, slug ids or identifiers. */
  readonly projects: readonly string[];
  /** Projects that the issues are in. */
  readonly ownProjectIds: readonly string[];
  readonly milestoneIds: readonly string[];
  readonly cycleIds: readonly string[];
  readonly templateIds: readonly string[];
};

/** Sends a statement only if there is a key to look for. */
const ifAny = async <T>(
  keys: readonly unknown[],
  read: () => PromiseLike<readonly T[]>,
): Promise<readonly T[]> => (keys.length === 0 ? [] : await read());

export async function readIssueLookups(
  session: TrackerSession,
  wanted: Wanted,
  now: Date,
): Promise<IssueLookups> {
  const { userIds, userNames, labelIds, labelledIds, followedIds, milestoneIds } = wanted;
  const { issueIds, identifiers, cycleIds, placeIds } = wanted;
  const teamKeys = [...wanted.teamIds, ...wanted.teamsOf];
  const labelKeys = [...labelIds, ...labelledIds];
  const projectKeys = [...wanted.projects, ...wanted.ownProjectIds];
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
    followers,
  ] = await together([
    ifAny(teamKeys, () => lockTeams(session, wanted)),
    ifAny(placeIds, () => findPlaces(session, placeIds)),
    ifAny([...teamKeys, ...wanted.stateIds], () => listStates(session, wanted)),
    ifAny([...userIds, ...userNames], () => listUsers(session, userIds, userNames)),
    ifAny(labelKeys, () => listLabels(session, labelIds, labelledIds)),
    ifAny(labelledIds, () => listApplied(session, labelledIds)),
    ifAny([...issueIds, ...identifiers], () => listIssues(session, issueIds, identifiers)),
    ifAny([...projectKeys, ...milestoneIds], () =>
      listProjects(session, projectKeys, milestoneIds),
    ),
    ifAny(milestoneIds, () => listMilestones(session, milestoneIds)),
    ifAny(cycleIds, () => listCycles(session, cycleIds)),
    ifAny(labelKeys, () => listLineages(session, wanted)),
    ifAny(followedIds, () => listFollowers(session, followedIds)),
  ]);
  const cycling = held.filter(joinsCycles).map(({ id }) => id);
  const templateIds = [
    ...wanted.templateIds,
    ...(wanted.defaultTemplates ? held.flatMap(defaultTemplatesOf) : []),
  ];
  const [active, templates] = await together([
    ifAny(cycling, () => listActiveCycles(session, cycling, now)),
    ifAny(templateIds, () => listTemplates(session, templateIds)),
  ]);
  const teams = held.map((team) => ({
    ...team,
    lineage: lineages.find(({ id }) => id === team.id)?.lineage ?? [team.id],
    activeCycleId: active.find(({ teamId }) => teamId === team.id)?.id ?? null,
  }));
  return {
    teams,
    states,
    users,
    labels,
    labelIds: byIssue(applied),
    followerIds: byIssue(followers),
    issues,
    projects,
    milestones,
    cycles,
    templates,
    places: new Map(places.map((place) => [place.teamId, place])),
  };
}

/** Ids that belong to an issue. */
type OfIssue = { readonly issueId: string; readonly ids: readonly string[] };

const byIssue = (rows: readonly OfIssue[]) =>
  Object.fromEntries(rows.map(({ issueId, ids }) => [issueId, ids]));

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

const listApplied = ({ sql, t }: TrackerSession, issueIds: readonly string[]) => sql<OfIssue[]>`
  select "issueId", array_agg("labelId" order by "createdAt", "labelId") as ids
  from ${t.issue_label_assignments} where "issueId" = any(${issueIds}::uuid[]) group by 1
`;

const listFollowers = ({ sql, t }: TrackerSession, issueIds: readonly string[]) => sql<OfIssue[]>`
  select "issueId", array_agg("userId" order by "userId") as ids
  from ${t.issue_subscribers} where "issueId" = any(${issueIds}::uuid[]) group by 1
`;

/** `offset 0` keeps the planner from joining all issues: each ancestor is one lookup. */
const listIssues = (
  { sql, t }: TrackerSession,
  issueIds: readonly string[],
  identifiers: readonly string[],
) => sql<IssueRef[]>`
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

const listTemplates = ({ sql, t }: TrackerSession, ids: readonly string[]) => sql<Template[]>`
  select id, type, "templateData" from ${t.templates} where id = any(${ids}::uuid[])
`;
