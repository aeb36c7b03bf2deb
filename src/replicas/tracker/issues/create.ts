/** Creation of issues. */
import { together } from "~/db/session";
import { delegate } from "~/replicas/tracker/agent-sessions";
import { createRow, ifGiven, newRow, type Optional } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, invalidInput, notFoundIn } from "~/replicas/tracker/errors";
import { newId } from "~/replicas/tracker/ids";
import { labelsAfter } from "~/replicas/tracker/issues/labels";
import { mentionedIn } from "~/replicas/tracker/issues/mentions";
import { NOWHERE, nthPlace, placementAfter } from "~/replicas/tracker/issues/placement";
import {
  type IssueReferences,
  requireAssignee,
  requireParent,
  requireState,
  requireTeam,
  requireUser,
} from "~/replicas/tracker/issues/reference-rules";
import { readIssueReferences } from "~/replicas/tracker/issues/references";
import { NO_TIMES, timesAfter } from "~/replicas/tracker/issues/transition";
import {
  deadline,
  descriptionOf,
  type Plain,
  requireEstimate,
  requirePriority,
  requireTitle,
} from "~/replicas/tracker/issues/values";
import type { NewValues, Row } from "~/replicas/tracker/store/entities";
import { type Effects, NO_EFFECTS, writeEffects } from "~/replicas/tracker/store/issues/effects";
import { insertIssues } from "~/replicas/tracker/store/issues/insert";
import type { IssueLookups } from "~/replicas/tracker/store/issues/issue-lookups";
import type { State, Team } from "~/replicas/tracker/store/issues/team-lookups";

export type IssueCreate = IssueReferences &
  Plain & {
    readonly teamId: string;
    readonly id?: Optional<string>;
    readonly completedAt?: Optional<Date>;
    readonly createAsUser?: Optional<string>;
    readonly createdAt?: Optional<Date>;
    readonly displayIconUrl?: Optional<string>;
    readonly dueDate?: Optional<string>;
    readonly inheritsSharedAccess?: Optional<boolean>;
    readonly prioritySortOrder?: Optional<number>;
    readonly releaseIds?: Optional<readonly string[]>;
    readonly slaType?: Optional<string>;
    readonly sortOrder?: Optional<number>;
    readonly sourceCommentId?: Optional<string>;
    readonly subIssueSortOrder?: Optional<number>;
  };

/** A new row, and its side effects. */
type Planned = {
  readonly row: NewValues<"Issue"> & { readonly id: string; readonly teamId: string };
  readonly effects: Effects;
};

/** Creates issues in this order, all or none. */
export async function createIssues(
  context: Context,
  inputs: readonly IssueCreate[],
): Promise<{ readonly issues: readonly Row<"Issue">[]; readonly lastSyncId: number }> {
  const also = { placeIds: [...new Set(inputs.map(({ teamId }) => teamId))] };
  const lookups = await readIssueReferences(context, inputs, also);
  const filled = inputs.map((input) => fromTemplate(input, lookups, context));
  // A template can refer to more than the input does.
  const changed = filled.some((input, index) => input !== inputs[index]);
  const whole = changed ? await readIssueReferences(context, filled, also) : lookups;
  const planned = filled.map((input) => plan(context, input, whole));
  const effects = joined(planned.map((one) => one.effects));
  const isOpen = whole.teams.every(({ visibility }) => visibility !== "private");
  const acting = { actor: context.viewer.id, now: context.now, isOpen };
  const rows = placed(planned, whole);
  const [{ rows: inserted, lastSyncId }] = await together([
    insertIssues(context.session, rows),
    writeEffects(context.session, effects, acting),
  ]);
  const byId = new Map(inserted.map((row) => [row.id, row]));
  for (const [index, { releaseIds }] of filled.entries())
    for (const releaseId of releaseIds ?? [])
      await createRow(context, "IssueToRelease", { issueId: rows[index]?.id, releaseId });
  await delegate(context, rows);
  return { issues: rows.flatMap(({ id }) => byId.get(id) ?? []), lastSyncId };
}

/** The rows with their numbers and identifiers, and positions on top in place of null. */
function placed(planned: readonly Planned[], lookups: IssueLookups) {
  const counts = new Map<string, number>();
  return planned.map(({ row }) => {
    const nth = (counts.get(row.teamId) ?? 0) + 1;
    counts.set(row.teamId, nth);
    const { number, identifier, sortOrder: top } = nthPlace(lookups, row.teamId, nth);
    return {
      ...row,
      number,
      identifier,
      sortOrder: row.sortOrder ?? top,
      prioritySortOrder: row.prioritySortOrder ?? top,
      subIssueSortOrder: row.parentId === null ? null : (row.subIssueSortOrder ?? top),
    };
  });
}

const joined = (all: readonly Effects[]): Effects => ({
  labelled: all.flatMap(({ labelled }) => labelled),
  unlabelled: [],
  subscribed: all.flatMap(({ subscribed }) => subscribed),
  unsubscribed: [],
  history: [],
  notices: all.flatMap(({ notices }) => notices),
});

