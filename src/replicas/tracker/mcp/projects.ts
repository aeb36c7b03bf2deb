/** Projects. */
import { MILESTONE, milestonesOf } from "~/replicas/tracker/mcp/milestones";
import { filterOf, named, requireId, resolveAll, resolveGiven } from "~/replicas/tracker/mcp/names";
import { type Edit, revise } from "~/replicas/tracker/mcp/patch";
import {
  act,
  change,
  containing,
  getOne,
  type ListArguments,
  listPage,
  names,
  related,
  type Shape,
  selectionOf,
  some,
} from "~/replicas/tracker/mcp/shape";
import { invalid, type Node, Rejected, type Tools, type Work } from "~/replicas/tracker/mcp/tool";
import { requireRow } from "~/replicas/tracker/require";
import { having } from "~/replicas/tracker/store/lookups";
import { lockWorkspace } from "~/replicas/tracker/store/write";

const PROJECT: Shape = {
  id: "id",
  icon: "icon",
  color: "color",
  name: "name",
  summary: ["description", (project) => project.description ?? ""],
  description: ["content", (project) => project.content ?? ""],
  url: "url",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
  startedAt: "startedAt",
  completedAt: "completedAt",
  canceledAt: "canceledAt",
  startDate: "startDate",
  startDateResolution: "startDateResolution",
  targetDate: "targetDate",
  targetDateResolution: "targetDateResolution",
  priority: [
    "priority priorityLabel",
    ({ priority, priorityLabel }) => ({ value: priority, name: priorityLabel }),
  ],
  labels: names("labels"),
  initiatives: names("initiatives"),
  lead: ["lead { id name }", (project) => project.lead ?? {}],
  status: "status { id name type }",
  teams: [related("teams", "id name key"), (project) => project.teams.nodes],
};
const MEMBERS: Shape = { members: names("members") };
const MILESTONES: Shape = {
  milestones: [
    related("projectMilestones", selectionOf(MILESTONE)),
    ({ projectMilestones }) => milestonesOf(projectMilestones),
  ],
};
const RESOURCES: Shape = {
  resources: [
    `${related("documents", "id title icon color url createdAt updatedAt")} ${related("externalLinks", "id label url createdAt updatedAt")}`,
    ({ documents, externalLinks }) => [
      ...documents.nodes.map((document: Node) => ({ type: "document", ...document })),
      ...externalLinks.nodes.map(({ id, label, ...link }: Node) => ({
        type: "link",
        id,
        title: label,
        ...link,
      })),
    ],
  ],
};
const TRASHED: Shape = { trashed: ["trashed", (project) => project.trashed ?? false] };

type Parts = {
  readonly includeMilestones: boolean;
  readonly includeMembers: boolean;
  readonly includeResources?: boolean;
};
const shapeFor = (args: Parts): Shape => ({
  ...PROJECT,
  ...(args.includeMembers && MEMBERS),
  ...(args.includeMilestones && MILESTONES),
  ...(args.includeResources && RESOURCES),
});

type ListProjects = ListArguments &
  Parts & {
    readonly query?: string;
    readonly state?: string;
    readonly initiative?: string;
    readonly team?: string;
    readonly member?: string;
    readonly label?: string;
  };

async function listProjects(args: ListProjects, work: Work): Promise<object> {
  const { query, state, initiative, team, member, label, fields } = args;
  const isChosen = fields !== undefined && fields.length > 0;
  return await listPage(work, args, {
    plural: "projects",
    field: "projects",
    type: "Project",
    shape: isChosen ? { ...PROJECT, ...MEMBERS, ...MILESTONES, ...TRASHED } : shapeFor(args),
    filter: filterOf({
      name: containing(query),
      status: named("ProjectStatus", state),
      initiatives: some(named("Initiative", initiative)),
      accessibleTeams: some(named("Team", team)),
      members: some(named("User", member)),
      labels: some(named("ProjectLabel", label)),
    }),
  });
}

type SaveProject = {
  readonly id?: string;
  readonly name?: string;
  readonly icon?: string;
  readonly color?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly patch?: readonly Edit[];
  readonly state?: string;
  readonly startDate?: string;
  readonly startDateResolution?: string;
  readonly targetDate?: string;
  readonly targetDateResolution?: string;
  readonly priority?: number;
  readonly addTeams?: readonly string[];
  readonly removeTeams?: readonly string[];
  readonly setTeams?: readonly string[];
  readonly labels?: readonly string[];
  readonly lead?: string | null;
  readonly addInitiatives?: readonly string[];
  readonly removeInitiatives?: readonly string[];
  readonly setInitiatives?: readonly string[];
  readonly links?: readonly { readonly url: string; readonly title: string }[];
};

/** The name of an icon, or a code like `:rocket:`. */
const ICON = /^(:[a-z0-9_+-]+:|[A-Z][A-Za-z0-9]*)$/;

