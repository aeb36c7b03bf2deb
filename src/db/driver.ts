/** The driver with what `scripts/patches` adds to it. Only this file knows the additions. */
import postgres from "postgres";
import type { Shapes } from "~/db/shapes";

export type Types = { date: string };
export type Driver = postgres.Sql<Types>;

/** A date has no time and no zone; as a JavaScript Date it would have both. */
const DATE = { to: 1082, from: [1082], serialize: String, parse: String };

type Options = Omit<postgres.Options<{ date: typeof DATE }>, "types"> & {
  /** Opens the connection in place of the driver. Missing in its types. */
  readonly socket: () => Promise<unknown>;
  /** Rejects queued statements when a connection is lost, in place of sending them on the next one. */
  readonly drop_queued?: boolean;
  /** Bytes of a result; the rest of a larger one is dropped, and it is rejected with RESULT_TOO_LARGE. */
  readonly max_result?: number;
  /** Seconds that a statement waits for a connection; then it is rejected with QUEUE_DEADLINE. */
  readonly queue_deadline?: number;
  /** Seconds until its answer; then it is rejected with QUERY_DEADLINE, and its connection is closed. */
  readonly query_deadline?: number;
};

export const RESULT_TOO_LARGE = "RESULT_TOO_LARGE";

export const openDriver = (url: string, options: Options): Driver =>
  postgres(url, { ...options, types: { date: DATE } });

/** A statement that is sent before another one, in its transaction. Returns no rows; its parameters are texts. */
type Prelude = { readonly text: string; readonly parameters: readonly string[] };

/** A statement that the connection has prepared, or is about to. */
type Statement = { readonly string: string; writes?: boolean };

/** Asked by the driver about the statements of a query. */
type Hooks = {
  readonly shapes?: Shapes | undefined;
  readonly prelude?: (statement: Statement) => Prelude | undefined;
};

type Query = {
  hooks: Hooks;
  /** Sends it. */
  handler: (query: Query) => void;
  readonly reject: (error: Error) => void;
};

type Work = (tx: postgres.TransactionSql<Types>) => unknown;
type Begin = (mode: string, work: Work, hooks: Hooks) => Promise<unknown>;

/**
 * A message that every transaction of a session that writes emits to the log first, including that of a single
 * statement. It is sent with the statement, without an extra round trip; reading statements send nothing.
 */
export type LogMark = {
  readonly prefix: string;
  readonly content: () => string;
  /** The X-Request-Id of the call. */
  readonly request: string;
  /** The user that the call acts as, if the service reports it. */
  readonly user?: () => string | undefined;
  /** Asked when a transaction begins to write: whether its commit shall not wait for the disk. */
  readonly defer?: () => boolean;
  /** The cause of the transaction's changes, as JSON, for an environment whose changes are noted. */
  readonly cause?: () => string;
};

/** The condition of a pool's statements. */
export type Fence = {
  /** Asked when a statement or a transaction is about to be sent: the error that rejects it. */
  readonly refusal: () => Error | undefined;
  readonly shapes?: Shapes;
};

/**
 * The same pool behind a fence. A transaction that has begun is not rejected. With a mark, each transaction that writes,
 * of one statement or begun, emits it to the log first.
 */
export function fenced(pool: Driver, { refusal, shapes }: Fence, mark?: LogMark): Driver {
  const hooks: Hooks = { shapes, ...(mark && { prelude: preludeOf(mark) }) };

  function admit(query: Query): Query {
    const { handler } = query;
    query.hooks = hooks;
    query.handler = (sent) => {
      const error = refusal();
      if (error) sent.reject(error);
      else handler(sent);
    };
    return query;
  }

  async function begin(...given: [string, Work] | [Work]): Promise<unknown> {
    const [mode, work] = given.length === 2 ? given : ["", given[0]];
    const error = refusal();
    if (error) throw error;
    return await (pool.begin as Begin)(mode, work, mark ? { shapes, prelude: once(mark) } : hooks);
  }

  type Make = (first: unknown, ...rest: unknown[]) => unknown;
  const isTemplate = (first: unknown) => Array.isArray(first) && "raw" in first;
  const sql = (first: unknown, ...rest: unknown[]) => {
    const made = (pool as unknown as Make)(first, ...rest);
    return isTemplate(first) ? admit(made as Query) : made;
  };
  // One by one: Object.assign takes ten times as long, and this is done for every call.
  sql.types = pool.types;
  sql.typed = pool.typed;
  sql.array = pool.array;
  sql.json = pool.json;
  sql.unsafe = (...given: Parameters<Driver["unsafe"]>) =>
    admit(pool.unsafe(...given) as unknown as Query);
  sql.begin = begin;
  return sql as unknown as Driver;
}

/** Emits a message to the log. Has no rows, so that the driver has nothing but its end to skip. */
const MARK = "select where pg_logical_emit_message(true, $1, $2) is null";
/** The commit of the transaction then does not wait for the disk. */
const MARK_DEFERRED = `${MARK} or set_config('synchronous_commit', 'off', true) is null`;
/** The note of each change then has its cause. */
const MARK_CAUSE = `${MARK} or set_config('diorama_note.cause', $3, true) is null`;

/**
 * Whether a statement may write rows. Each that does has one of these words, except for a function, which no replica
 * has; a word in a quoted name or a literal costs a mark that names no change. `for update` locks rows only.
 */
const WRITES = /\b(?:insert|delete|merge|truncate|(?<!\bfor(?:\s+no\s+key)?\s+)update)\b/i;

const preludeOf =
  ({ prefix, content, defer, cause }: LogMark) =>
  (statement: Statement): Prelude | undefined => {
    statement.writes ??= WRITES.test(statement.string);
    if (!statement.writes) return undefined;
    if (cause) return { text: MARK_CAUSE, parameters: [prefix, content(), cause()] };
    return { text: defer?.() ? MARK_DEFERRED : MARK, parameters: [prefix, content()] };
  };

/** The first one only: for a transaction. */
function once(mark: LogMark): NonNullable<Hooks["prelude"]> {
  const prelude = preludeOf(mark);
  let isSent = false;
  return (statement) => {
    const first = isSent ? undefined : prelude(statement);
    isSent ||= first !== undefined;
    return first;
  };
}
