/** Milestones of projects. */

import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { changeRow, type Given, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput, notAccessible } from "~/replicas/tracker/errors";
import { moveIssues } from "~/replicas/tracker/issues/move";
import { requireRow } from "~/replicas/tracker/require";
import { markdownOf, treeOf } from "~/replicas/tracker/rich-text";
import type { Row } from "~/replicas/tracker/store/entities";
import {
  listMilestoneIssues,
  listProjectTeams,
  releaseMilestone,
  setProjectTeams,
} from "~/replicas/tracker/store/projects";

type Move = {
  readonly projectId: string;
  readonly addIssueTeamToProject?: boolean | null;
  readonly newIssueTeamId?: string | null;
  readonly undoIssueTeamIds?: readonly object[] | null;
  readonly undoProjectTeamIds?: {
    readonly projectId: string;
    readonly teamIds: readonly string[];
  } | null;
};

const rules: Rules<"ProjectMilestone"> = {
  operations: ["create", "update", "delete"],
  place: "bottom",
  check: ({ descriptionData }) =>
    descriptionData == null ? undefined : { description: markdownOf(descriptionData) },
  update: async (milestone, { projectId }, context) => {
    const { session } = context;
    if (projectId != null && projectId !== milestone["projectId"])
      await moveToProject(context, await listMilestoneIssues(session, milestone.id), projectId);
    return undefined;
  },
  removed: async ({ id }, context) => {
    const { session, now } = context;
    const issues = await listMilestoneIssues(session, id);
    await moveIssues(context, idsOf(issues), { projectMilestoneId: null });
    await releaseMilestone(session, id, now);
  },
};

const idsOf = (rows: readonly Target[]) => rows.map(({ id }) => id);

const moveToProject = (context: Context, issues: readonly Target[], projectId: string) =>
  moveIssues(context, idsOf(issues), { projectId, addedToProjectAt: context.now });

/** Moves a milestone with its issues to another project, which must have their teams. */
async function move(context: Context, milestone: Row<"ProjectMilestone">, input: Move) {
  const { session } = context;
  // Moving issues between teams renumbers them, and this call promises that it can be undone.
  if (input.newIssueTeamId != null || (input.undoIssueTeamIds?.length ?? 0) > 0)
    throw notAccessible("Moving the issues of a milestone to another team");
  const project = await requireRow(context, "Project", input.projectId);
  const teamIds = await listProjectTeams(session, project.id);
  const issues = await listMilestoneIssues(session, milestone.id);
  const missing = [...new Set(issues.map(({ teamId }) => teamId))].filter(
    (id) => !teamIds.includes(id),
  );
  if (missing.length > 0) {
    if (input.addIssueTeamToProject !== true)
      throw invalidInput("The project does not have all teams of the milestone's issues");
    await setProjectTeams(session, project.id, [...teamIds, ...missing]);
  }
  const moved = await changeRow(context, "ProjectMilestone", milestone, { projectId: project.id });
  await moveToProject(context, issues, project.id);
  const undo = input.undoProjectTeamIds;
  if (undo)
    await setProjectTeams(
      session,
      (await requireRow(context, "Project", undo.projectId)).id,
      undo.teamIds,
    );
  return {
    projectMilestone: moved,
    previousIssueTeamIds: null,
    previousProjectTeamIds: missing.length > 0 ? { projectId: project.id, teamIds } : null,
  };
}

export const projectMilestones: Resolvers<Context> = {
  ProjectMilestone: {
    descriptionState: (milestone: Row<"ProjectMilestone">) => treeOf(milestone, "description"),
  },
  Mutation: {
    ...mutationsOf("ProjectMilestone", rules),
    projectMilestoneMove: async (_source, { id, input }: Target & Given<Move>, context) =>
      move(context, await requireRow(context, "ProjectMilestone", id), input),
  },
};
