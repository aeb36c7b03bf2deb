/** References in the inputs of issues, and their rules: one of the rows that were read, or the rejection. */
import { UUID } from "~/graphql/uuid";
import type { Optional } from "~/replicas/tracker/change";
import { discrepancy, invalidInput, notFoundIn } from "~/replicas/tracker/errors";
import { identifierOf, slugIdOf } from "~/replicas/tracker/ids";
import type {
  IssueLookups,
  IssueRef,
  ProjectRef,
} from "~/replicas/tracker/store/issues/issue-lookups";
import type { State, Team } from "~/replicas/tracker/store/issues/team-lookups";
import type { ViewerContext } from "~/replicas/tracker/store/viewer";

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

export const issueKey = (text: string) =>
  UUID.test(text) ? text.toLowerCase() : (identifierOf(text) ?? "");
export const projectKey = (text: string) =>
  UUID.test(text) ? text.toLowerCase() : (slugIdOf(text) ?? text.toUpperCase());

/** Like `find`, but throws when there is none. */
function found<T>(field: keyof IssueReferences, rows: readonly T[], fits: (row: T) => boolean): T {
  const row = rows.find(fits);
  if (!row) throw notFoundIn(field);
  return row;
}

export function requireTeam(
  { teams }: IssueLookups,
  id: string,
  { hiddenTeamIds }: Pick<ViewerContext, "hiddenTeamIds">,
): Team {
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
