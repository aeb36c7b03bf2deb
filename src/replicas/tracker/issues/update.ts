/** Updates of issues: reads what the input refers to, computes the changes, writes them. */
import { together } from "~/db/session";
import { delegate } from "~/replicas/tracker/agent-sessions";
import { changeRow, createRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { restoreIssue, trashIssue } from "~/replicas/tracker/issues/archive";
import {
  type Closing,
  changeOf,
  changesOf,
  type IssueChange,
} from "~/replicas/tracker/issues/issue-change";
import type { IssueUpdate } from "~/replicas/tracker/issues/issue-columns";
import { closedWith } from "~/replicas/tracker/issues/placement";
import { readIssueReferences } from "~/replicas/tracker/issues/references";
import { readForUpdate } from "~/replicas/tracker/issues/update-lookups";
import type { Row } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { keepNumber, listOpenChildren, lockIssues } from "~/replicas/tracker/store/issues/update";
import { deleteRows } from "~/replicas/tracker/store/write";

/** Updates issues, all or none. Returns them in the order of the ids. */
export async function updateIssues(
  context: Context,
  ids: readonly string[],
  input: IssueUpdate,
): Promise<readonly Row<"Issue">[]> {
  if (input.labelIds && (input.addedLabelIds || input.removedLabelIds))
    throw invalidInput("labelIds cannot be combined with addedLabelIds or removedLabelIds");
  const { issues, lookups } = await readForUpdate(context, ids, input);
  const written = await writeChanges(context, changesOf(context, issues, input, lookups));
  const byId = new Map(written.map((issue) => [issue.id, issue]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Writes the changes, then their consequences for related issues, which can be others of the list. */
async function writeChanges(
  context: Context,
  changes: readonly IssueChange[],
): Promise<readonly Row<"Issue">[]> {
  const written: Row<"Issue">[] = [];
  for (const change of changes) written.push(await writeChange(context, change));
  for (const [index, { issue, trashed, closing }] of changes.entries()) {
    // Even if the issue was in the trash already: a sub-issue may be new.
    if (trashed === true) await trashIssue(context, written[index] ?? issue);
    if (trashed === false) await restoreIssue(context, issue);
    if (closing) await closeAround(context, issue.id, closing);
  }
  return written;
}

async function writeChange(
  context: Context,
  { issue, columns, effects, releases, isMoved, isOpen }: IssueChange,
): Promise<Row<"Issue">> {
  if (Object.keys(columns).length === 0) return issue;
  const { session, now, viewer } = context;
  const [written] = await together([
    changeRow(context, "Issue", issue, columns),
    isMoved && keepNumber(session, issue.teamId, issue.number),
    writeEffects(session, effects, { actor: viewer.id, now, isOpen }),
  ]);
  if (columns.delegateId !== issue.delegateId)
    await delegate(context, [{ id: issue.id, delegateId: columns.delegateId }]);
  if (releases.removed.length > 0) await deleteRows(session, "IssueToRelease", releases.removed);
  for (const releaseId of releases.added)
    await createRow(context, "IssueToRelease", { issueId: issue.id, releaseId });
  return written;
}

/** Closes the open sub-issues of a closed issue, and its parent after the last one. */
async function closeAround(
  context: Context,
  issueId: string,
  { type, children, parentId }: Closing,
): Promise<void> {
  const { session } = context;
  if (children)
    for (const id of await listOpenChildren(session, issueId))
      await closeIssue(context, id, type, { autoClosedByParentClosing: true });
  if (parentId !== null && (await listOpenChildren(session, parentId)).length === 0)
    await closeIssue(context, parentId, "completed", {});
}

/** Moves an issue to the first state of this type, or a similar one, in its team. */
async function closeIssue(
  context: Context,
  id: string,
  type: string,
  also: IssueUpdate,
): Promise<void> {
  const [[issue], lookups] = await together([
    lockIssues(context.session, [id]),
    readIssueReferences(context, [], { teamsOf: [id] }),
  ]);
  const state = issue && closedWith(issue.stateId, type, lookups);
  if (!state) return;
  const input = { ...also, stateId: state.id };
  const known = { ...lookups, duplicateIds: [], releases: [] };
  await writeChanges(context, [changeOf(context, issue, input, known)]);
}