/** The input completed by its template; the same input when there is none. */
function fromTemplate(input: IssueCreate, lookups: IssueLookups, context: Context): IssueCreate {
  const team = requireTeam(lookups, input.teamId, context);
  const standard = team.memberIds.includes(context.viewer.id)
    ? team.defaultTemplateForMembersId
    : team.defaultTemplateForNonMembersId;
  const id = input.templateId ?? (input.useDefaultTemplate ? standard : null);
  if (id === null) return input;
  const template = lookups.templates.find((one) => one.id === id.toLowerCase());
  if (!template) throw notFoundIn("templateId");
  const data = template.templateData as Partial<IssueCreate>;
  const said = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  );
  return {
    ...data,
    lastAppliedTemplateId: template.id,
    ...said,
    teamId: input.teamId,
  };
}

function plan(context: Context, input: IssueCreate, lookups: IssueLookups): Planned {
  const { now, viewer } = context;
  const team = requireTeam(lookups, input.teamId, context);
  const state = stateOf(context, input, lookups, team);
  const description = descriptionOf(input) ?? null;
  const assigneeId = ifGiven(input.assigneeId, (id) => requireAssignee(lookups, id, team)) ?? null;
  const parent = ifGiven(input.parentId, (id) => requireParent(lookups, id));
  const place = placementAfter(
    NOWHERE,
    { ...input, cycleId: input.cycleId ?? undefined },
    lookups,
    { team, isMoved: false, entered: state },
  );
  const labelIds = labelsAfter({ labelIds: input.labelIds }, lookups, [], team);
  const times = timesAfter(NO_TIMES, undefined, state.type, now);
  const { id, createdAt: _, ...touched } = newRow(context, input.id);
  const row = {
    ...touched,
    id,
    createdAt: createdAtOf(input.createdAt, now),
    teamId: team.id,
    previousIdentifiers: [],
    title: requireTitle(input.title),
    description,
    stateId: state.id,
    priority: requirePriority(input.priority ?? 0),
    assigneeId,
    delegateId: ifGiven(input.delegateId, (id) => requireUser(lookups, "delegateId", id)) ?? null,
    creatorId: viewer.id,
    parentId: parent?.id ?? null,
    ...place,
    estimate: requireEstimate(input.estimate) ?? null,
    dueDate: input.dueDate ?? null,
    sortOrder: input.sortOrder ?? null,
    prioritySortOrder: input.prioritySortOrder ?? null,
    subIssueSortOrder: input.subIssueSortOrder ?? null,
    ...times,
    completedAt: times.completedAt && (input.completedAt ?? times.completedAt),
    addedToTeamAt: now,
    addedToCycleAt: place.cycleId === null ? null : now,
    addedToProjectAt: place.projectId === null ? null : now,
    slaType: input.slaType ?? (input.slaBreachesAt ? "all" : null),
    ...deadline(input, now),
    lastAppliedTemplateId: input.lastAppliedTemplateId ?? null,
    sourceCommentId: input.sourceCommentId ?? null,
    documentContentId: newId(context.session),
    sharedWithUserIds: [],
    inheritsSharedAccess: input.inheritsSharedAccess ?? false,
    botActor: input.createAsUser
      ? { type: "api", userDisplayName: input.createAsUser, avatarUrl: input.displayIconUrl }
      : null,
  };
  const mentioned = mentionedIn(lookups, description);
  const followers = [
    viewer.id,
    ...(assigneeId ? [assigneeId] : []),
    ...(input.subscriberIds ?? []).map((userId) => requireUser(lookups, "subscriberIds", userId)),
    ...mentioned,
  ];
  const effects: Effects = {
    ...NO_EFFECTS,
    labelled: labelIds.map((labelId) => ({ issueId: id, labelId })),
    subscribed: [...new Set(followers)].map((userId) => ({ issueId: id, userId })),
    notices: [
      ...(assigneeId ? [{ type: "issueAssignedToYou", issueId: id, userIds: [assigneeId] }] : []),
      ...(mentioned.length > 0 ? [{ type: "issueMention", issueId: id, userIds: mentioned }] : []),
    ],
  };
  return { row, effects };
}

function createdAtOf(given: Optional<Date>, now: Date): Date {
  if (given && given > now)
    throw invalidArgument("createdAt", given, "maxDate", "createdAt must not be in the future");
  return given ?? now;
}

function stateOf(
  { viewer }: Context,
  input: IssueCreate,
  lookups: IssueLookups,
  team: Team,
): State {
  if (input.stateId) {
    const state = requireState(lookups, input.stateId, team);
    if (state.type === "duplicate")
      throw invalidInput("Cannot create an issue in a duplicate state");
    return state;
  }
  const states = lookups.states.filter(({ teamId }) => teamId === team.id);
  const ofType = (type: string) => states.find((state) => state.type === type);
  const outside = input.createAsUser || !team.memberIds.includes(viewer.id);
  const found =
    (input.completedAt && ofType("completed")) ||
    (team.triageEnabled && outside && ofType("triage")) ||
    states.find(({ id }) => id === team.defaultIssueStateId) ||
    ofType("backlog") ||
    ofType("unstarted") ||
    states[0];
  if (!found) throw invalidInput(`The team ${team.key} has no workflow state`);
  return found;
}
