/** Ages issues by the settings of their team: open ones that nobody changes for months are closed, closed ones archived. */
import { changeRow } from "~/replicas/tracker/change";
import { historyOf, NO_LABELS } from "~/replicas/tracker/issues/history";
import type { Moving } from "~/replicas/tracker/issues/move";
import { isClosed, timesAfter, timesOf } from "~/replicas/tracker/issues/transition";
import type { Changes } from "~/replicas/tracker/store/entities";
import { type AgedIssue, listAged } from "~/replicas/tracker/store/issues/aging";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { lockIssues } from "~/replicas/tracker/store/issues/update";
import { differences } from "~/replicas/tracker/store/write";

/** Closes and archives the issues whose time is now. Returns their ids. */
export async function ageIssues(
  context: Moving,
): Promise<{ readonly closed: readonly string[]; readonly archived: readonly string[] }> {
  const { session, now } = context;
  const aged = new Map((await listAged(session, now)).map((issue) => [issue.id, issue]));
  for (const issue of await lockIssues(session, [...aged.keys()])) {
    const found = aged.get(issue.id);
    if (!found) continue;
    const changes: Changes<"Issue"> = isClosed(found.type)
      ? { archivedAt: now, autoArchivedAt: now }
      : {
          ...{ stateId: found.closeStateId, autoClosedAt: now },
          ...timesAfter(timesOf(issue), found.type, found.closeType, now),
        };
    const different = differences(issue, changes);
    const history = historyOf(issue, different, NO_LABELS);
    await changeRow(context, "Issue", issue, different);
    const entry = history && { ...history, ...(!isClosed(found.type) && { autoClosed: true }) };
    await writeEffects(session, { history: entry ? [entry] : [] }, { actor: null, now });
  }
  const idsOf = (closed: boolean) =>
    [...aged.values()]
      .filter(({ type }) => isClosed(type) === closed)
      .map(({ id }: AgedIssue) => id);
  return { closed: idsOf(false), archived: idsOf(true) };
}
