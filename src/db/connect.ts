/**
 * Connections to Postgres.
 *
 * Every session is pinned: UTC, ISO dates, shortest exact floats, hex bytea, and a search_path without user
 * schemas, so that a name that forgot its schema is an error and never somebody else's table. (The driver leaves out
 * what is empty: an empty search_path would be the server's own, with `public` in it.)
 */
import postgres from "postgres";
import { withoutTls } from "~/address";
import { openSocketOrFail } from "~/db/socket";

type Types = { date: string };
export type Pool = postgres.Sql<Types>;
/** An open transaction. */
export type Tx = postgres.TransactionSql<Types>;
/** Whatever runs a statement: a pool, or an open transaction. */
export type Sql = postgres.ISql<Types>;
/** A piece of SQL with its parameters, to be written into a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;
export type Identifier = postgres.Helper<string>;

export const SESSION = {
  TimeZone: "UTC",
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres",
  extra_float_digits: "1",
  bytea_output: "hex",
  search_path: "pg_catalog",
  // Statements are short: compiling one would take longer than running it.
  jit: "off",
} as const;

/**
 * Of a session that is bound to its environments: each statement is planned once, not anew for its first five runs.
 * That plan may be made while a table is still empty and must serve when it is large, so it reads by index.
 */
const BOUND = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off" } as const;

/**
 * Of what one statement of an environment's call reads. The driver drops the rest and rejects with RESULT_TOO_LARGE:
 * what an environment holds is bounded by its agent's patience only.
 */
const RESULT_BYTES_MAX = 32 * 1024 * 1024;
export const RESULT_TOO_LARGE = "RESULT_TOO_LARGE";

/** A free connection is waited for this long; then the call answers 503. */
const QUEUE_DEADLINE_SECONDS = 5;
/** Postgres ends a statement after this … */
const STATEMENT_TIMEOUT_MS = 15_000;
/** … and we stop believing in the connection after this. */
const QUERY_DEADLINE_SECONDS = 20;
const IDLE_IN_TRANSACTION_MS = 30_000;
const CONNECT_TIMEOUT_SECONDS = 5;
/** A backend keeps about 100 kB for every environment it has touched; a new one starts empty. */
const LIFETIME_SECONDS = 300;

export type PoolOptions = {
  max: number;
  /** Shown in pg_stat_activity as `diorama <name>`. */
  name: string;
  /** True for our own tables, whose columns are snake_case and our code camelCase. Jsonb is left as it is. */
  camel?: boolean;
  /** For work that may take long: building schemas, copying templates. */
  patient?: boolean;
  /**
   * Called when a session is lost; what waits for it is then refused rather than sent on the next one. Such a session is
   * not ended for its age.
   */
  onClose?: () => void;
};

export function connect(
  url: string,
  { max, name, camel = false, patient = false, onClose }: PoolOptions,
): Pool {
  const options = {
    max,
    socket: () => openSocketOrFail(url),
    ssl: false,
    // A date has no time and no zone; as a JavaScript Date it would have both.
    types: { date: { to: 1082, from: [1082], serialize: String, parse: String } },
    connection: {
      ...SESSION,
      application_name: `diorama ${name}`,
      ...(onClose ? BOUND : {}),
      ...(patient
        ? {}
        : {
            statement_timeout: STATEMENT_TIMEOUT_MS,
            idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
          }),
    },
    transform: camel ? { column: { to: postgres.fromCamel, from: postgres.toCamel } } : {},
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    max_lifetime: onClose ? null : LIFETIME_SECONDS,
    onnotice: () => {},
    // Of scripts/patches: the types do not know them.
    ...(onClose ? { onclose: onClose, drop_queued: true, max_result: RESULT_BYTES_MAX } : {}),
    ...(patient
      ? {}
      : { queue_deadline: QUEUE_DEADLINE_SECONDS, query_deadline: QUERY_DEADLINE_SECONDS }),
  };
  return postgres(withoutTls(url), options);
}

/** Runs `work` in one transaction; a throw rolls it back. */
export async function inTransaction<T>(
  pool: Pool,
  work: (tx: Tx) => Promise<T>,
  mode = "",
): Promise<T> {
  return (await pool.begin(mode, work)) as T;
}

export const UNIQUE_VIOLATION = "23505";
export const SERIALIZATION_FAILURE = "40001";
export const LOCK_NOT_AVAILABLE = "55P03";
export const QUERY_CANCELED = "57014";
export const INSUFFICIENT_PRIVILEGE = "42501";

/** The SQLSTATE of a Postgres error, or the driver's own code. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

const DRIVER_CODES =
  /^(CONNECTION_|CONNECT_TIMEOUT|TLS_REFUSED|QUEUE_DEADLINE|QUERY_DEADLINE|ECONN|EHOST|ENET|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_)/;
/** Connection exceptions, shutting down, too many clients, cannot connect now, statement or lock timeout. */
const SERVER_CODES = /^(08...|57P0.|53...|57014|55P03|25P03|40001|40P01)$/;

/** Connection exceptions, shutting down, cannot connect now. */
const GONE_CODES = /^(08...|57P0.)$/;

/** True when the statement may not have reached Postgres: it is away, or the connection was lost. */
export function isUnreachable(error: unknown): boolean {
  const code = errorCode(error);
  if (code === undefined || code === "QUERY_DEADLINE") return false;
  return DRIVER_CODES.test(code) || GONE_CODES.test(code);
}

/** True when trying again later may help: nothing is wrong with the statement. */
export function isUnavailable(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && (DRIVER_CODES.test(code) || SERVER_CODES.test(code));
}

/** An identifier as SQL text, for DDL, which takes no parameters. */
export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** A string as SQL text, for DDL. */
export const literal = (value: string) => `'${value.replaceAll("'", "''")}'`;
