/** Documents, and the help pages of the vendor. */
import { filterOf, requireId, resolve } from "~/replicas/tracker/mcp/names";
import { type Edit, revise } from "~/replicas/tracker/mcp/patch";
import { requireIcon } from "~/replicas/tracker/mcp/projects";
import {
  change,
  containing,
  getOne,
  type ListArguments,
  listPage,
  type Shape,
  shortened,
} from "~/replicas/tracker/mcp/shape";
import { Rejected, type Tools, type Work } from "~/replicas/tracker/mcp/tool";
import { requireRow } from "~/replicas/tracker/require";

const DOCUMENT: Shape = {
  id: "id",
  title: "title",
  content: "content",
  icon: "icon",
  color: "color",
  url: "url",
  slugId: "slugId",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
  archivedAt: "archivedAt",
  creator: "creator { id name }",
  updatedBy: "updatedBy { id name }",
  project: "project { id name }",
  initiative: "initiative { id name }",
  team: "team { id name }",
  issue: [
    "issue { identifier title }",
    ({ issue }) => issue && { id: issue.identifier, title: issue.title },
  ],
};
const LISTED: Shape = {
  ...DOCUMENT,
  content: ["content", ({ content }) => shortened(content, "get_document")],
};

type ListDocuments = ListArguments & {
  readonly query?: string;
  readonly projectId?: string;
  readonly initiativeId?: string;
  readonly teamId?: string;
  readonly creatorId?: string;
};

const byId = (id: string | undefined) => (id === undefined ? undefined : { id: { eq: id } });

const listDocuments = (args: ListDocuments, work: Work) =>
  listPage(work, args, {
    plural: "documents",
    field: "documents",
    type: "Document",
    shape: LISTED,
    filter: filterOf({
      or:
        args.query === undefined
          ? undefined
          : [{ title: containing(args.query) }, { searchableContent: { contains: args.query } }],
      project: byId(args.projectId),
      initiative: byId(args.initiativeId),
      team: byId(args.teamId),
      creator: byId(args.creatorId),
    }),
  });

const PARENTS = ["project", "issue", "initiative", "cycle", "team"] as const;

type SaveDocument = { readonly [P in (typeof PARENTS)[number]]?: string } & {
  readonly id?: string;
  readonly title?: string;
  readonly content?: string;
  readonly patch?: readonly Edit[];
  readonly icon?: string;
  readonly color?: string;
};

async function saveDocument(args: SaveDocument, work: Work): Promise<object> {
  const { id: given, title, icon, color } = args;
  requireIcon(icon);
  const known = given === undefined ? undefined : await requireId(work, "Document", given);
  const content = await revise(work, args, ["content", args.content], async () => {
    return (await requireRow(work.context, "Document", known ?? "")).content;
  });
  if (!known && title === undefined)
    throw new Rejected("title is required when creating a document");
  const input = { title, icon, color, content, ...(await placeOf(args, work)) };
  const id = await change(work, known ? "documentUpdate" : "documentCreate", input, known);
  return await getOne(work, "document", id, DOCUMENT);
}

/** The one parent of a document. A team beside a cycle only says which team's cycle it is. */
async function placeOf(args: SaveDocument, work: Work): Promise<object> {
  const { project, issue, initiative, cycle, team } = args;
  const given = PARENTS.filter((name) => args[name] !== undefined);
  const parents = cycle === undefined ? given : given.filter((name) => name !== "team");
  if (parents.length > 1 || (parents.length === 0 && args.id === undefined))
    throw new Rejected(`provide exactly one of ${PARENTS.join(", ")}`);
  if (project !== undefined) return { projectId: await resolve(work, "Project", project) };
  if (initiative !== undefined)
    return { initiativeId: await resolve(work, "Initiative", initiative) };
  if (issue !== undefined) return { issueId: (await requireRow(work.context, "Issue", issue)).id };
  const teamId = team === undefined ? undefined : await resolve(work, "Team", team);
  if (cycle === undefined) return { teamId };
  const among = teamId === undefined ? {} : { filter: { team: { id: { eq: teamId } } } };
  return { cycleId: await resolve(work, "Cycle", cycle, among) };
}

export const documentTools: Tools = {
  list_documents: listDocuments,
  get_document: async ({ id }: { readonly id: string }, work) =>
    await getOne(work, "document", id, DOCUMENT),
  save_document: saveDocument,
  // The vendor's help pages are not part of the replica.
  search_documentation: async () => ({ results: [], hasNextPage: false }),
};
