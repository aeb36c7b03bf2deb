/** Initiatives. */

import { PRIORITIES } from "~/replicas/tracker/api/conventions";
import {
  filterOf,
  named,
  requireId,
  resolve,
  resolveAll,
  resolveGiven,
} from "~/replicas/tracker/mcp/names";
import { type Edit, revise } from "~/replicas/tracker/mcp/patch";
import { requireIcon } from "~/replicas/tracker/mcp/projects";
import {
  change,
  containing,
  getOne,
  type ListArguments,
  listPage,
  names,
  type Shape,
  some,
} from "~/replicas/tracker/mcp/shape";
import { invalid, Rejected, type Tools, type Work } from "~/replicas/tracker/mcp/tool";
import { requireRow } from "~/replicas/tracker/require";
import { having } from "~/replicas/tracker/store/lookups";

const INITIATIVE: Shape = {
  id: "id",
  name: "name",
  summary: ["description", (initiative) => initiative.description ?? ""],
  description: ["content", (initiative) => initiative.content ?? ""],
  url: "url",
  status: "status",
  priority: ["priority", ({ priority }) => ({ value: priority, name: PRIORITIES[priority] })],
  targetDate: "targetDate",
  health: "health",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
  owner: ["owner { id name }", (initiative) => initiative.owner ?? {}],
  creator: ["creator { id name }", (initiative) => initiative.creator ?? {}],
  parentInitiatives: names("parentInitiatives"),
  labels: names("labels"),
};
const PROJECTS: Shape = { projects: names("projects") };
const SUB_INITIATIVES: Shape = { subInitiatives: names("subInitiatives") };

type Parts = { readonly includeProjects: boolean; readonly includeSubInitiatives: boolean };
const shapeFor = (args: Parts): Shape => ({
  ...INITIATIVE,
  ...(args.includeProjects && PROJECTS),
  ...(args.includeSubInitiatives && SUB_INITIATIVES),
});

type ListInitiatives = ListArguments &
  Parts & {
    readonly query?: string;
    readonly status?: string;
    readonly owner?: string;
    readonly parentInitiative?: string;
    readonly label?: string;
  };

async function listInitiatives(args: ListInitiatives, work: Work): Promise<object> {
  const { query, status, owner, parentInitiative, label, fields } = args;
  const isChosen = fields !== undefined && fields.length > 0;
  const parentId =
    parentInitiative === undefined
      ? undefined
      : await requireId(work, "Initiative", parentInitiative);
  const children = parentId === undefined ? undefined : await childrenOf(work, parentId);
  return await listPage(work, args, {
    plural: "initiatives",
    field: "initiatives",
    type: "Initiative",
    shape: isChosen ? { ...INITIATIVE, ...PROJECTS, ...SUB_INITIATIVES } : shapeFor(args),
    filter: filterOf({
      name: containing(query),
      status: status === undefined ? undefined : { eqIgnoreCase: status },
      owner: named("User", owner),
      id: children === undefined ? undefined : { in: children },
      labels: some(named("InitiativeLabel", label)),
    }),
  });
}

/** The initiatives directly below another one. */
async function childrenOf({ context }: Work, initiativeId: string): Promise<string[]> {
  const links = await context.read.rows("InitiativeRelation", {
    args: {},
    where: having({ initiativeId }),
  });
  return links.map(({ relatedInitiativeId }) => relatedInitiativeId);
}

const STATUSES = ["Proposed", "Planned", "Active", "Completed", "Canceled"];

type SaveInitiative = {
  readonly id?: string;
  readonly name?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly patch?: readonly Edit[];
  readonly color?: string;
  readonly icon?: string;
  readonly status?: string;
  readonly priority?: number;
  readonly targetDate?: string;
  readonly owner?: string | null;
  readonly parentInitiatives?: readonly string[];
  readonly labels?: readonly string[];
};

const SUMMARY_MAX = 255;

async function saveInitiative(args: SaveInitiative, work: Work): Promise<object> {
  const { id: given, name, summary, color, icon, priority, targetDate } = args;
  requireIcon(icon);
  if (summary !== undefined && summary.length > SUMMARY_MAX)
    throw invalid(`description must be shorter than or equal to ${SUMMARY_MAX} characters`);
  const known = given === undefined ? undefined : await requireId(work, "Initiative", given);
  const content = await revise(work, args, ["description", args.description], async () => {
    return (await requireRow(work.context, "Initiative", known ?? "")).content;
  });
  if (!known && name === undefined)
    throw new Rejected("name is required when creating an initiative");
  const input = {
    name,
    description: summary,
    content,
    color,
    icon,
    priority,
    targetDate,
    status: statusOf(args.status),
    ownerId: await resolveGiven(work, "User", args.owner),
    labelIds: await resolveAll(work, "InitiativeLabel", args.labels),
  };
  const id = await change(work, known ? "initiativeUpdate" : "initiativeCreate", input, known);
  for (const parent of args.parentInitiatives ?? [])
    await work.ask(
      "mutation($input: InitiativeRelationCreateInput!) { initiativeRelationCreate(input: $input) { success } }",
      {
        input: { initiativeId: await resolve(work, "Initiative", parent), relatedInitiativeId: id },
      },
    );
  return await getOne(work, "initiative", id, INITIATIVE);
}

function statusOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const found = STATUSES.find((status) => status.toLowerCase() === given.toLowerCase());
  if (!found) throw new Rejected(`Could not find status "${given}"`);
  return found;
}

export const initiativeTools: Tools = {
  list_initiatives: listInitiatives,
  get_initiative: async (args: Parts & { readonly query: string }, work) =>
    await getOne(
      work,
      "initiative",
      await requireId(work, "Initiative", args.query),
      shapeFor(args),
    ),
  save_initiative: saveInitiative,
};
