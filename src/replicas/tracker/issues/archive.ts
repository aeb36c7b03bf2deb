/** Archiving, the trash, and removal for good. */
import type { RowObject } from "~/graphql/page";
import { changeRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { historyOf, NO_LABELS } from "~/replicas/tracker/issues/history";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import {
  deleteIssue,
  keepNumber,
  listTree,
  lockIssues,
} from "~/replicas/tracker/store/issues/update";
import { differences, type Values } from "~/replicas/tracker/store/write";

/** Changes what says where an issue is kept, and remembers it in its history. */
async function keep(context: Context, issue: RowObject, changes: Values): Promise<RowObject> {
  const different = differences(issue, changes);
  const history = historyOf(issue, different, NO_LABELS);
  if (!history) return issue;
  const written = await changeRow(context, "Issue", issue, different);
  const acting = { actor: context.viewer.id, now: context.now };
  await writeEffects(context.session, { history: [history] }, acting);
  return written;
}

export const archiveIssue = (context: Context, issue: RowObject): Promise<RowObject> =>
  keep(context, issue, { archivedAt: issue["archivedAt"] ?? context.now });

/** Its sub-issues go with it. */
export const trashIssue = (context: Context, issue: RowObject): Promise<RowObject> => {
  const archivedAt = issue["archivedAt"] ?? context.now;
  return keepTree(context, issue, (one) => ({
    archivedAt: one["archivedAt"] ?? archivedAt,
    trashed: true,
  }));
};

/** `issue`: as it was in the trash. The sub-issues that went there with it come back with it. */
export const restoreIssue = (context: Context, issue: RowObject): Promise<RowObject> =>
  keepTree(context, issue, (one) =>
    one.id === issue.id || isTrashedWith(issue, one) ? { archivedAt: null, trashed: null } : {},
  );

const isTrashedWith = (issue: RowObject, one: RowObject) =>
  issue["trashed"] === true &&
  one["trashed"] === true &&
  Number(one["archivedAt"]) === Number(issue["archivedAt"]);

async function keepTree(
  context: Context,
  issue: RowObject,
  changes: (one: RowObject) => Values,
): Promise<RowObject> {
  const tree = await lockIssues(context.session, await listTree(context.session, issue.id));
  let kept = issue;
  for (const one of tree) {
    const written = await keep(context, one, changes(one));
    if (one.id === issue.id) kept = written;
  }
  return kept;
}

/** Its number is never given again. */
export async function removeIssue({ session }: Context, issue: RowObject): Promise<void> {
  const { teamId, number } = issue as unknown as { teamId: string; number: number };
  await keepNumber(session, teamId, number);
  await deleteIssue(session, issue.id);
}
