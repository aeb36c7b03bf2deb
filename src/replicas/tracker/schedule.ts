/** The effects of time: the ends of cycles and snoozes, issues that nobody changes, and agents that do not report. */
import { type DueEffect as AnyEffect, effects, type Schedule } from "~/replicas/replica";
import type { about } from "~/replicas/tracker/about";
import { rollOver } from "~/replicas/tracker/cycles";
import { ageIssues } from "~/replicas/tracker/issues/aging";
import type { Moving } from "~/replicas/tracker/issues/move";
import { leaveStale } from "~/replicas/tracker/store/agents";
import {
  findNextDue,
  findTeam,
  listEndedCycles,
  unsnoozeIssues,
  unsnoozeNotifications,
} from "~/replicas/tracker/store/schedule";
import type { TableName, TrackerSession } from "~/replicas/tracker/store/tables";
import { dateOf } from "~/source";

type DueEffect = AnyEffect<keyof typeof about.effects>;

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

export const schedule: Schedule<TableName> = {
  async next(session, after, until) {
    return (await findNextDue(session, new Date(after), new Date(until)))?.getTime();
  },

  async fire(session): Promise<DueEffect[]> {
    const now = dateOf(session.source);
    const done = await completeCycles(session, now);
    const { closed, archived } = await ageIssues(byService(session, now));
    return [
      ...done,
      ...effects("issue_closed", closed),
      ...effects("issue_archived", archived),
      ...effects("issue_unsnoozed", await unsnoozeIssues(session, now)),
      ...effects("notification_unsnoozed", await unsnoozeNotifications(session, now)),
      ...effects("agent_session_stale", await leaveStale(session, now)),
    ];
  },
};
