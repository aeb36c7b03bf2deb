/** Changes an issue together with its history. */
import { together } from "~/db/session";
import { changeRow } from "~/replicas/tracker/change";
import { historyOf, NO_LABELS } from "~/replicas/tracker/issues/history";
import type { Moving } from "~/replicas/tracker/issues/move";
import type { Changes, NewValues, Row } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { differences } from "~/replicas/tracker/store/write";

/** Writes the columns that differ. `also`: further columns of the history. */
export async function recordChange(
  { session, now, viewer }: Moving,
  issue: Row<"Issue">,
  changes: Changes<"Issue">,
  also: NewValues<"IssueHistory"> = {},
): Promise<Row<"Issue">> {
  const different = differences(issue, changes);
  const history = historyOf(issue, different, NO_LABELS);
  if (!history) return issue;
  const [written] = await together([
    changeRow({ session, now }, "Issue", issue, different),
    writeEffects(session, { history: [{ ...history, ...also }] }, { actor: viewer.id, now }),
  ]);
  return written;
}
