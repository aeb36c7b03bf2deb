/** What one request has: who asks, its clock, its session and what it has read. */
import type { Running } from "~/graphql/execute";
import { createReader, type Reader } from "~/graphql/reader";
import { MODELS } from "~/replicas/tracker/store/models/index";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import type { ViewerContext } from "~/replicas/tracker/store/viewer";

export type Context = ViewerContext &
  Running & {
    /** In a mutation: its transaction. */
    readonly session: TrackerSession;
    /** The address of this environment's service, without a slash at the end. */
    readonly baseUrl: string;
    /** The only clock of the request. */
    readonly now: Date;
    readonly read: Reader;
  };

export function createContext(
  session: TrackerSession,
  viewerContext: ViewerContext,
  now: Date,
  running: Running,
  baseUrl: string,
): Context {
  const { sql, t } = session;
  const scope = {
    sql,
    table: (name: string) => t[name as keyof typeof t],
    now,
    actor: viewerContext.viewer.id,
    hidden: viewerContext.hiddenTeamIds,
  };
  const read = createReader(MODELS, scope, running.budget);
  return { ...viewerContext, ...running, session, now, read, baseUrl };
}
