/** Updates of issues. */
import { together } from "~/db/session";
import { changeRow, createRow, formerIdentifiers } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { forbidden, invalidInput, notFound } from "~/replicas/tracker/errors";
import { restoreIssue, trashIssue } from "~/replicas/tracker/issues/archive";
import {
  type IssueUpdate,
  labelsAfter,
  losesAccess,
  stateAfter,
  valuesAfter,
} from "~/replicas/tracker/issues/compute-update";
import { historyOf } from "~/replicas/tracker/issues/history";
import {
  mentionedIn,
  readIssueReferences,
  requireTeam,
  requireUser,
} from "~/replicas/tracker/issues/issue-input";
import { isClosed } from "~/replicas/tracker/issues/transition";
import { descriptionOf } from "~/replicas/tracker/issues/values";
import type { Changes, Row } from "~/replicas/tracker/store/entities";
import { type Notice, writeEffects } from "~/replicas/tracker/store/issues/effects";
import type { IssueLookups, State, Team } from "~/replicas/tracker/store/issues/issue-lookups";
import { listSubscribers } from "~/replicas/tracker/store/issues/subscribers";
import { listOpenChildren, lockIssues, moveNumber } from "~/replicas/tracker/store/issues/update";
import { having } from "~/replicas/tracker/store/lookups";
import { deleteRows, differences } from "~/replicas/tracker/store/write";

/** Fields that only members of the team can change, even if the issue is shared. */
export const FOR_MEMBERS = ["cycleId", "projectId", "projectMilestoneId", "teamId"] as const;

/** Updates issues, all or none. Returns them in the order of the ids. */
export async function updateIssues(
  context: Context,
  ids: readonly string[],
  input: IssueUpdate,
): Promise<readonly Row<"Issue">[]> {
  if (input.labelIds && (input.addedLabelIds || input.removedLabelIds))
    throw invalidInput("labelIds cannot be combined with addedLabelIds or removedLabelIds");
  const locking = lockIssues(context.session, ids);
  // Everything else is sent together with the lock, but a missing issue is reported first.
  const reading = readReferences(context, ids, input, locking);
  reading.catch(() => undefined);
  const locked = await locking;
  if (locked.length < new Set(ids).size) throw notFound("Issue");
  const lookups = await reading;
  const changes: Change[] = [];
  for (const issue of locked) changes.push(await updateIssue(context, issue, input, lookups));
  // Only after the last one: a cascade can affect other issues of the list.
  for (const change of changes) await cascade(context, change, input);
  const changed = new Map(changes.map(({ after }) => [after.id, after]));
  return ids.flatMap((id) => changed.get(id) ?? []);
}

async function readReferences(
  context: Context,
  ids: readonly string[],
  input: IssueUpdate,
  locking: Promise<readonly Row<"Issue">[]>,
): Promise<IssueLookups> {
  const description = descriptionOf(input);
  return await readIssueReferences(
    context,
    [{ ...input, ...(description !== undefined && { description }) }],
    {
      teamsOf: ids,
      labelledIds: changesLabels(input) ? ids : [],
      projectIds: input.teamId ? (await locking).flatMap(({ projectId }) => projectId ?? []) : [],
    },
  );
}

/** Labels are given, or a move to another team may remove some. */
const changesLabels = ({ labelIds, addedLabelIds, removedLabelIds, teamId }: IssueUpdate) =>
  Boolean(labelIds ?? addedLabelIds ?? removedLabelIds ?? teamId);

/** An issue before and after its update, and the changed columns. */
type Change = {
  readonly before: Row<"Issue">;
  readonly after: Row<"Issue">;
  readonly different: Changes<"Issue">;
  readonly team: Team;
  readonly state: State;
};

