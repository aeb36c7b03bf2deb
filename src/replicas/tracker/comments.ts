/** Comments: their subject, who is notified, and who may change them. */

import { together } from "~/db/session";
import type { RowObject } from "~/graphql/page";
import { addressAgents } from "~/replicas/tracker/agent-sessions";
import { createRow, newRow, type Optional } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, invalidInput, notFound } from "~/replicas/tracker/errors";
import { mentionsIn } from "~/replicas/tracker/issues/mentions";
import { requireAuthor, requireGiven, requireRow } from "~/replicas/tracker/require";
import { markdownOf, richText } from "~/replicas/tracker/rich-text";
import type { Row } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { announce } from "~/replicas/tracker/store/notifications";
import { listUsersNamed } from "~/replicas/tracker/store/users";

/** Possible subjects of a comment, by the field that refers to them. */
const TARGETS = {
  issueId: "Issue",
  projectId: "Project",
  projectUpdateId: "ProjectUpdate",
  initiativeId: "Initiative",
  initiativeUpdateId: "InitiativeUpdate",
  documentContentId: "DocumentContent",
  postId: "Post",
} as const;
type TargetField = keyof typeof TARGETS;
const FIELDS = Object.keys(TARGETS) as TargetField[];
/** Subjects besides issues whose comments notify mentioned users. */
const MENTIONING = [
  "projectId",
  "projectUpdateId",
  "initiativeId",
  "initiativeUpdateId",
] as const satisfies TargetField[];

export type CommentBody = {
  readonly body?: Optional<string>;
  readonly bodyData?: unknown;
};
export type CommentCreate = CommentBody & { readonly [F in TargetField]?: Optional<string> } & {
  readonly id?: Optional<string>;
  readonly createAsUser?: Optional<string>;
  readonly createdAt?: Optional<Date>;
  readonly displayIconUrl?: Optional<string>;
  readonly doNotSubscribeToIssue?: Optional<boolean>;
  readonly parentId?: Optional<string>;
  readonly quotedText?: Optional<string>;
  readonly subscriberIds?: Optional<readonly string[]>;
};

/** The text of an input, as Markdown and as a tree; undefined when it has none. */
export function bodyOf({ body, bodyData }: CommentBody) {
  const text =
    body ?? (bodyData === undefined || bodyData === null ? undefined : markdownOf(bodyData));
  if (text === undefined) return undefined;
  if (text.trim() === "")
    throw invalidArgument("body", text, "isNotEmpty", "body should not be empty");
  return { body: text, bodyData: richText(text) };
}

/** The one subject of a comment: from the input, or from the comment that it answers. */
async function targetOf(
  context: Context,
  input: CommentCreate,
  parent: RowObject | undefined,
): Promise<{ readonly field: TargetField; readonly row: RowObject }> {
  const named = FIELDS.filter((field) => input[field] !== null && input[field] !== undefined);
  if (named.length > 1) throw invalidInput(`A comment has only one subject: ${named.join(" or ")}`);
  const field = named[0] ?? FIELDS.find((name) => parent?.[name]);
  if (field === undefined)
    throw invalidArgument(
      "issueId",
      null,
      "isDefined",
      "One of issueId and the like must be given",
    );
  const id = input[field] ?? (parent?.[field] as string);
  const row = await requireRow(context, TARGETS[field], id);
  if (parent && parent[field] !== row.id)
    throw invalidInput("A reply has the same subject as the comment that it answers");
  return { field, row };
}

/** The root of a thread: a reply to a reply belongs to the root. */
async function rootOf(context: Context, id: Optional<string>): Promise<Row<"Comment"> | undefined> {
  const parent = await requireGiven(context, "Comment", "parentId", id);
  if (!parent?.["parentId"]) return parent;
  return await requireRow(context, "Comment", parent["parentId"]);
}

