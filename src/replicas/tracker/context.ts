/** The context of one request: the viewer, the clock, the session and the reader. */
import type { Running } from "~/graphql/execute";
import { createReader, type Reader } from "~/graphql/reader";
import type { Entity, Row } from "~/replicas/tracker/store/entities";
import { MODELS } from "~/replicas/tracker/store/models/index";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import type { ViewerContext } from "~/replicas/tracker/store/viewer";

/** The reader, with typed rows. */
type EntityReader = Omit<Reader, "one" | "find" | "rows"> & {
  one<E extends Entity>(
    ...args: [type: E, ...Tail<Parameters<Reader["one"]>>]
  ): Promise<Row<E> | undefined> | undefined;
  find<E extends Entity>(
    ...args: [type: E, ...Tail<Parameters<Reader["find"]>>]
  ): Promise<Row<E> | undefined>;
  rows<E extends Entity>(
    ...args: [type: E, ...Tail<Parameters<Reader["rows"]>>]
  ): Promise<Row<E>[]>;
};
type Tail<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;

export type Context = ViewerContext &
  Running & {
    /** In a mutation, its transaction. */
    readonly session: TrackerSession;
    /** The address of this environment's service, without a trailing slash. */
    readonly baseUrl: string;
    /** The only clock of the request. */
    readonly now: Date;
    readonly read: EntityReader;
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
  const read = createReader(MODELS, scope, running.budget) as EntityReader;
  return { ...viewerContext, ...running, session, now, read, baseUrl };
}