async function updateIssue(
  context: Context,
  issue: Row<"Issue">,
  input: IssueUpdate,
  lookups: IssueLookups,
): Promise<Change> {
  const { session, now, viewer, hiddenTeamIds } = context;
  const from = teamOf(lookups, issue);
  const refused = FOR_MEMBERS.find((name) => input[name] !== undefined);
  if (refused && hiddenTeamIds.includes(from.id))
    throw forbidden(`Only members of its team can change the ${refused} of a shared issue`);
  const team = input.teamId ? requireTeam(lookups, input.teamId, context) : from;
  const hadLabels = lookups.labelIds[issue.id] ?? [];
  const state = stateAfter(issue, input, lookups, team);
  if (input.stateId && state.type === "duplicate" && state.id !== issue["stateId"])
    await requireDuplicate(context, issue.id);
  const labels = labelsAfter(input, lookups, hadLabels, team);
  const moved = team.id === from.id ? {} : await moveTo(context, issue, team);
  const values = valuesAfter(context, issue, input, lookups, { team, state, from });
  const different = differences(issue, { ...values, ...moved });
  const added = labels.filter((id) => !hadLabels.includes(id));
  const removed = hadLabels.filter((id) => !labels.includes(id));
  const followers = await followersAfter(context, issue, input, lookups, team);
  const touched =
    Object.keys(different).length > 0 ||
    added.length > 0 ||
    removed.length > 0 ||
    followers.changed;
  const change = { before: issue, different, team, state };
  if (!touched) return { ...change, after: issue };

  const history = historyOf(issue, different, { added, removed });
  const assigneeId = different.assigneeId ?? undefined;
  const mentioned = "description" in different ? mentionedIn(lookups, descriptionOf(input)) : [];
  const effects = {
    labelled: added.map((labelId) => ({ issueId: issue.id, labelId })),
    unlabelled: removed.map((labelId) => ({ issueId: issue.id, labelId })),
    subscribed: [...followers.added, ...(assigneeId ? [assigneeId] : []), ...mentioned].map(
      (userId) => ({ issueId: issue.id, userId }),
    ),
    unsubscribed: followers.removed.map((userId) => ({ issueId: issue.id, userId })),
    history: history ? [history] : [],
    notices: noticesOf(issue, different, state, mentioned),
  };
  const isOpen = team.visibility !== "private";
  const [written] = await together([
    changeRow(context, "Issue", issue, { ...different, updatedAt: now }),
    writeEffects(session, effects, { actor: viewer.id, now, isOpen }),
  ]);
  await putInReleases(context, issue.id, input);
  return { ...change, after: written };
}

/** Throws unless an issue is marked as a duplicate of another one. */
async function requireDuplicate({ read }: Context, issueId: string): Promise<void> {
  if (await read.find("IssueRelation", having({ issueId, type: "duplicate" }))) return;
  throw invalidInput(
    "Issues can only be moved to a duplicate state when a duplicate issue relation exists",
  );
}

/** Applies the consequences for related issues. */
async function cascade(
  context: Context,
  { before, after, different, team, state }: Change,
  { trashed }: IssueUpdate,
): Promise<void> {
  // Even if the issue was in the trash already: a sub-issue may be new.
  if (trashed !== undefined)
    await (trashed ? trashIssue(context, after) : restoreIssue(context, before));
  if ("stateId" in different) await closeAround(context, after, team, state);
}

function teamOf({ teams }: IssueLookups, issue: Row<"Issue">): Team {
  const team = teams.find(({ id }) => id === issue["teamId"]);
  if (!team) throw notFound("Team");
  return team;
}

/** The columns that change with the team. */
async function moveTo(
  { session, now }: Context,
  issue: Row<"Issue">,
  team: Team,
): Promise<Changes<"Issue">> {
  return {
    ...(await moveNumber(session, issue, team.id)),
    teamId: team.id,
    previousIdentifiers: formerIdentifiers(issue),
    addedToTeamAt: now,
  };
}

