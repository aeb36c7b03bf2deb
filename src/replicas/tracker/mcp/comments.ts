/** Comments on issues, projects, initiatives, documents, milestones and status updates. */
import type { RowObject } from "~/graphql/page";
import { requireId } from "~/replicas/tracker/mcp/names";
import {
  act,
  change,
  getOne,
  type ListArguments,
  listPage,
  optional,
  type Shape,
} from "~/replicas/tracker/mcp/shape";
import { DONE, notThere, Rejected, type Tools, type Work } from "~/replicas/tracker/mcp/tool";
import { requireRow } from "~/replicas/tracker/require";

const COMMENT: Shape = {
  id: "id",
  body: "body",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
  parentId: "parentId",
  resolvedAt: "resolvedAt",
  quotedText: "quotedText",
  author: ["user { id name }", (comment) => comment.user],
  onBehalfOf: optional("onBehalfOf { id name }", (comment) => comment.onBehalfOf),
};

const PARENTS = [
  "issueId",
  "projectId",
  "initiativeId",
  "documentId",
  "milestoneId",
  "statusUpdateId",
] as const;
type Parents = { readonly [P in (typeof PARENTS)[number]]?: string } & {
  readonly statusUpdateType?: "project" | "initiative";
};

/** The field of a comment that refers to its subject, and the subject's id. */
type Subject = { readonly key: string; readonly id: string };

/** Parents with a row of their own: the field of the comment, the entity, and the column with the id in the field. */
const TARGETS = {
  projectId: ["projectId", "Project", "id"],
  initiativeId: ["initiativeId", "Initiative", "id"],
  documentId: ["documentContentId", "Document", "documentContentId"],
  milestoneId: ["documentContentId", "ProjectMilestone", "documentContentId"],
} as const;

async function subjectOf(args: Parents, work: Work): Promise<Subject> {
  const { context } = work;
  const [name, more] = PARENTS.filter((parent) => args[parent] !== undefined);
  if (name === undefined || more !== undefined)
    throw new Rejected(`provide exactly one of ${PARENTS.join(", ")}`);
  if (name === "statusUpdateId") return await updateOf(args, work);
  refuseType(args);
  const given = args[name] ?? "";
  if (name === "issueId")
    return { key: "issueId", id: (await requireRow(context, "Issue", given)).id };
  const [key, type, column] = TARGETS[name];
  const row: RowObject = await requireRow(context, type, await requireId(work, type, given));
  return { key, id: String(row[column]) };
}

function refuseType({ statusUpdateType }: Parents): void {
  if (statusUpdateType !== undefined)
    throw new Rejected("statusUpdateType can only be used with statusUpdateId");
}

/** Without a type, a status update of either type. */
async function updateOf(args: Parents, { context }: Work): Promise<Subject> {
  const { statusUpdateId: id = "", statusUpdateType: type } = args;
  if (type !== "initiative" && (await context.read.one("ProjectUpdate", id)))
    return { key: "projectUpdateId", id };
  if (type !== "project" && (await context.read.one("InitiativeUpdate", id)))
    return { key: "initiativeUpdateId", id };
  throw notThere(type === "initiative" ? "InitiativeUpdate" : "ProjectUpdate");
}

/** The filter of comments on a subject. */
const FILTERS: Readonly<Record<string, string>> = {
  issueId: "issue",
  projectId: "project",
  initiativeId: "initiative",
  documentContentId: "documentContent",
  projectUpdateId: "projectUpdate",
  initiativeUpdateId: "initiativeUpdate",
};
const on = ({ key, id }: Subject) => ({ [FILTERS[key] ?? key]: { id: { eq: id } } });

type SaveComment = Parents & {
  readonly id?: string;
  readonly parentId?: string;
  readonly body: string;
};

async function saveComment(args: SaveComment, work: Work): Promise<object> {
  const { id, parentId, body } = args;
  if (id !== undefined || parentId !== undefined) refuseType(args);
  const saved =
    id === undefined
      ? await change(work, "commentCreate", { body, ...(await placeOf(args, work)) })
      : await change(work, "commentUpdate", { body }, id);
  return await getOne(work, "comment", saved, COMMENT);
}

async function placeOf(args: SaveComment, work: Work): Promise<object> {
  if (args.parentId !== undefined) return { parentId: args.parentId };
  const subject = await subjectOf(args, work);
  return {
    [subject.key]: subject.id,
    ...(args.statusUpdateId !== undefined && { parentId: await threadOn(subject, work) }),
  };
}

/** The one thread of a status update, if somebody has begun it. */
async function threadOn(subject: Subject, { ask }: Work): Promise<string | undefined> {
  const { comments } = await ask(
    "query($filter: CommentFilter) { comments(last: 1, filter: $filter) { nodes { id } } }",
    { filter: { ...on(subject), parent: { null: true } } },
  );
  return comments.nodes[0]?.id;
}

async function deleteComment({ id }: { readonly id: string }, work: Work): Promise<object> {
  const comment = await requireRow(work.context, "Comment", id);
  if (comment.quotedText !== null && comment.parentId === null)
    throw new Rejected("The root of an inline comment cannot be deleted");
  await act(work, "commentDelete", comment.id);
  return DONE;
}

export const commentTools: Tools = {
  list_comments: async (args: ListArguments & Parents, work) =>
    await listPage(work, args, {
      plural: "comments",
      field: "comments",
      type: "Comment",
      shape: COMMENT,
      filter: on(await subjectOf(args, work)),
    }),
  save_comment: saveComment,
  delete_comment: deleteComment,
};
