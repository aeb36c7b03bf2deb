/** Comments and their threads. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import { changeRow, type Given, type Optional, type Target } from "~/replicas/tracker/change";
import {
  bodyOf,
  type CommentBody,
  type CommentCreate,
  createComment,
  notify,
  notifyMentioned,
  requireAnswer,
  requireOwnComment,
  requireThread,
} from "~/replicas/tracker/comments";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, notFound } from "~/replicas/tracker/errors";
import { mentionsIn } from "~/replicas/tracker/issues/mentions";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import { deleteComments } from "~/replicas/tracker/store/comments";
import type { Entity, Row } from "~/replicas/tracker/store/entities";
import { withHash } from "~/replicas/tracker/store/lookups";
import { listUsersNamed } from "~/replicas/tracker/store/users";
import {
  documentUrl,
  initiativeUrl,
  issueUrl,
  projectUrl,
  workspaceUrl,
} from "~/replicas/tracker/urls";

const HASH_LENGTH = 8;

/** Subjects with a page, by the field that refers to them. */
const PAGES = [
  ["issueId", "Issue", issueUrl],
  ["projectId", "Project", projectUrl],
  ["initiativeId", "Initiative", initiativeUrl],
  ["documentId", "Document", documentUrl],
] as const;

/** Subjects on the page of another entity, and the path there. */
const PLACES = [
  ["projectUpdateId", "ProjectUpdate", "/updates"],
  ["initiativeUpdateId", "InitiativeUpdate", "/updates"],
  ["documentContentId", "DocumentContent", ""],
  ["projectMilestoneId", "ProjectMilestone", ""],
] as const;

/** The page of a comment, or of its subject. */
async function pageUrl(row: RowObject, context: Context): Promise<string> {
  const read = async (key: string, type: Entity) =>
    row[key] ? await context.read.one(type, row[key] as string) : undefined;
  for (const [key, type, urlOf] of PAGES) {
    const subject = await read(key, type);
    if (subject) return urlOf(context, subject);
  }
  for (const [key, type, path] of PLACES) {
    const subject = await read(key, type);
    if (subject) return `${await pageUrl(subject, context)}${path}`;
  }
  return workspaceUrl(context);
}

type Address = { readonly id?: Optional<string>; readonly hash?: Optional<string> };

async function requireComment(
  context: Context,
  { id, hash }: Address,
  fields: ReadonlySet<string>,
) {
  if (id !== null && id !== undefined) return await requireRow(context, "Comment", id, fields);
  if (!hash) throw invalidArgument("id", null, "isDefined", "id or hash must be given");
  const comment = await context.read.find("Comment", withHash(hash), { fields });
  if (!comment) throw notFound("Comment");
  return comment;
}

type Update = CommentBody & {
  readonly quotedText?: Optional<string>;
  readonly resolvingCommentId?: Optional<string>;
  readonly resolvingUserId?: Optional<string>;
  readonly subscriberIds?: Optional<readonly string[]>;
};

/** Changes of an update to the resolution of a thread. */
async function resolution(context: Context, comment: Row<"Comment">, input: Update) {
  const { resolvingUserId, resolvingCommentId } = input;
  if (resolvingUserId === undefined && resolvingCommentId === undefined) return {};
  const user = await requireGiven(context, "User", "resolvingUserId", resolvingUserId);
  const answer = await requireAnswer(context, comment, resolvingCommentId);
  const isResolved = user !== undefined || answer !== null;
  return {
    resolvedAt: isResolved ? (comment["resolvedAt"] ?? context.now) : null,
    resolvingUserId: isResolved ? (user?.id ?? context.viewer.id) : null,
    resolvingCommentId: answer,
  };
}

export const comments: Resolvers<Context> = {
  Comment: {
    hideInLinear: () => false,
    isArtificialAgentSessionRoot: () => false,
    url: async (comment: Row<"Comment">, _args, context) =>
      `${await pageUrl(comment, context)}#comment-${comment.id.slice(0, HASH_LENGTH)}`,
  },
  Query: {
    comment: async (
      _source,
      { issueId, ...address }: Address & { issueId?: Optional<string> },
      context,
      info,
    ) => {
      const comment = await requireComment(context, address, info.fields);
      if (issueId === null || issueId === undefined) return comment;
      const issue = await requireRow(context, "Issue", issueId);
      if (comment["issueId"] !== issue.id) throw notFound("Comment");
      return comment;
    },
  },
  Mutation: {
    commentCreate: async (_source, { input }: Given<CommentCreate>, context) => ({
      comment: await createComment(context, input),
    }),

    commentUpdate: async (
      _source,
      { id, input, skipEditedAt }: Target & Given<Update> & { skipEditedAt?: Optional<boolean> },
      context,
    ) => {
      const before = await requireOwnComment(context, id);
      const text = bodyOf(input);
      const isEdited = text !== undefined && text.body !== before["body"];
      const comment = await changeRow(context, "Comment", before, {
        ...text,
        quotedText: input.quotedText,
        subscriberIds: input.subscriberIds ?? undefined,
        editedAt: isEdited && !skipEditedAt ? context.now : undefined,
        ...(await resolution(context, before, input)),
      });
      const issueId = comment["issueId"];
      const old = new Set(mentionsIn(before.body));
      const names = isEdited ? mentionsIn(text.body).filter((name) => !old.has(name)) : [];
      const mentioned = await listUsersNamed(context.session, names);
      if (!issueId) await notifyMentioned(context, comment, mentioned);
      else if (mentioned.length > 0)
        await notify(context, issueId, comment, {
          mentioned,
          followers: mentioned,
          isNew: false,
        });
      return { comment };
    },

    commentDelete: async (_source, { id }: Target, context) => {
      const comment = await requireOwnComment(context, id);
      await deleteComments(context.session, comment.id);
      return { entityId: comment.id };
    },

    commentResolve: async (
      _source,
      { id, resolvingCommentId }: Target & { resolvingCommentId?: Optional<string> },
      context,
    ) => {
      const thread = await requireThread(context, id);
      const answer = await requireAnswer(context, thread, resolvingCommentId);
      const comment = await changeRow(context, "Comment", thread, {
        resolvedAt: thread["resolvedAt"] ?? context.now,
        resolvingUserId: context.viewer.id,
        resolvingCommentId: answer,
      });
      return { comment };
    },

    commentUnresolve: async (_source, { id }: Target, context) => {
      const thread = await requireThread(context, id);
      const open = { resolvedAt: null, resolvingUserId: null, resolvingCommentId: null };
      return { comment: await changeRow(context, "Comment", thread, open) };
    },
  },
};
