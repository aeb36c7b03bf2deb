/** Computes the whole change of an issue from an input and the rows that were read. Reads and writes nothing itself. */
import { formerIdentifiers } from "~/replicas/tracker/change";
import { forbidden, invalidInput, notFound } from "~/replicas/tracker/errors";
import { historyOf } from "~/replicas/tracker/issues/history";
import {
  type By,
  columnsAfter,
  type IssueUpdate,
  losesAccess,
} from "~/replicas/tracker/issues/issue-columns";
import { labelsAfter } from "~/replicas/tracker/issues/labels";
import { mentionedIn } from "~/replicas/tracker/issues/mentions";
import { nthPlace, stateAfter } from "~/replicas/tracker/issues/placement";
import { requireTeam, requireUser } from "~/replicas/tracker/issues/reference-rules";
import { isClosed } from "~/replicas/tracker/issues/transition";
import type { UpdateLookups } from "~/replicas/tracker/issues/update-lookups";
import { descriptionOf } from "~/replicas/tracker/issues/values";
import type { Changes, Row } from "~/replicas/tracker/store/entities";
import type { Effects, Notice } from "~/replicas/tracker/store/issues/effects";
import type { IssueLookups } from "~/replicas/tracker/store/issues/issue-lookups";
import type { State, Team } from "~/replicas/tracker/store/issues/team-lookups";
import { differences } from "~/replicas/tracker/store/write";

/** Everything that changes with an issue. */
export type IssueChange = {
  readonly issue: Row<"Issue">;
  /** Empty if neither a column nor an effect changes. */
  readonly columns: Changes<"Issue">;
  readonly effects: Effects;
  readonly releases: Releases;
  /** The issue leaves its number behind in its old team. */
  readonly isMoved: boolean;
  /** Every user may see the issue. */
  readonly isOpen: boolean;
  /** True: it goes to the trash with its sub-issues. False: it comes back. */
  readonly trashed: boolean | undefined;
  /** Set when the issue is closed. */
  readonly closing: Closing | undefined;
};

type Releases = {
  /** Ids of releases. */
  readonly added: readonly string[];
  /** Ids of links to releases. */
  readonly removed: readonly string[];
};

/** The related issues that a closed issue closes. */
export type Closing = {
  readonly type: string;
  /** Its open sub-issues. */
  readonly children: boolean;
  /** Its parent, after its last open sub-issue. */
  readonly parentId: string | null;
};

/** Fields that only members of the team can change, even if the issue is shared. */
export const FOR_MEMBERS = ["cycleId", "projectId", "projectMilestoneId", "teamId"] as const;

/** The changes of several issues; those that move are numbered in this order. */
export function changesOf(
  by: By,
  issues: readonly Row<"Issue">[],
  input: IssueUpdate,
  lookups: UpdateLookups,
): readonly IssueChange[] {
  const moving = issues.filter(({ teamId }) => teamId !== input.teamId?.toLowerCase());
  return issues.map((issue) => changeOf(by, issue, input, lookups, moving.indexOf(issue) + 1));
}

