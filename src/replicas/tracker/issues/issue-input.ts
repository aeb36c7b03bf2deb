/** References in the inputs of issues, and their rules. */
import { UUID } from "~/graphql/scalars";
import type { Optional } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { discrepancy, invalidInput, notFoundIn } from "~/replicas/tracker/errors";
import { identifierOf, requireUuid, slugIdOf } from "~/replicas/tracker/ids";
import {
  type IssueLookups,
  type IssueRef,
  type ProjectRef,
  readIssueLookups,
  type State,
  type Team,
  type Wanted,
} from "~/replicas/tracker/store/issues/issue-lookups";

/** Fields of issue inputs that refer to another row. */
export type IssueReferences = {
  readonly teamId?: Optional<string>;
  readonly stateId?: Optional<string>;
  readonly assigneeId?: Optional<string>;
  readonly delegateId?: Optional<string>;
  readonly snoozedById?: Optional<string>;
  readonly subscriberIds?: Optional<readonly string[]>;
  readonly labelIds?: Optional<readonly string[]>;
  readonly addedLabelIds?: Optional<readonly string[]>;
  readonly removedLabelIds?: Optional<readonly string[]>;
  readonly parentId?: Optional<string>;
  readonly projectId?: Optional<string>;
  readonly projectMilestoneId?: Optional<string>;
  readonly cycleId?: Optional<string>;
  readonly templateId?: Optional<string>;
  readonly useDefaultTemplate?: Optional<boolean>;
  readonly lastAppliedTemplateId?: Optional<string>;
  readonly description?: Optional<string>;
};

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
export function requireIds(input: IssueReferences): void {
  for (const name of PLAIN) ifGiven(input[name], (id) => requireUuid(name, id));
  for (const name of LISTS) for (const id of input[name] ?? []) requireUuid(name, id);
}

/** Applies the function unless the value is null or undefined. */
export function ifGiven<T, R>(value: Optional<T>, then: (value: T) => R): Optional<R> {
  if (value === null) return null;
  return value === undefined ? undefined : then(value);
}

const given = (...values: readonly Optional<string>[]): string[] =>
  values.filter((value): value is string => value !== null && value !== undefined);

/** The display names that a text mentions, as `@name` or by the URL of a profile, in lower case. */
export const mentionsIn = (text: Optional<string>): string[] =>
  [...(text ?? "").matchAll(/(?<![\w.@])@([\w.-]*\w)|\/profiles\/([\w.-]*\w)/g)].map(
    ([, name, profile]) => (name ?? profile ?? "").toLowerCase(),
  );

