/** The columns of an issue after an update. */
import { ifGiven, type Optional } from "~/replicas/tracker/change";
import { invalidInput } from "~/replicas/tracker/errors";
import { placementAfter } from "~/replicas/tracker/issues/placement";
import {
  type IssueReferences,
  isOpenTo,
  requireAssignee,
  requireParent,
  requireUser,
} from "~/replicas/tracker/issues/reference-rules";
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
import type { IssueLookups } from "~/replicas/tracker/store/issues/issue-lookups";
import type { State, Team } from "~/replicas/tracker/store/issues/team-lookups";

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

/** Who changes issues, and when. */
export type By = {
  readonly now: Date;
  readonly viewer: { readonly id: string };
  readonly hiddenTeamIds: readonly string[];
};

/** `undefined` where nothing changes. */
export function columnsAfter(
  { now, viewer }: By,
  issue: Row<"Issue">,
  input: IssueUpdate,
  lookups: IssueLookups,
  {
    team,
    state,
    isMoved,
  }: { readonly team: Team; readonly state: State; readonly isMoved: boolean },
): Changes<"Issue"> {
  const oldType = lookups.states.find(({ id }) => id === issue["stateId"])?.type;
  const times = timesAfter(timesOf(issue), oldType, state.type, now);
  const entered = issue.stateId === state.id ? undefined : state;
  const place = placementAfter(issue, input, lookups, { team, isMoved, entered });
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
    addedToCycleAt: place.cycleId === issue.cycleId ? undefined : since(place.cycleId, now),
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
