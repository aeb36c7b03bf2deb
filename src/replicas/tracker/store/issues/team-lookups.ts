/** The teams of a change of issues, and their states. */
import type { Fragment } from "~/db/connect";
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

export type TeamsWanted = {
  readonly teamIds: readonly string[];
  /** Also the teams of these issues. */
  readonly teamsOf: readonly string[];
  /** States, also of other teams. */
  readonly stateIds: readonly string[];
  /** Also the default templates of the teams. */
  readonly defaultTemplates: boolean;
  /** Teams that get issues. */
  readonly placeIds: readonly string[];
};

/** A team as it is locked. */
type HeldTeam = Omit<Team, "lineage" | "activeCycleId">;

/** Whether issues of a team join its cycle automatically. */
export const joinsCycles = (team: HeldTeam) =>
  team.cyclesEnabled && (team.cycleIssueAutoAssignStarted || team.cycleIssueAutoAssignCompleted);
export const defaultTemplatesOf = (team: HeldTeam) =>
  [team.defaultTemplateForMembersId, team.defaultTemplateForNonMembersId].filter(
    (id) => id !== null,
  );

/** The ids of the teams that are wanted, as an array. */
const teamsIn = ({ sql, t }: TrackerSession, { teamIds, teamsOf }: TeamsWanted): Fragment =>
  teamsOf.length === 0
    ? sql`${teamIds}::uuid[]`
    : sql`${teamIds}::uuid[] || array(select "teamId" from ${t.issues} where id = any(${teamsOf}::uuid[]))`;

/** Locks the teams, in the order of their ids. */
export const lockTeams = (session: TrackerSession, wanted: TeamsWanted) => {
  const { sql, t } = session;
  const { placeIds, defaultTemplates } = wanted;
  return sql<HeldTeam[]>`
  select case when team.visibility = 'private' or ${defaultTemplates} or ${placeIds.length > 0} and team."triageEnabled" then array(
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
export const listStates = (session: TrackerSession, wanted: TeamsWanted) => session.sql<State[]>`
  select id, "teamId", type, name, position from ${session.t.workflow_states}
  where ("teamId" = any(${teamsIn(session, wanted)}) or id = any(${wanted.stateIds}::uuid[]))
    and "archivedAt" is null
  order by position, id
`;

/** Each team with its ancestors. */
export const listLineages = (session: TrackerSession, wanted: TeamsWanted) => session.sql<
  { id: string; lineage: string[] }[]
>`
  with recursive up as (
    select id as team, id, "parentId" from ${session.t.teams} where id = any(${teamsIn(session, wanted)}) union
    select up.team, p.id, p."parentId" from ${session.t.teams} p join up on p.id = up."parentId"
  ) select team as id, array_agg(id) as lineage from up group by team
`;

export const listActiveCycles = (
  { sql, t }: TrackerSession,
  teamIds: readonly string[],
  now: Date,
) => sql<{ id: string; teamId: string }[]>`
  select id, "teamId" from ${t.cycles}
  where "teamId" = any(${teamIds}::uuid[]) and "startsAt" <= ${now} and "endsAt" > ${now}
    and "completedAt" is null and "archivedAt" is null
  order by "startsAt", id
`;
