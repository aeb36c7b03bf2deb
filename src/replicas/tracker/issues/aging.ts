/** Ages issues by the settings of their team: open ones that nobody changes for months are closed, closed ones archived. */
import type { Moving } from "~/replicas/tracker/issues/move";
import { recordChange } from "~/replicas/tracker/issues/record";
import { isClosed, timesAfter, timesOf } from "~/replicas/tracker/issues/transition";
import { type AgedIssue, listAged } from "~/replicas/tracker/store/issues/aging";
import { lockIssues } from "~/replicas/tracker/store/issues/update";

/** Closes and archives the issues whose time is now. Returns their ids. */
export async function ageIssues(
  context: Moving,
): Promise<{ readonly closed: readonly string[]; readonly archived: readonly string[] }> {
  const { session, now } = context;
  const aged = new Map((await listAged(session, now)).map((issue) => [issue.id, issue]));
  for (const issue of await lockIssues(session, [...aged.keys()])) {
    const found = aged.get(issue.id);
    if (!found) continue;
    if (isClosed(found.type))
      await recordChange(context, issue, { archivedAt: now, autoArchivedAt: now });
    else {
      const times = timesAfter(timesOf(issue), found.type, found.closeType, now);
      const closed = { stateId: found.closeStateId, autoClosedAt: now, ...times };
      await recordChange(context, issue, closed, { autoClosed: true });
    }
  }
  const idsOf = (closed: boolean) =>
    [...aged.values()]
      .filter(({ type }) => isClosed(type) === closed)
      .map(({ id }: AgedIssue) => id);
  return { closed: idsOf(false), archived: idsOf(true) };
}
