/** What one request has: who asks, its clock, its session and what it has read. */
import { createReader, type Reader } from "~/graphql/reader";
import type { Asking } from "~/replicas/tracker/store/asking";
import { MODELS } from "~/replicas/tracker/store/models/index";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

export type Context = Asking & {
  /** In a mutation: its transaction. */
  readonly session: TrackerSession;
  /** The only clock of the request. */
  readonly now: Date;
  readonly read: Reader;
};

export function createContext(session: TrackerSession, asking: Asking, now: Date): Context {
  const { sql, t } = session;
  const read = createReader(MODELS, {
    sql,
    table: (name) => t[name as keyof typeof t],
    now,
    actor: asking.viewer.id,
    hidden: asking.hiddenTeamIds,
  });
  return { ...asking, session, now, read };
}
