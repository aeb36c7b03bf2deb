/** The context of one request: the viewer, the clock, the session and the reader. */
import { LRUCache } from "lru-cache";
import { renewed } from "~/graphql/budget";
import type { Running } from "~/graphql/execute";
import { createReader, type Reader } from "~/graphql/reader";
import type { Failures } from "~/replicas/tracker/events/failures";
import { CATALOG } from "~/replicas/tracker/store/comparators";
import type { Entity, Row } from "~/replicas/tracker/store/entities";
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
    /** Of webhooks. Undefined: the call cannot ask for them. */
    readonly failures: Failures | undefined;
  };

type Request = {
  /** The id of the acting user. */
  readonly actor: string;
  readonly running: Running;
  readonly now: Date;
  readonly baseUrl: string;
  readonly failures?: Failures;
};

const VIEWERS_MAX = 10_000;
/** The viewers of the latest queries, by schema and user. */
const viewers = new LRUCache<string, ViewerContext>({ max: VIEWERS_MAX });

/** Runs `work` in the context of a request. A mutation is one transaction. Throws what `requireViewer` throws. */
export const inContext = <T>(
  session: TrackerSession,
  request: Request,
  work: (context: Context) => Promise<T>,
): Promise<T> =>
  request.running.isMutation ? mutate(session, request, work) : query(session, request, work);

/** The begin is sent together with the look-up of the viewer, which is not part of the transaction. */
async function mutate<T>(
  session: TrackerSession,
  request: Request,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const viewer = requireViewer(session, request.actor);
  // The transaction may fail first.
  viewer.catch(() => undefined);
  return await session.transaction(async (inside) =>
    work(createContext(inside, await viewer, request)),
  );
}

/**
 * Queries are sent behind the look-up of the viewer without waiting for it, as if the viewer were the same as last time.
 * If it is not, what they found and spent is dropped, and they run again.
 */
async function query<T>(
  session: TrackerSession,
  request: Request,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const as = async (viewer: ViewerContext, of = request) =>
    await work(createContext(session, viewer, of));
  const key = `${session.schema} ${request.actor}`;
  const before = viewers.get(key);
  const looked = requireViewer(session, request.actor);
  if (before) {
    const [viewer, result] = await Promise.allSettled([looked, as(before)]);
    if (viewer.status === "rejected") throw viewer.reason;
    if (Bun.deepEquals(viewer.value, before)) {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    }
  }
  const viewer = await looked;
  viewers.set(key, viewer);
  if (!before) return await as(viewer);
  const running = { ...request.running, budget: renewed(request.running.budget) };
  return await as(viewer, { ...request, running });
}

function createContext(
  session: TrackerSession,
  viewerContext: ViewerContext,
  { running, now, baseUrl, failures }: Request,
): Context {
  const { sql, t } = session;
  const viewer = {
    sql,
    table: (name: string) => t[name as keyof typeof t],
    now,
    actor: viewerContext.viewer.id,
    hidden: viewerContext.hiddenTeamIds,
  };
  const read = createReader({ ...CATALOG, viewer, budget: running.budget }) as EntityReader;
  return { ...viewerContext, ...running, session, now, read, baseUrl, failures };
}
