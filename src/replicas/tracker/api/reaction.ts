/** Reactions. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import { createRow, type Given, type Optional, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { emojiName } from "~/replicas/tracker/emoji";
import { forbidden, invalidArgument, invalidInput, notFound } from "~/replicas/tracker/errors";
import { requireRow } from "~/replicas/tracker/require";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { having } from "~/replicas/tracker/store/lookups";
import { deleteRows } from "~/replicas/tracker/store/write";

/** Possible targets of a reaction, by the field that refers to them. */
const TARGETS = {
  commentId: "Comment",
  issueId: "Issue",
  projectUpdateId: "ProjectUpdate",
  initiativeUpdateId: "InitiativeUpdate",
  postId: "Post",
  pullRequestCommentId: "PullRequestComment",
  pullRequestId: "PullRequest",
} as const;
type TargetField = keyof typeof TARGETS;

type Create = { readonly [F in TargetField]?: Optional<string> } & {
  readonly id?: Optional<string>;
  readonly emoji: string;
};

const EMOJI_MAX = 100;

/** Notifies the author of the text, if it is about an issue. */
async function notify(
  { session, viewer, now }: Context,
  field: TargetField,
  target: RowObject,
  emoji: string,
): Promise<void> {
  const isComment = field === "commentId";
  const issueId = isComment ? target["issueId"] : field === "issueId" && target.id;
  const author = isComment ? target["userId"] : target["creatorId"];
  if (typeof issueId !== "string" || typeof author !== "string") return;
  const notice = {
    type: isComment ? "issueCommentReaction" : "issueEmojiReaction",
    issueId,
    userIds: [author],
    reactionEmoji: emoji,
    ...(isComment && { commentId: target.id }),
  };
  await writeEffects(session, { notices: [notice] }, { actor: viewer.id, now });
}

export const reactions: Resolvers<Context> = {
  Mutation: {
    reactionCreate: async (_source, { input }: Given<Create>, context) => {
      const emoji = emojiName(input.emoji);
      if (emoji === "" || emoji.length > EMOJI_MAX)
        throw invalidArgument("emoji", input.emoji, "length", "emoji must be the name of an emoji");
      const named = (Object.keys(TARGETS) as TargetField[]).filter((field) => input[field]);
      const [field] = named;
      if (field === undefined || named.length > 1)
        throw invalidInput("A reaction has exactly one target");
      const target = await requireRow(context, TARGETS[field], input[field] ?? "");
      const mine = { userId: context.viewer.id, emoji, [field]: target.id };
      const known = await context.read.find("Reaction", having(mine));
      if (known) return { reaction: known };
      const reaction = await createRow(context, "Reaction", { ...mine, id: input.id });
      await notify(context, field, target, emoji);
      return { reaction };
    },

    reactionDelete: async (_source, { id }: Target, context) => {
      const reaction = await context.read.one("Reaction", id);
      if (!reaction) throw notFound("Reaction");
      if (reaction["userId"] !== context.viewer.id)
        throw forbidden("Only the author of a reaction can remove it");
      await deleteRows(context.session, "Reaction", [reaction.id]);
      return { entityId: reaction.id };
    },
  },
};
