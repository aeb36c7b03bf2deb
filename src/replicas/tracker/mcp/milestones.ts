/** Milestones of projects. */
import { requireId, resolve } from "~/replicas/tracker/mcp/names";
import { change, getOne, type Shape, selectionOf, shown } from "~/replicas/tracker/mcp/shape";
import { type Node, Rejected, type Tools, type Work } from "~/replicas/tracker/mcp/tool";
import { requireRow } from "~/replicas/tracker/require";

const PERCENT = 100;

export const MILESTONE: Shape = {
  id: "id",
  name: "name",
  description: "description",
  progress: ["progress", ({ progress }) => Math.round(progress * PERCENT)],
  sortOrder: "sortOrder",
  targetDate: "targetDate",
};

export const milestonesOf = ({ nodes }: { readonly nodes: readonly Node[] }): object[] =>
  nodes
    .toSorted((one, other) => one.sortOrder - other.sortOrder)
    .map((milestone) => shown(MILESTONE, milestone));

type OfProject = { readonly project: string };

async function listMilestones({ project }: OfProject, work: Work): Promise<object> {
  const projectId = await requireId(work, "Project", project);
  const { projectMilestones } = await work.ask(
    `query($filter: ProjectMilestoneFilter) {
      projectMilestones(first: 250, filter: $filter) { nodes { ${selectionOf(MILESTONE)} } } }`,
    { filter: { project: { id: { eq: projectId } } } },
  );
  return milestonesOf(projectMilestones);
}

/** The id of a milestone of this project. */
async function milestoneIn(work: Work, project: string, given: string): Promise<string> {
  const projectId = await requireId(work, "Project", project);
  const id = await resolve(work, "ProjectMilestone", given, { where: { projectId } });
  const milestone = await requireRow(work.context, "ProjectMilestone", id);
  if (milestone.projectId !== projectId)
    throw new Rejected(`Could not find milestone "${given}" in the project`);
  return id;
}

type SaveMilestone = OfProject & {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly targetDate?: string | null;
};

async function saveMilestone({ project, id: given, ...input }: SaveMilestone, work: Work) {
  const known = given === undefined ? undefined : await milestoneIn(work, project, given);
  if (!known && input.name === undefined)
    throw new Rejected("name is required when creating a milestone");
  const id = known
    ? await change(work, "projectMilestoneUpdate", input, known)
    : await change(work, "projectMilestoneCreate", {
        ...input,
        projectId: await requireId(work, "Project", project),
      });
  return await getOne(work, "projectMilestone", id, MILESTONE);
}

export const milestoneTools: Tools = {
  list_milestones: listMilestones,
  get_milestone: async ({ project, query }: OfProject & { readonly query: string }, work) =>
    await getOne(work, "projectMilestone", await milestoneIn(work, project, query), MILESTONE),
  save_milestone: saveMilestone,
};
