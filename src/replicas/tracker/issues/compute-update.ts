/** Computes an issue after a change: its state, labels and columns. */
import type { Optional } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { cycleOf } from "~/replicas/tracker/issues/create";
import {
  type IssueReferences,
  ifGiven,
  isOpenTo,
  requireAssignee,
  requireCycle,
  requireMilestone,
  requireParent,
  requireProject,
  requireState,
  requireUser,
} from "~/replicas/tracker/issues/issue-input";
import { addedLabels, labelsThatMove, replacedLabels } from "~/replicas/tracker/issues/labels";
import { timesAfter, timesOf } from "~/replicas/tracker/issues/transition";
import {
  deadline,
  descriptionOf,
  type Plain,
  requireEstimate,
  requirePriority,
  requireTitle,
} from "~/replicas/tracker/issues/values";
import type { Changes, Row } from "~/replicas/tracker/store/entities";
import type { IssueLookups, State, Team } from "~/replicas/tracker/store/issues/issue-lookups";

export type IssueUpdate = IssueReferences &
  Plain & {
    readonly addedReleaseIds?: Optional<readonly string[]>;
    readonly dueDate?: Optional<string>;
    readonly prioritySortOrder?: Optional<number>;
    readonly releaseIds?: Optional<readonly string[]>;
    readonly removedReleaseIds?: Optional<readonly string[]>;
    readonly slaType?: Optional<string>;
    readonly snoozedUntilAt?: Optional<Date>;
    readonly sortOrder?: Optional<number>;
    readonly subIssueSortOrder?: Optional<number>;
    readonly trashed?: Optional<boolean>;
    /** Set on issues that are closed together with another one. */
    readonly autoClosedByParentClosing?: Optional<boolean>;
  };

/** The given state, or in a new team the state that corresponds to the old one. */
export function stateAfter(
  issue: Row<"Issue">,
  { stateId }: IssueUpdate,
  lookups: IssueLookups,
  team: Team,
): State {
  if (stateId) return requireState(lookups, stateId, team);
  const current = lookups.states.find(({ id }) => id === issue["stateId"]);
  const states = lookups.states.filter((state) => state.teamId === team.id);
  const found =
    states.find(({ id }) => id === issue["stateId"]) ??
    states.find(({ type }) => type === current?.type) ??
    states.find(({ id }) => id === team.defaultIssueStateId) ??
    states[0];
  if (!found) throw invalidInput(`The team ${team.key} has no workflow state`);
  return found;
}

export function labelsAfter(
  { labelIds, addedLabelIds, removedLabelIds }: IssueUpdate,
  lookups: IssueLookups,
  before: readonly string[],
  team: Team,
): readonly string[] {
  if (labelIds) return replacedLabels(lookups, labelIds, before, team);
  const removed = new Set((removedLabelIds ?? []).map((id) => id.toLowerCase()));
  const kept = labelsThatMove(
    lookups,
    before.filter((id) => !removed.has(id)),
    team,
  );
  return addedLabels(lookups, addedLabelIds ?? [], kept, team);
}

export function valuesAfter(
  { now, viewer }: Context,
  issue: Row<"Issue">,
  input: IssueUpdate,
  lookups: IssueLookups,
  { team, state, from }: { readonly team: Team; readonly state: State; readonly from: Team },
): Changes<"Issue"> {
  const isMoved = team.id !== from.id;
  const oldType = lookups.states.find(({ id }) => id === issue["stateId"])?.type;
  const times = timesAfter(timesOf(issue), oldType, state.type, now);
  const entered = issue["stateId"] !== state.id;
  const place = placeAfter(issue, input, lookups, team, isMoved);
  const cycleId =
    input.cycleId === undefined && entered && place.cycleId === null
      ? cycleOf(team, state)
      : place.cycleId;
  if (oldType === "triage" && state.type !== "triage" && team.requirePriorityToLeaveTriage)
    requireUrgency(input.priority ?? issue["priority"]);
  return {
    title:
      input.title === undefined || input.title === null ? undefined : requireTitle(input.title),
    description: descriptionOf(input),
    priority: input.priority === undefined ? undefined : requirePriority(input.priority ?? 0),
    estimate: requireEstimate(input.estimate),
    dueDate: input.dueDate,
    assigneeId:
      input.assigneeId === undefined
        ? kept(issue, "assigneeId", team)
        : ifGiven(input.assigneeId, (id) => requireAssignee(lookups, id, team)),
    delegateId:
      input.delegateId === undefined
        ? kept(issue, "delegateId", team)
        : ifGiven(input.delegateId, (id) => requireUser(lookups, "delegateId", id)),
    parentId: ifGiven(input.parentId, (id) => requireParent(lookups, id, issue.id).id),
    stateId: state.id,
    ...times,
    ...place,
    cycleId,
    addedToCycleAt: cycleId === issue.cycleId ? undefined : since(cycleId, now),
    addedToProjectAt: place.projectId === issue.projectId ? undefined : since(place.projectId, now),
    sortOrder: input.sortOrder ?? undefined,
    prioritySortOrder: input.prioritySortOrder ?? undefined,
    subIssueSortOrder: input.parentId === null ? null : subIssueOrder(issue, input),
    slaType: input.slaType ?? (input.slaBreachesAt === null ? null : undefined),
    ...deadline(input, now),
    snoozedUntilAt: input.snoozedUntilAt,
    snoozedById: input.snoozedById ?? (input.snoozedUntilAt && viewer.id),
    lastAppliedTemplateId: input.lastAppliedTemplateId,
    autoClosedByParentClosing: input.autoClosedByParentClosing ?? undefined,
    ...(input.trashed !== undefined && {
      trashed: input.trashed || null,
      archivedAt: input.trashed ? (issue["archivedAt"] ?? now) : null,
    }),
  };
}

const since = (id: string | null, now: Date) => (id === null ? null : now);

/** Whether a user loses access to the issue when it moves to another team. */
export const losesAccess = (issue: Row<"Issue">, userId: string, team: Team): boolean =>
  team.id !== issue["teamId"] &&
  !isOpenTo(userId, team) &&
  !issue.sharedWithUserIds.includes(userId);

/** Null in place of a user who loses access; undefined where nothing changes. */
function kept(issue: Row<"Issue">, key: "assigneeId" | "delegateId", team: Team): null | undefined {
  const old = issue[key];
  return old !== null && losesAccess(issue, old, team) ? null : undefined;
}

const subIssueOrder = (issue: Row<"Issue">, { parentId, subIssueSortOrder }: IssueUpdate) =>
  subIssueSortOrder ?? (parentId ? (issue["subIssueSortOrder"] ?? issue["sortOrder"]) : undefined);

function requireUrgency(priority: number): void {
  if (priority === 0) throw invalidInput("An issue needs a priority before it leaves triage");
}

type IssuePlacement = {
  readonly projectId: string | null;
  readonly projectMilestoneId: string | null;
  readonly cycleId: string | null;
};

/** Project, milestone and cycle; a move to a team that does not use them clears them. */
function placeAfter(
  issue: Row<"Issue">,
  input: IssueUpdate,
  lookups: IssueLookups,
  team: Team,
  isMoved: boolean,
): IssuePlacement {
  const old: IssuePlacement = issue;
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
  const cycleId = ifGiven(input.cycleId, (id) => requireCycle(lookups, id, team));
  const oldCycle = input.cycleId === null || isMoved ? null : old.cycleId;
  return {
    projectId,
    projectMilestoneId: milestone ? milestone.id : oldMilestone,
    cycleId: cycleId ?? oldCycle,
  };
}