/** `nth`: its turn among the issues that move. */
export function changeOf(
  by: By,
  issue: Row<"Issue">,
  input: IssueUpdate,
  lookups: UpdateLookups,
  nth = 1,
): IssueChange {
  const from = lookups.teams.find(({ id }) => id === issue.teamId);
  if (!from) throw notFound("Team");
  const refused = FOR_MEMBERS.find((name) => input[name] !== undefined);
  if (refused && by.hiddenTeamIds.includes(from.id))
    throw forbidden(`Only members of its team can change the ${refused} of a shared issue`);
  const team = input.teamId ? requireTeam(lookups, input.teamId, by) : from;
  const isMoved = team.id !== from.id;
  const state = stateAfter(issue.stateId, input, lookups, team);
  if (input.stateId && state.id !== issue.stateId) requireDuplicate(issue, state, lookups);
  const hadLabels = lookups.labelIds[issue.id] ?? [];
  const labels = turnover(hadLabels, labelsAfter(input, lookups, hadLabels, team));
  const columns = differences(issue, {
    ...columnsAfter(by, issue, input, lookups, { team, state, isMoved }),
    ...(isMoved && {
      ...nthPlace(lookups, team.id, nth),
      teamId: team.id,
      previousIdentifiers: formerIdentifiers(issue),
      addedToTeamAt: by.now,
    }),
  });
  const hadFollowers = lookups.followerIds[issue.id] ?? [];
  const followers = turnover(hadFollowers, followersAfter(issue, input, lookups, team));
  const releases = releasesAfter(issue.id, input, lookups);
  const isTouched =
    Object.keys(columns).length > 0 || labels.differ || followers.differ || releases.differ;
  const mentioned = "description" in columns ? mentionedIn(lookups, descriptionOf(input)) : [];
  const history = historyOf(issue, columns, labels);
  const ofLabel = (labelId: string) => ({ issueId: issue.id, labelId });
  const ofUser = (userId: string) => ({ issueId: issue.id, userId });
  const parentId = columns.parentId === undefined ? issue.parentId : columns.parentId;
  const assigned = columns.assigneeId ? [columns.assigneeId] : [];
  return {
    issue,
    columns: isTouched ? { ...columns, updatedAt: by.now } : {},
    effects: {
      labelled: labels.added.map(ofLabel),
      unlabelled: labels.removed.map(ofLabel),
      subscribed: [...followers.added, ...assigned, ...mentioned].map(ofUser),
      unsubscribed: followers.removed.map(ofUser),
      history: history ? [history] : [],
      notices: noticesOf(issue, columns, state, mentioned),
    },
    releases,
    isMoved,
    isOpen: team.visibility !== "private",
    trashed: input.trashed === undefined ? undefined : input.trashed === true,
    closing: "stateId" in columns ? closingOf(parentId, team, state) : undefined,
  };
}

function requireDuplicate({ id }: Row<"Issue">, { type }: State, lookups: UpdateLookups): void {
  if (type === "duplicate" && !lookups.duplicateIds.includes(id))
    throw invalidInput(
      "Issues can only be moved to a duplicate state when a duplicate issue relation exists",
    );
}

function turnover(before: readonly string[], after: readonly string[]) {
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  return { added, removed, differ: added.length + removed.length > 0 };
}

/** `subscriberIds` replaces the list; a move removes users who lose access. */
const followersAfter = (
  issue: Row<"Issue">,
  { subscriberIds }: IssueUpdate,
  lookups: IssueLookups,
  team: Team,
): readonly string[] =>
  subscriberIds?.map((id) => requireUser(lookups, "subscriberIds", id)) ??
  (lookups.followerIds[issue.id] ?? []).filter((id) => !losesAccess(issue, id, team));

/** The notifications of a change. */
function noticesOf(
  { id: issueId, assigneeId: old }: Row<"Issue">,
  columns: Changes<"Issue">,
  state: State,
  mentioned: readonly string[],
): Notice[] {
  const notices: Notice[] = [];
  const assignee = columns.assigneeId;
  if (assignee) notices.push({ type: "issueAssignedToYou", issueId, userIds: [assignee] });
  if (assignee !== undefined && old)
    notices.push({ type: "issueUnassignedFromYou", issueId, userIds: [old] });
  if (mentioned.length > 0) notices.push({ type: "issueMention", issueId, userIds: mentioned });
  if ("stateId" in columns && isClosed(state.type))
    notices.push({ type: "issueStatusChangedDone", issueId, subscribersBut: [] });
  if (columns.priority === 1)
    notices.push({ type: "issuePriorityUrgent", issueId, subscribersBut: [] });
  return notices;
}

function releasesAfter(
  issueId: string,
  { releaseIds, addedReleaseIds, removedReleaseIds }: IssueUpdate,
  lookups: UpdateLookups,
): Releases & { readonly differ: boolean } {
  const links = lookups.releases.filter((link) => link.issueId === issueId);
  const isIn = (id: string) => links.some(({ releaseId }) => releaseId === id);
  const stays = (id: string) =>
    releaseIds ? releaseIds.includes(id) : !removedReleaseIds?.includes(id);
  const added = (releaseIds ?? addedReleaseIds ?? []).filter((id) => !isIn(id));
  const removed = links.filter(({ releaseId }) => !stays(releaseId)).map(({ id }) => id);
  return { added, removed, differ: added.length + removed.length > 0 };
}

/** The related issues that close with an issue, as the settings of its team say. */
function closingOf(parentId: string | null, team: Team, { type }: State): Closing | undefined {
  if (!isClosed(type)) return undefined;
  const parent = team.autoCloseParentIssues ? parentId : null;
  return { type, children: team.autoCloseChildIssues, parentId: parent };
}
