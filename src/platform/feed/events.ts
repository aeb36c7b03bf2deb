/** The events of users between two positions. */
import type { Pool } from "~/db/connect";
import type { Span } from "~/db/positions";
import { view as viewEnvironment } from "~/platform/environments/view";
import type { FeedCall } from "~/platform/feed/model";
import * as store from "~/platform/feed/store";
import { listChanged } from "~/platform/runs/evaluation-store";
import { view as viewRun } from "~/platform/runs/view";

/** Changed objects, calls, and deliveries, in one look. A reader that is further behind gets a `reset`. */
export const OBJECTS_MAX = 2_000;
export const CALLS_MAX = 10_000;
const DELIVERIES_MAX = 10_000;

export type Event = {
  readonly name: string;
  readonly environmentId: string;
  readonly data: string;
};
type Events = ReadonlyMap<string, readonly Event[]>;

/** Reads the events of users: beginnings first, then calls, deliveries, and ends. Undefined if there are too many. */
export async function readEvents(
  pool: Pool,
  users: readonly string[],
  span: Span,
): Promise<Events | undefined> {
  const [environments, runs, batches, deliveries] = await Promise.all([
    store.listEnvironments(pool, users, span, OBJECTS_MAX + 1),
    listChanged(pool, users, span, OBJECTS_MAX + 1),
    store.listCalls(pool, users, span, CALLS_MAX),
    store.listDeliveries(pool, users, span, DELIVERIES_MAX + 1),
  ]);
  if (environments.length > OBJECTS_MAX || runs.length > OBJECTS_MAX) return undefined;
  if ((batches.at(-1)?.total ?? 0) > CALLS_MAX) return undefined;
  if (deliveries.length > DELIVERIES_MAX) return undefined;
  const events = new Map<string, Event[]>(users.map((userId) => [userId, []]));
  const note = <Data extends { readonly environmentId: string }>(
    userId: string,
    name: string,
    data: Data,
  ) =>
    events
      .get(userId)
      ?.push({ name, environmentId: data.environmentId, data: JSON.stringify(data) });
  const noteEnvironments = (isOver: boolean) => {
    for (const { userId, ...row } of environments)
      if ((row.state !== "live") === isOver)
        note(userId, "environment", {
          ...viewEnvironment(row),
          impersonateUserId: row.actingUserId,
        });
  };
  const noteRuns = (isOver: boolean) => {
    for (const { userId, ...row } of runs)
      if ((row.status !== "running") === isOver) note(userId, "run", viewRun(row));
  };

  noteEnvironments(false);
  noteRuns(false);
  for (const { userId, runId, environmentId, calls } of batches)
    for (const { at, fault = null, ...call } of calls)
      note(userId, "call", {
        runId,
        environmentId,
        ...call,
        fault,
        at: new Date(at).toISOString(),
      } satisfies FeedCall);
  for (const { userId, ...delivery } of deliveries) note(userId, "delivery", delivery);
  noteRuns(true);
  noteEnvironments(true);
  return events;
}
