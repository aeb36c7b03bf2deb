/** Where an issue is: its state, number, project, milestone and cycle. */
import { ifGiven } from "~/replicas/tracker/change";
import { invalidInput } from "~/replicas/tracker/errors";
import {
  type IssueReferences,
  requireCycle,
  requireMilestone,
  requireProject,
  requireState,
} from "~/replicas/tracker/issues/reference-rules";
import { isClosed } from "~/replicas/tracker/issues/transition";
import type { IssueLookups } from "~/replicas/tracker/store/issues/issue-lookups";
import type { State, Team } from "~/replicas/tracker/store/issues/team-lookups";

/** The given state, or in a new team the state that corresponds to the old one. */
export function stateAfter(
  stateId: string,
  input: IssueReferences,
  lookups: IssueLookups,
  team: Team,
): State {
  if (input.stateId) return requireState(lookups, input.stateId, team);
  const current = lookups.states.find(({ id }) => id === stateId);
  const states = lookups.states.filter((state) => state.teamId === team.id);
  const found =
    states.find(({ id }) => id === stateId) ??
    states.find(({ type }) => type === current?.type) ??
    states.find(({ id }) => id === team.defaultIssueStateId) ??
    states[0];
  if (!found) throw invalidInput(`The team ${team.key} has no workflow state`);
  return found;
}

/** The state in which an issue follows another one that was closed; undefined if it is closed already. */
export function closedWith(
  stateId: string,
  type: string,
  { states }: IssueLookups,
): State | undefined {
  const current = states.find(({ id }) => id === stateId);
  if (current && isClosed(current.type)) return undefined;
  // A duplicate state is only for issues that are marked as duplicates.
  const closed = states.filter((state) => isClosed(state.type) && state.type !== "duplicate");
  const wanted = type === "duplicate" ? "canceled" : type;
  return closed.find((state) => state.type === wanted) ?? closed[0];
}

/** The number, identifier and position of the nth issue that is new in a team. */
export function nthPlace({ teams, places }: IssueLookups, teamId: string, nth: number) {
  const place = places.get(teamId);
  const key = teams.find(({ id }) => id === teamId)?.key;
  if (!place || key === undefined) throw new Error("the team of a new issue is not held");
  const number = place.number + nth;
  return { number, identifier: `${key}-${number}`, sortOrder: place.sortOrder - nth };
}

type Placement = {
  readonly projectId: string | null;
  readonly projectMilestoneId: string | null;
  readonly cycleId: string | null;
};

export const NOWHERE: Placement = { projectId: null, projectMilestoneId: null, cycleId: null };

/** `entered`: the state, if the issue was not in it before. */
type Entry = {
  readonly team: Team;
  readonly isMoved: boolean;
  readonly entered: State | undefined;
};

/** Project, milestone and cycle; a move to a team that does not use them clears them. */
export function placementAfter(
  old: Placement,
  input: IssueReferences,
  lookups: IssueLookups,
  { team, isMoved, entered }: Entry,
): Placement {
  const milestone = ifGiven(input.projectMilestoneId, (id) => requireMilestone(lookups, id));
  const stays =
    !isMoved ||
    lookups.projects.some(({ id, teamIds }) => id === old.projectId && teamIds.includes(team.id));
  const kept = input.projectId === null || !stays ? null : old.projectId;
  const projectId =
    ifGiven(
      input.projectId ?? milestone?.projectId,
      (id) => requireProject(lookups, id, team).id,
    ) ?? kept;
  if (milestone && milestone.projectId !== projectId)
    throw invalidInput("The milestone does not belong to the issue's project");
  const sameProject = projectId !== null && projectId === old.projectId;
  const oldMilestone =
    sameProject && input.projectMilestoneId !== null ? old.projectMilestoneId : null;
  const oldCycle = input.cycleId === null || isMoved ? null : old.cycleId;
  const cycleId = ifGiven(input.cycleId, (id) => requireCycle(lookups, id, team)) ?? oldCycle;
  const joins = entered && input.cycleId === undefined && cycleId === null;
  return {
    projectId,
    projectMilestoneId: milestone ? milestone.id : oldMilestone,
    cycleId: joins ? cycleOf(team, entered) : cycleId,
  };
}

/** The active cycle, if the team adds started or completed issues to it. */
function cycleOf(team: Team, { type }: State): string | null {
  const puts =
    (type === "started" && team.cycleIssueAutoAssignStarted) ||
    (type === "completed" && team.cycleIssueAutoAssignCompleted);
  return team.cyclesEnabled && puts ? team.activeCycleId : null;
}
