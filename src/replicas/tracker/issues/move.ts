/** Moves several issues together. */
import type { Context } from "~/replicas/tracker/context";
import { historyOf, NO_LABELS } from "~/replicas/tracker/issues/history";
import type { Changes } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { lockIssues, setIssues } from "~/replicas/tracker/store/issues/update";
import { differences } from "~/replicas/tracker/store/write";

/** Sets or clears the project, milestone or cycle of issues, and records it in the history of each. */
export async function moveIssues(
  { session, viewer, now }: Context,
  ids: readonly string[],
  place: Changes<"Issue">,
): Promise<void> {
  const issues = await lockIssues(session, ids);
  if (issues.length === 0) return;
  await setIssues(session, ids, { ...place, updatedAt: now });
  const history = issues
    .map((issue) => historyOf(issue, differences(issue, place), NO_LABELS))
    .filter((row) => row !== undefined);
  await writeEffects(session, { history }, { actor: viewer.id, now });
}

export const moveToCycle = (
  context: Context,
  ids: readonly string[],
  cycleId: string | null,
): Promise<void> =>
  moveIssues(context, ids, { cycleId, addedToCycleAt: cycleId === null ? null : context.now });