/** Loads the rows that the inputs refer to; `also` adds the references of the issues to change. */
export async function readIssueReferences(
  context: Context,
  inputs: readonly IssueReferences[],
  also: {
    readonly teamsOf?: readonly string[];
    readonly labelledIds?: readonly string[];
    readonly projectIds?: readonly string[];
    /** Whether the inputs create issues. */
    readonly places?: boolean;
  } = {},
): Promise<IssueLookups> {
  inputs.forEach(requireIds);
  const all = (pick: (input: IssueReferences) => readonly string[]) => [
    ...new Set(inputs.flatMap(pick)),
  ];
  const parents = all(({ parentId }) => given(parentId).map(issueKey));
  const wanted: Wanted = {
    teamIds: all(({ teamId }) => given(teamId)),
    stateIds: all(({ stateId }) => given(stateId)),
    teamsOf: also.teamsOf ?? [],
    userIds: all((input) => [
      ...given(input.assigneeId, input.delegateId, input.snoozedById),
      ...(input.subscriberIds ?? []),
    ]),
    userNames: all(({ description }) => mentionsIn(description)),
    labelIds: all(({ labelIds, addedLabelIds }) => [...(labelIds ?? []), ...(addedLabelIds ?? [])]),
    labelledIds: also.labelledIds ?? [],
    issueIds: parents.filter((key) => UUID.test(key)),
    identifiers: parents.filter((key) => !UUID.test(key)),
    projects: [
      ...all(({ projectId }) => given(projectId).map(projectKey)),
      ...(also.projectIds ?? []),
    ],
    milestoneIds: all(({ projectMilestoneId }) => given(projectMilestoneId)),
    cycleIds: all(({ cycleId }) => given(cycleId)),
    templateIds: all(({ templateId }) => given(templateId)),
    defaultTemplates: inputs.some(({ useDefaultTemplate }) => useDefaultTemplate === true),
    places: also.places ?? false,
  };
  const lookups = await readIssueLookups(context.session, wanted, context.now);
  return withoutHidden(lookups, context, also.projectIds ?? []);
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

const issueKey = (text: string) =>
  UUID.test(text) ? text.toLowerCase() : (identifierOf(text) ?? "");
const projectKey = (text: string) =>
  UUID.test(text) ? text.toLowerCase() : (slugIdOf(text) ?? text.toUpperCase());

/** Like `find`, but throws when there is none. */
function found<T>(field: keyof IssueReferences, rows: readonly T[], fits: (row: T) => boolean): T {
  const row = rows.find(fits);
  if (!row) throw notFoundIn(field);
  return row;
}

export function requireTeam({ teams }: IssueLookups, id: string, { hiddenTeamIds }: Context): Team {
  const team = found("teamId", teams, (one) => one.id === id.toLowerCase());
  if (hiddenTeamIds.includes(team.id)) throw notFoundIn("teamId");
  if (team.archivedAt !== null || team.retiredAt !== null)
    throw invalidInput(`The team ${team.key} is archived`);
  return team;
}

/** A state of this team. */
export function requireState({ states }: IssueLookups, id: string, team: Team): State {
  const state = found("stateId", states, (one) => one.id === id.toLowerCase());
  if (state.teamId !== team.id) throw discrepancy();
  return state;
}

export const requireUser = (
  { users }: IssueLookups,
  field: keyof IssueReferences,
  id: string,
): string => found(field, users, (one) => one.id === id.toLowerCase()).id;

export const isOpenTo = (userId: string, { visibility, memberIds }: Team): boolean =>
  visibility !== "private" || memberIds.includes(userId);

/** A user who can be assigned to issues of this team. */
export function requireAssignee(lookups: IssueLookups, id: string, team: Team): string {
  const userId = requireUser(lookups, "assigneeId", id);
  if (!isOpenTo(userId, team))
    throw invalidInput(`The assignee is not a member of the private team ${team.key}`);
  return userId;
}

/** An issue that can be the parent of another one. `child` is undefined for a new issue. */
export function requireParent({ issues }: IssueLookups, id: string, child?: string): IssueRef {
  const key = issueKey(id);
  const parent = found(
    "parentId",
    issues,
    (one) => one.id === key || one.identifier === key || one.previousIdentifiers.includes(key),
  );
  if (child !== undefined && (parent.id === child || parent.ancestorIds.includes(child)))
    throw invalidInput("An issue cannot be a sub-issue of itself or of one of its sub-issues");
  return parent;
}

/** A project that this team takes part in. */
export function requireProject({ projects }: IssueLookups, id: string, team: Team): ProjectRef {
  const key = projectKey(id);
  const project = found(
    "projectId",
    projects,
    (one) => one.id === key || one.slugId === key || one.identifier === key,
  );
  if (!project.teamIds.includes(team.id)) throw discrepancy();
  return project;
}

/** A milestone, and its project. */
export const requireMilestone = ({ milestones }: IssueLookups, id: string) =>
  found("projectMilestoneId", milestones, (one) => one.id === id.toLowerCase());

export function requireCycle({ cycles }: IssueLookups, id: string, team: Team): string {
  const cycle = found("cycleId", cycles, (one) => one.id === id.toLowerCase());
  if (cycle.teamId !== team.id) throw discrepancy();
  return cycle.id;
}

/** The users that a text mentions. */
export function mentionedIn({ users }: IssueLookups, text: Optional<string>): string[] {
  const names = mentionsIn(text);
  return users
    .filter(({ displayName }) => names.includes(displayName.toLowerCase()))
    .map(({ id }) => id);
}
