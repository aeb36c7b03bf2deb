/** Archiving, trash and permanent deletion. */
import { changeRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { historyOf, NO_LABELS } from "~/replicas/tracker/issues/history";
import type { Changes, Row } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import {
  deleteIssue,
  keepNumber,
  listTree,
  lockIssues,
} from "~/replicas/tracker/store/issues/update";
import { differences } from "~/replicas/tracker/store/write";

/** Archives, trashes or restores an issue, and records it in its history. */
async function keep(
  context: Context,
  issue: Row<"Issue">,
  changes: Changes<"Issue">,
): Promise<Row<"Issue">> {
  const different = differences(issue, changes);
  const history = historyOf(issue, different, NO_LABELS);
  if (!history) return issue;
  const written = await changeRow(context, "Issue", issue, different);
  const acting = { actor: context.viewer.id, now: context.now };
  await writeEffects(context.session, { history: [history] }, acting);
  return written;
}

export const archiveIssue = (context: Context, issue: Row<"Issue">): Promise<Row<"Issue">> =>
  keep(context, issue, { archivedAt: issue["archivedAt"] ?? context.now });

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
    const written = await keep(context, one, changes(one));
    if (one.id === issue.id) kept = written;
  }
  return kept;
}

/** Deletes an issue. Its number is never reused. */
export async function removeIssue({ session }: Context, issue: Row<"Issue">): Promise<void> {
  await keepNumber(session, issue.teamId, issue.number);
  await deleteIssue(session, issue.id);
}
