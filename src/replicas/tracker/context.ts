/** What one request has: who asks, its clock, its session and what it has read. */
import type { Running } from "~/graphql/execute";
import { createReader, type Reader } from "~/graphql/reader";
import type { Asking } from "~/replicas/tracker/store/asking";
import { MODELS } from "~/replicas/tracker/store/models/index";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

export type Context = Asking &
  Running & {
    /** In a mutation: its transaction. */
    readonly session: TrackerSession;
    /** The only clock of the request. */
    readonly now: Date;
    readonly read: Reader;
  };

export function createContext(
  session: TrackerSession,
  asking: Asking,
  now: Date,
  running: Running,
): Context {
  const { sql, t } = session;
  const scope = {
    sql,
    table: (name: string) => t[name as keyof typeof t],
    now,
    actor: asking.viewer.id,
    hidden: asking.hiddenTeamIds,
  };
  const read = createReader(MODELS, scope, running.budget);
  return { ...asking, ...running, session, now, read };
}