/** `subscriberIds` replaces the list; a move removes users who lose access. */
async function followersAfter(
  { session }: Context,
  issue: Row<"Issue">,
  { subscriberIds }: IssueUpdate,
  lookups: IssueLookups,
  team: Team,
) {
  if (!subscriberIds && team.id === issue["teamId"])
    return { added: [], removed: [], changed: false };
  const before = await listSubscribers(session, issue.id);
  const wanted =
    subscriberIds?.map((id) => requireUser(lookups, "subscriberIds", id)) ??
    before.filter((id) => !losesAccess(issue, id, team));
  const added = wanted.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !wanted.includes(id));
  return { added, removed, changed: added.length + removed.length > 0 };
}

/** The notifications of a change. */
function noticesOf(
  issue: Row<"Issue">,
  different: Changes<"Issue">,
  state: State,
  mentioned: readonly string[],
): Notice[] {
  const notices: Notice[] = [];
  const issueId = issue.id;
  const old = issue["assigneeId"];
  const assignee = different.assigneeId;
  if (assignee) notices.push({ type: "issueAssignedToYou", issueId, userIds: [assignee] });
  if (assignee !== undefined && old)
    notices.push({ type: "issueUnassignedFromYou", issueId, userIds: [old] });
  if (mentioned.length > 0) notices.push({ type: "issueMention", issueId, userIds: mentioned });
  if ("stateId" in different && isClosed(state.type))
    notices.push({ type: "issueStatusChangedDone", issueId, subscribersBut: [] });
  if (different["priority"] === 1)
    notices.push({ type: "issuePriorityUrgent", issueId, subscribersBut: [] });
  return notices;
}

async function putInReleases(context: Context, issueId: string, input: IssueUpdate): Promise<void> {
  const { read } = context;
  const { releaseIds, addedReleaseIds, removedReleaseIds } = input;
  if (!releaseIds && !addedReleaseIds && !removedReleaseIds) return;
  const links = await read.rows("IssueToRelease", {
    args: {},
    where: having({ issueId }),
  });
  const gone = links.filter(({ releaseId }) =>
    releaseIds
      ? !releaseIds.includes(releaseId as string)
      : removedReleaseIds?.includes(releaseId as string),
  );
  const known = links.map(({ releaseId }) => releaseId);
  await deleteRows(
    context.session,
    "IssueToRelease",
    gone.map(({ id }) => id),
  );
  for (const releaseId of releaseIds ?? addedReleaseIds ?? [])
    if (!known.includes(releaseId))
      await createRow(context, "IssueToRelease", { issueId, releaseId });
}

/** If the team's settings say so, closes the sub-issues of a closed issue, and a parent after its last sub-issue. */
async function closeAround(
  context: Context,
  issue: Row<"Issue">,
  team: Team,
  state: State,
): Promise<void> {
  if (!isClosed(state.type)) return;
  const { session } = context;
  if (team.autoCloseChildIssues)
    for (const id of await listOpenChildren(session, issue.id))
      await closeIssue(context, id, state.type, { autoClosedByParentClosing: true });
  const parentId = issue["parentId"];
  if (!team.autoCloseParentIssues || parentId === null) return;
  if ((await listOpenChildren(session, parentId)).length === 0)
    await closeIssue(context, parentId, "completed", {});
}

/** Moves an issue to the first state of this type, or a similar one, in its team. */
async function closeIssue(
  context: Context,
  id: string,
  type: string,
  also: IssueUpdate,
): Promise<void> {
  const issue = (await lockIssues(context.session, [id]))[0];
  if (!issue) return;
  const { states } = await readIssueReferences(context, [], {
    teamsOf: [id],
  });
  const current = states.find((state) => state.id === issue["stateId"]);
  // A duplicate state is only for issues that are marked as duplicates.
  const closed = states.filter((state) => isClosed(state.type) && state.type !== "duplicate");
  const wanted = type === "duplicate" ? "canceled" : type;
  const target = closed.find((state) => state.type === wanted) ?? closed[0];
  if (!target || (current && isClosed(current.type))) return;
  await updateIssues(context, [id], { ...also, stateId: target.id });
}
