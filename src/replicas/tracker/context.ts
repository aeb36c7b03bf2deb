/** The context of one request: the viewer, the clock, the session and the reader. */
import type { Session } from "~/db/session";
import type { Running } from "~/graphql/execute";
import { createReader, type Reader } from "~/graphql/reader";
import type { Entity, Row } from "~/replicas/tracker/store/entities";
import { MODELS } from "~/replicas/tracker/store/models/index";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import type { ViewerContext } from "~/replicas/tracker/store/viewer";
import { requireViewer } from "~/replicas/tracker/viewer";

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

type Request = {
  /** The id of the acting user. */
  readonly actor: string;
  readonly running: Running;
  readonly now: Date;
  readonly baseUrl: string;
};

/**
 * Runs `work` in the context of a request. A mutation is one transaction: its begin is sent together with the look-up of
 * the viewer, which is not part of it. Throws what `requireViewer` throws.
 */
export async function inContext<T>(
  session: TrackerSession,
  { actor, running, now, baseUrl }: Request,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const viewer = requireViewer(session, actor);
  // The transaction may fail first.
  viewer.catch(() => undefined);
  const open = async (inside: Session) => {
    const inner = inside as TrackerSession;
    return await work(createContext(inner, await viewer, now, running, baseUrl));
  };
  return await (running.isMutation ? session.transaction(open) : open(session));
}

function createContext(
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
