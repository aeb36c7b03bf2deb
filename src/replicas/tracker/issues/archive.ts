/** Archiving, the trash, and removal for good. */
import type { RowObject } from "~/graphql/page";
import { changeRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { historyOf } from "~/replicas/tracker/issues/history";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import {
  deleteIssue,
  keepNumber,
  listTree,
  lockIssues,
} from "~/replicas/tracker/store/issues/update";
import { differences, type Values } from "~/replicas/tracker/store/write";

const NO_LABELS = { added: [], removed: [] };

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
export async function trashIssue(context: Context, issue: RowObject): Promise<RowObject> {
  const tree = await lockIssues(context.session, await listTree(context.session, issue.id));
  let trashed = issue;
  for (const one of tree) {
    const archivedAt = one["archivedAt"] ?? context.now;
    const written = await keep(context, one, { archivedAt, trashed: true });
    if (one.id === issue.id) trashed = written;
  }
  return trashed;
}

export const restoreIssue = (context: Context, issue: RowObject): Promise<RowObject> =>
  keep(context, issue, { archivedAt: null, trashed: null });

/** Its number is never given again. */
export async function removeIssue({ session }: Context, issue: RowObject): Promise<void> {
  const { teamId, number } = issue as unknown as { teamId: string; number: number };
  await keepNumber(session, teamId, number);
  await deleteIssue(session, issue.id);
}