export function requireIcon(icon: string | undefined): void {
  if (icon !== undefined && !ICON.test(icon)) throw invalid("icon is not a valid icon");
}

/** The ids after adding and removing some, or the whole new set. */
function changedSet(
  had: readonly string[],
  { set, add = [], remove = [] }: Record<"set" | "add" | "remove", readonly string[] | undefined>,
): readonly string[] {
  return set ?? [...new Set([...had, ...add])].filter((id) => !remove.includes(id));
}

function refuseBoth(args: SaveProject): void {
  for (const name of ["Teams", "Initiatives"] as const)
    if (args[`set${name}`] && (args[`add${name}`] || args[`remove${name}`]))
      throw new Rejected(`provide either set${name}, or add${name} and remove${name}, not both`);
}

const CHANGING = ["addTeams", "removeTeams", "addInitiatives", "removeInitiatives"] as const;

type Current = { readonly teamIds: readonly string[]; readonly initiativeIds: readonly string[] };

async function currentOf({ ask }: Work, id: string | undefined): Promise<Current> {
  if (id === undefined) return { teamIds: [], initiativeIds: [] };
  const { project } = await ask(
    `query($id: String!) { project(id: $id) { ${related("teams", "id")} ${related("initiatives", "id")} } }`,
    { id },
  );
  const ids = (list: Node): string[] => list.nodes.map((node: Node) => node.id);
  return { teamIds: ids(project.teams), initiativeIds: ids(project.initiatives) };
}

async function saveProject(args: SaveProject, work: Work): Promise<object> {
  refuseBoth(args);
  requireIcon(args.icon);
  const known = args.id === undefined ? undefined : await requireId(work, "Project", args.id);
  // Adding and removing refers to the current set.
  if (known && CHANGING.some((name) => args[name])) await lockWorkspace(work.context.session);
  const had = await currentOf(work, known);
  const input = await inputOf(args, work, known, had);
  const id = await change(work, known ? "projectUpdate" : "projectCreate", input, known);
  await changeInitiatives(args, work, id, had.initiativeIds);
  for (const { url, title: label } of args.links ?? [])
    await work.ask(
      "mutation($input: EntityExternalLinkCreateInput!) { entityExternalLinkCreate(input: $input) { success } }",
      { input: { projectId: id, url, label } },
    );
  return await getOne(work, "project", id, { ...PROJECT, ...MILESTONES });
}

async function inputOf(args: SaveProject, work: Work, known: string | undefined, had: Current) {
  const content = await revise(work, args, ["description", args.description], async () => {
    return (await requireRow(work.context, "Project", known ?? "")).content;
  });
  if (!known && args.name === undefined)
    throw new Rejected("name is required when creating a project");
  if (!known && !args.addTeams && !args.setTeams)
    throw new Rejected("a team is required when creating a project: use addTeams or setTeams");
  const { name, icon, color, priority, summary: description } = args;
  const { startDate, startDateResolution, targetDate, targetDateResolution } = args;
  const isMoved = args.setTeams ?? args.addTeams ?? args.removeTeams;
  const [set, add, remove, statusId, labelIds, leadId] = await Promise.all([
    resolveAll(work, "Team", args.setTeams),
    resolveAll(work, "Team", args.addTeams),
    resolveAll(work, "Team", args.removeTeams),
    resolveGiven(work, "ProjectStatus", args.state),
    resolveAll(work, "ProjectLabel", args.labels),
    resolveGiven(work, "User", args.lead),
  ]);
  return {
    name,
    icon,
    color,
    priority,
    description,
    content,
    statusId,
    labelIds,
    leadId,
    startDate,
    startDateResolution,
    targetDate,
    targetDateResolution,
    ...(isMoved && { teamIds: changedSet(had.teamIds, { set, add, remove }) }),
  };
}

async function changeInitiatives(
  { setInitiatives, addInitiatives, removeInitiatives }: SaveProject,
  work: Work,
  projectId: string,
  had: readonly string[],
): Promise<void> {
  const wanted = changedSet(had, {
    set: await resolveAll(work, "Initiative", setInitiatives),
    add: await resolveAll(work, "Initiative", addInitiatives),
    remove: await resolveAll(work, "Initiative", removeInitiatives),
  });
  for (const initiativeId of had.filter((id) => !wanted.includes(id))) {
    const where = having({ projectId, initiativeId });
    const link = await work.context.read.find("InitiativeToProject", where);
    if (link) await act(work, "initiativeToProjectDelete", link.id);
  }
  for (const initiativeId of wanted.filter((id) => !had.includes(id)))
    await work.ask(
      "mutation($input: InitiativeToProjectCreateInput!) { initiativeToProjectCreate(input: $input) { success } }",
      { input: { projectId, initiativeId } },
    );
}

export const projectTools: Tools = {
  list_projects: listProjects,
  get_project: async (args: Parts & { readonly query: string }, work) =>
    await getOne(work, "project", await requireId(work, "Project", args.query), shapeFor(args)),
  save_project: saveProject,
};
