/** The effects of time: the ends of cycles and snoozes, and issues that nobody changes. */
import { type DueEffect, effects, type Schedule } from "~/replicas/replica";
import { rollOver } from "~/replicas/tracker/cycles";
import { ageIssues } from "~/replicas/tracker/issues/aging";
import type { Moving } from "~/replicas/tracker/issues/move";
import {
  findNextDue,
  findTeam,
  listEndedCycles,
  unsnoozeIssues,
  unsnoozeNotifications,
} from "~/replicas/tracker/store/schedule";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { dateOf } from "~/source";

/** A change by the service itself. */
const byService = (session: TrackerSession, now: Date): Moving => ({
  session,
  now,
  viewer: { id: null },
});

async function completeCycles(session: TrackerSession, now: Date): Promise<DueEffect[]> {
  const done: DueEffect[] = [];
  for (const cycle of await listEndedCycles(session, now)) {
    const team = await findTeam(session, cycle.teamId);
    if (!team) continue;
    const planned = await rollOver(byService(session, now), team, cycle);
    done.push({ kind: "cycle_completed", id: cycle.id });
    done.push(
      ...effects(
        "cycle_created",
        planned.map(({ id }) => id),
      ),
    );
  }
  return done;
}

export const schedule: Schedule = {
  async next(session, after, until) {
    const tracker = session as TrackerSession;
    return (await findNextDue(tracker, new Date(after), new Date(until)))?.getTime();
  },

  async fire(session) {
    const tracker = session as TrackerSession;
    const now = dateOf(session.source);
    const done = await completeCycles(tracker, now);
    const { closed, archived } = await ageIssues(byService(tracker, now));
    return [
      ...done,
      ...effects("issue_closed", closed),
      ...effects("issue_archived", archived),
      ...effects("issue_unsnoozed", await unsnoozeIssues(tracker, now)),
      ...effects("notification_unsnoozed", await unsnoozeNotifications(tracker, now)),
    ];
  },
};
