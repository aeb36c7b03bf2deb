/** The effects of time: the ends of cycles and snoozes. */
import { type DueEffect, effects, type Schedule } from "~/replicas/replica";
import { rollOver } from "~/replicas/tracker/cycles";
import {
  findNextDue,
  findTeam,
  listEndedCycles,
  unsnoozeIssues,
  unsnoozeNotifications,
} from "~/replicas/tracker/store/schedule";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { dateOf } from "~/source";

async function completeCycles(session: TrackerSession, now: Date): Promise<DueEffect[]> {
  const done: DueEffect[] = [];
  for (const cycle of await listEndedCycles(session, now)) {
    const team = await findTeam(session, cycle.teamId);
    if (!team) continue;
    const planned = await rollOver({ session, now, viewer: { id: null } }, team, cycle);
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
  async next(session, _after, until) {
    return (await findNextDue(session as TrackerSession, new Date(until)))?.getTime();
  },

  async fire(session) {
    const tracker = session as TrackerSession;
    const now = dateOf(session.source);
    return [
      ...(await completeCycles(tracker, now)),
      ...effects("issue_unsnoozed", await unsnoozeIssues(tracker, now)),
      ...effects("notification_unsnoozed", await unsnoozeNotifications(tracker, now)),
    ];
  },
};
