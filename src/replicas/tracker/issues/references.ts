/** Reads the rows that the inputs of issues refer to. */
import { UUID } from "~/graphql/uuid";
import { ifGiven, type Optional } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { requireUuid } from "~/replicas/tracker/ids";
import { mentionsIn } from "~/replicas/tracker/issues/mentions";
import {
  type IssueReferences,
  issueKey,
  projectKey,
} from "~/replicas/tracker/issues/reference-rules";
import {
  type IssueLookups,
  readIssueLookups,
  type Wanted,
} from "~/replicas/tracker/store/issues/issue-lookups";

const PLAIN = [
  "teamId",
  "stateId",
  "assigneeId",
  "delegateId",
  "snoozedById",
  "projectMilestoneId",
  "cycleId",
  "templateId",
  "lastAppliedTemplateId",
] as const;
const LISTS = ["subscriberIds", "labelIds", "addedLabelIds", "removedLabelIds"] as const;

/** Rejects an invalid id before it reaches a statement. */
function requireIds(input: IssueReferences): void {
  for (const name of PLAIN) ifGiven(input[name], (id) => requireUuid(name, id));
  for (const name of LISTS) for (const id of input[name] ?? []) requireUuid(name, id);
}

const given = (...values: readonly Optional<string>[]): string[] =>
  values.filter((value): value is string => value !== null && value !== undefined);

/** Reads the rows that the inputs refer to; `also`: those that the issues to change refer to. */
export async function readIssueReferences(
  context: Context,
  inputs: readonly IssueReferences[],
  also: Partial<Wanted> = {},
): Promise<IssueLookups> {
  inputs.forEach(requireIds);
  const all = (pick: (input: IssueReferences) => readonly string[]) => [
    ...new Set(inputs.flatMap(pick)),
  ];
  const parents = all(({ parentId }) => given(parentId).map(issueKey));
  const wanted: Wanted = {
    teamIds: all(({ teamId }) => given(teamId)),
    stateIds: all(({ stateId }) => given(stateId)),
    userIds: all((input) => [
      ...given(input.assigneeId, input.delegateId, input.snoozedById),
      ...(input.subscriberIds ?? []),
    ]),
    userNames: all(({ description }) => mentionsIn(description)),
    labelIds: all(({ labelIds, addedLabelIds }) => [...(labelIds ?? []), ...(addedLabelIds ?? [])]),
    issueIds: parents.filter((key) => UUID.test(key)),
    identifiers: parents.filter((key) => !UUID.test(key)),
    projects: all(({ projectId }) => given(projectId).map(projectKey)),
    milestoneIds: all(({ projectMilestoneId }) => given(projectMilestoneId)),
    cycleIds: all(({ cycleId }) => given(cycleId)),
    templateIds: all(({ templateId }) => given(templateId)),
    defaultTemplates: inputs.some(({ useDefaultTemplate }) => useDefaultTemplate === true),
    teamsOf: [],
    placeIds: [],
    labelledIds: [],
    followedIds: [],
    ownProjectIds: [],
    ...also,
  };
  const lookups = await readIssueLookups(context.session, wanted, context.now);
  return withoutHidden(lookups, context, wanted.ownProjectIds);
}

/** Removes rows that an input must not refer to; current values of the issues stay. */
function withoutHidden(
  lookups: IssueLookups,
  { hiddenTeamIds, viewer }: Context,
  ownProjectIds: readonly string[],
): IssueLookups {
  if (hiddenTeamIds.length === 0) return lookups;
  const isHidden = (teamId: string | null) => teamId !== null && hiddenTeamIds.includes(teamId);
  const applied = new Set(Object.values(lookups.labelIds).flat());
  const projects = lookups.projects.filter(
    ({ id, teamIds }) => ownProjectIds.includes(id) || !teamIds.every(isHidden),
  );
  return {
    ...lookups,
    projects,
    states: lookups.states.filter(
      ({ teamId }) => !isHidden(teamId) || lookups.teams.some(({ id }) => id === teamId),
    ),
    labels: lookups.labels.filter(({ id, teamId }) => applied.has(id) || !isHidden(teamId)),
    issues: lookups.issues.filter(
      ({ teamId, sharedWithUserIds }) => !isHidden(teamId) || sharedWithUserIds.includes(viewer.id),
    ),
    milestones: lookups.milestones.filter(({ projectId }) =>
      projects.some(({ id }) => id === projectId),
    ),
    cycles: lookups.cycles.filter(({ teamId }) => !isHidden(teamId)),
  };
}