export async function createComment(
  context: Context,
  input: CommentCreate,
): Promise<Row<"Comment">> {
  const text = bodyOf(input);
  if (!text) throw invalidArgument("body", null, "isDefined", "body must be given");
  const parent = await rootOf(context, input.parentId);
  const { field, row } = await targetOf(context, input, parent);
  const { viewer } = context;
  const mentioned = await listUsersNamed(context.session, mentionsIn(text.body));
  const followers = [...mentioned, ...(input.subscriberIds ?? [])];
  for (const userId of input.subscriberIds ?? [])
    await requireGiven(context, "User", "subscriberIds", userId);
  const { id } = newRow(context, input.id);
  const inserted = createRow(context, "Comment", {
    ...text,
    id,
    createdAt: input.createdAt,
    quotedText: input.quotedText,
    userId: viewer.id,
    parentId: parent?.id,
    [field]: row.id,
    subscriberIds: [...new Set([viewer.id, ...followers])],
    botActor: input.createAsUser
      ? { type: "api", userDisplayName: input.createAsUser, avatarUrl: input.displayIconUrl }
      : null,
  });
  if (field !== "issueId") {
    await notifyMentioned(context, await inserted, mentioned);
    return await inserted;
  }
  const notified = notify(
    context,
    row.id,
    { id, parentId: parent?.id },
    {
      mentioned,
      followers: input.doNotSubscribeToIssue ? followers : [viewer.id, ...followers],
    },
  );
  const [comment] = await together([inserted, notified]);
  await addressAgents(context, comment, mentioned);
  return comment;
}

type About = { readonly projectId?: string | null; readonly initiativeId?: string | null };

/** Notifies the users whom a comment on a project, an initiative or an update mentions. */
export async function notifyMentioned(
  { session, read, viewer, now }: Context,
  comment: Row<"Comment">,
  userIds: readonly string[],
): Promise<void> {
  const field = MENTIONING.find((name) => comment[name]);
  if (field === undefined || userIds.length === 0) return;
  const id = comment[field] as string;
  const about = (await read.one(TARGETS[field], id)) as About | undefined;
  await announce(
    session,
    {
      type: `${field.slice(0, -"Id".length)}CommentMention`,
      userIds,
      ...(about?.projectId && { projectId: about.projectId }),
      ...(about?.initiativeId && { initiativeId: about.initiativeId }),
      [field]: id,
      commentId: comment.id,
      ...parentOf(comment),
    },
    { actor: viewer.id, now },
  );
}

/** A comment that is or will be inserted. */
type Written = { readonly id: string; readonly parentId: Optional<string> };

const parentOf = ({ parentId }: Written) => (parentId ? { parentCommentId: parentId } : {});

type Notified = {
  readonly mentioned: readonly string[];
  readonly followers: readonly string[];
  readonly isNew?: boolean;
};

/** Notifies the followers of the issue about a comment, and mentioned users about the mention. */
export async function notify(
  { session, viewer, now }: Context,
  issueId: string,
  comment: Written,
  { mentioned, followers, isNew = true }: Notified,
): Promise<void> {
  const about = {
    issueId,
    commentId: comment.id,
    ...parentOf(comment),
  };
  await writeEffects(
    session,
    {
      subscribed: followers.map((userId) => ({ issueId, userId })),
      notices: [
        ...(mentioned.length > 0
          ? [{ ...about, type: "issueCommentMention", userIds: mentioned }]
          : []),
        ...(isNew ? [{ ...about, type: "issueNewComment", subscribersBut: mentioned }] : []),
      ],
    },
    { actor: viewer.id, now },
  );
}

/** A comment that the viewer may change. */
export async function requireOwnComment(context: Context, id: string): Promise<Row<"Comment">> {
  const comment = await requireRow(context, "Comment", id);
  requireAuthor(context, comment, "a comment");
  return comment;
}

/** A root comment. */
export async function requireThread(context: Context, id: string): Promise<Row<"Comment">> {
  const comment = await requireRow(context, "Comment", id);
  if (comment["parentId"] !== null)
    throw invalidInput("Only the first comment of a thread can be resolved");
  return comment;
}

/** The comment of the thread that resolves it. */
export async function requireAnswer(
  context: Context,
  thread: Row<"Comment">,
  id: Optional<string>,
): Promise<string | null> {
  const answer = await requireGiven(context, "Comment", "resolvingCommentId", id);
  if (answer && answer.id !== thread.id && answer["parentId"] !== thread.id)
    throw notFound("Comment");
  return answer?.id ?? null;
}
