/** Moves several issues together. */
import { historyOf, NO_LABELS } from "~/replicas/tracker/issues/history";
import type { Changes } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { lockIssues, setIssues } from "~/replicas/tracker/store/issues/update";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { differences } from "~/replicas/tracker/store/write";

/** A change by a user, or by the service itself: then the actor has no id. */
export type Moving = {
  readonly session: TrackerSession;
  readonly now: Date;
  readonly viewer: { readonly id: string | null };
};

/** Sets or clears the project, milestone or cycle of issues, and records it in the history of each. */
export async function moveIssues(
  { session, viewer, now }: Moving,
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
  context: Moving,
  ids: readonly string[],
  cycleId: string | null,
): Promise<void> =>
  moveIssues(context, ids, { cycleId, addedToCycleAt: cycleId === null ? null : context.now });
