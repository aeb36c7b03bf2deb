/** The mutations of issues. */

import type { Resolvers } from "~/graphql/resolvers";
import { isUuid } from "~/graphql/uuid";
import { changeRow, type Given, type Optional, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, notFound } from "~/replicas/tracker/errors";
import {
  archiveIssue,
  removeIssue,
  restoreIssue,
  trashIssue,
} from "~/replicas/tracker/issues/archive";
import { createIssues, type IssueCreate } from "~/replicas/tracker/issues/create";
import type { IssueUpdate } from "~/replicas/tracker/issues/issue-columns";
import { updateIssues } from "~/replicas/tracker/issues/update";
import { requireAdmin, requireGiven, requireRow } from "~/replicas/tracker/require";
import type { Row } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { findUserId } from "~/replicas/tracker/store/users";

const BATCH_MAX = 50;

function requireBatch(property: string, list: readonly unknown[]): void {
  if (list.length === 0)
    throw invalidArgument(
      property,
      0,
      "arrayMinSize",
      `${property} must contain at least 1 elements`,
    );
  if (list.length > BATCH_MAX)
    throw invalidArgument(
      property,
      list.length,
      "arrayMaxSize",
      `${property} must contain no more than ${BATCH_MAX} elements`,
    );
}

/** Changes one issue, found by its id or identifier. If nothing is hidden from the viewer, its lock finds it by id. */
async function update(context: Context, id: string, input: IssueUpdate) {
  const isFound = isUuid(id) && context.hiddenTeamIds.length === 0;
  const issueId = isFound ? id.toLowerCase() : (await requireRow(context, "Issue", id)).id;
  const [changed] = await updateIssues(context, [issueId], input);
  return { issue: changed };
}

type Follower = Target & {
  readonly userId?: Optional<string>;
  readonly userEmail?: Optional<string>;
};

/** The user with this id or email; the viewer when none is given. */
async function followerOf(context: Context, { userId, userEmail }: Follower): Promise<string> {
  const user = await requireGiven(context, "User", "userId", userId);
  if (user) return user.id;
  if (userEmail === null || userEmail === undefined) return context.viewer.id;
  const id = await findUserId(context.session, { email: userEmail });
  if (id === undefined) throw notFound("User");
  return id;
}

async function changeFollower(
  context: Context,
  args: Follower,
  effect: "subscribed" | "unsubscribed",
) {
  const issue = await requireRow(context, "Issue", args.id);
  const rows = [{ issueId: issue.id, userId: await followerOf(context, args) }];
  const acting = { actor: context.viewer.id, now: context.now };
  await writeEffects(context.session, { [effect]: rows }, acting);
  return { issue };
}

type Shared = Target & { readonly userId: string };

async function share(
  context: Context,
  { id, userId }: Shared,
  { isShared }: { readonly isShared: boolean },
) {
  const issue = await requireRow(context, "Issue", id);
  const user = await requireRow(context, "User", userId);
  const others = issue["sharedWithUserIds"].filter((one) => one !== user.id);
  const sharedWithUserIds = isShared ? [...others, user.id] : others;
  return { issue: await changeRow(context, "Issue", issue, { sharedWithUserIds }) };
}

export const issueChanges: Resolvers<Context> = {
  Mutation: {
    issueCreate: async (_source, { input }: Given<IssueCreate>, context) => {
      const { issues, lastSyncId } = await createIssues(context, [input]);
      return { issue: issues[0], lastSyncId };
    },

    issueBatchCreate: async (
      _source,
      { input }: Given<{ readonly issues: readonly IssueCreate[] }>,
      context,
    ) => {
      requireBatch("issues", input.issues);
      return await createIssues(context, input.issues);
    },

    issueUpdate: (_source, { id, input }: Target & Given<IssueUpdate>, context) =>
      update(context, id, input),

    issueBatchUpdate: async (
      _source,
      { ids, input }: { readonly ids: readonly string[] } & Given<IssueUpdate>,
      context,
    ) => {
      requireBatch("ids", ids);
      for (const id of ids) await requireRow(context, "Issue", id);
      return { issues: await updateIssues(context, ids, input) };
    },

    issueAddLabel: (_source, { id, labelId }: Target & { labelId: string }, context) =>
      update(context, id, { addedLabelIds: [labelId] }),

    issueRemoveLabel: async (_source, { id, labelId }: Target & { labelId: string }, context) => {
      const label = await requireGiven(context, "IssueLabel", "labelId", labelId);
      return await update(context, id, { removedLabelIds: label ? [label.id] : [] });
    },

    issueArchive: async (
      _source,
      { id, trash }: Target & { trash?: Optional<boolean> },
      context,
    ) => {
      const issue = await requireRow(context, "Issue", id);
      const archive = trash ? trashIssue : archiveIssue;
      return { entity: await archive(context, issue) };
    },

    issueDelete: async (
      _source,
      { id, permanentlyDelete }: Target & { permanentlyDelete?: Optional<boolean> },
      context,
    ) => {
      const issue = await requireRow(context, "Issue", id);
      if (!permanentlyDelete) return { entity: await trashIssue(context, issue) };
      requireAdmin(context);
      await removeIssue(context, issue);
      return { entity: null };
    },

    issueUnarchive: async (_source, { id }: Target, context) => {
      const issue = await requireRow(context, "Issue", id);
      return { entity: await restoreIssue(context, issue) };
    },

    issueSubscribe: (_source, args: Follower, context) =>
      changeFollower(context, args, "subscribed"),
    issueUnsubscribe: (_source, args: Follower, context) =>
      changeFollower(context, args, "unsubscribed"),
    issueShare: (_source, args: Shared, context) => share(context, args, { isShared: true }),
    issueUnshare: (_source, args: Shared, context) => share(context, args, { isShared: false }),

    issueReminder: async (_source, { id, reminderAt }: Target & { reminderAt: Date }, context) => {
      const issue = await requireRow(context, "Issue", id);
      if (reminderAt <= context.now)
        throw invalidArgument(
          "reminderAt",
          reminderAt,
          "minDate",
          `reminderAt must be in the future: the time is ${context.now.toISOString()}`,
        );
      const { viewer, session, now } = context;
      const reminder = {
        type: "issueReminder",
        issueId: issue.id,
        userIds: [viewer.id],
        snoozedUntilAt: reminderAt,
      };
      await writeEffects(session, { notices: [reminder] }, { actor: viewer.id, now });
      return { issue };
    },

    issueExternalSyncDisable: async (
      _source,
      { attachmentId }: { attachmentId: string },
      context,
    ) => {
      const attachment: Row<"Attachment"> = await requireRow(context, "Attachment", attachmentId);
      return { issue: await requireRow(context, "Issue", attachment["issueId"]) };
    },
  },
};
