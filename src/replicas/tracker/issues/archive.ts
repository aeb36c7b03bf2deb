/** Archiving, trash and permanent deletion. */
import type { Context } from "~/replicas/tracker/context";
import { recordChange } from "~/replicas/tracker/issues/record";
import type { Changes, Row } from "~/replicas/tracker/store/entities";
import {
  deleteIssue,
  keepNumber,
  listTree,
  lockIssues,
} from "~/replicas/tracker/store/issues/update";

export const archiveIssue = (context: Context, issue: Row<"Issue">): Promise<Row<"Issue">> =>
  recordChange(context, issue, { archivedAt: issue["archivedAt"] ?? context.now });

/** Trashes an issue with its sub-issues. */
export const trashIssue = (context: Context, issue: Row<"Issue">): Promise<Row<"Issue">> => {
  const archivedAt = issue["archivedAt"] ?? context.now;
  return keepTree(context, issue, (one) => ({
    archivedAt: one["archivedAt"] ?? archivedAt,
    trashed: true,
  }));
};

/** Restores an issue, and the sub-issues that were trashed with it. `issue`: as it was in the trash. */
export const restoreIssue = (context: Context, issue: Row<"Issue">): Promise<Row<"Issue">> =>
  keepTree(context, issue, (one) =>
    one.id === issue.id || isTrashedWith(issue, one) ? { archivedAt: null, trashed: null } : {},
  );

const isTrashedWith = (issue: Row<"Issue">, one: Row<"Issue">) =>
  issue["trashed"] === true &&
  one["trashed"] === true &&
  Number(one["archivedAt"]) === Number(issue["archivedAt"]);

async function keepTree(
  context: Context,
  issue: Row<"Issue">,
  changes: (one: Row<"Issue">) => Changes<"Issue">,
): Promise<Row<"Issue">> {
  const tree = await lockIssues(context.session, await listTree(context.session, issue.id));
  let kept = issue;
  for (const one of tree) {
    const written = await recordChange(context, one, changes(one));
    if (one.id === issue.id) kept = written;
  }
  return kept;
}

/** Deletes an issue. Its number is never reused. */
export async function removeIssue({ session }: Context, issue: Row<"Issue">): Promise<void> {
  await keepNumber(session, issue.teamId, issue.number);
  await deleteIssue(session, issue.id);
}
