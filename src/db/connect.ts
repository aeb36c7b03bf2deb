/**
 * Connections to Postgres.
 *
 * Every session is pinned: UTC, ISO dates, shortest exact floats, hex bytea, and a search_path without user schemas, so
 * that an unqualified name is an error and never another environment's table. (The driver omits empty settings: an
 * empty search_path would be the server's default, with `public` in it.)
 */
import postgres from "postgres";
import { withoutTls } from "~/address";
import { type Driver, openDriver, type Types } from "~/db/driver";
import { openSocketOrFail } from "~/db/socket";

export type Pool = Driver;
/** An open transaction. */
export type Tx = postgres.TransactionSql<Types>;
/** Runs statements: a pool, or an open transaction. */
export type Sql = postgres.ISql<Types>;
/** A piece of SQL with its parameters, for use in a statement. */
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
 * Settings of a session that is pinned to environments: each statement is planned once instead of for each of its first
 * five runs. The plan may be made while a table is empty and must still work when it is large, so it uses indexes.
 */
const BOUND = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off" } as const;

/**
 * Limit on the result of one statement of an environment's call. An environment may hold any amount of data.
 */
const RESULT_BYTES_MAX = 32 * 1024 * 1024;

/** How long to wait for a free connection; then the call answers 503. */
const QUEUE_DEADLINE_SECONDS = 5;
/** Postgres cancels a statement after this time … */
const STATEMENT_TIMEOUT_MS = 15_000;
/** … and we treat the connection as dead after this time. */
export const QUERY_DEADLINE_SECONDS = 20;
const IDLE_IN_TRANSACTION_MS = 30_000;
const CONNECT_TIMEOUT_SECONDS = 5;
/** A backend keeps about 100 kB for every environment it has used; a new one starts empty. */
const LIFETIME_SECONDS = 300;

type PoolOptions = {
  max: number;
  /** Shown in pg_stat_activity as `diorama <name>`. */
  name: string;
  /** True for our own tables: snake_case columns become camelCase. Keys inside jsonb are unchanged. */
  camel?: boolean;
  /** For long-running work: building schemas, copying templates. */
  patient?: boolean;
  /** How long a session of the pool is used: a session remembers each table that it has used. */
  lifetimeSeconds?: number;
  /**
   * Called when a session is lost; queued statements are then rejected instead of being sent on the next one. Such a
   * session has no maximum lifetime.
   */
  onClose?: () => void;
};

export function connect(
  url: string,
  {
    max,
    name,
    camel = false,
    patient = false,
    lifetimeSeconds = LIFETIME_SECONDS,
    onClose,
  }: PoolOptions,
): Pool {
  return openDriver(withoutTls(url), {
    max,
    socket: () => openSocketOrFail(url),
    ssl: false,
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
    max_lifetime: onClose ? null : lifetimeSeconds,
    onnotice: () => {},
    ...(onClose ? { onclose: onClose, drop_queued: true, max_result: RESULT_BYTES_MAX } : {}),
    ...(patient
      ? {}
      : { queue_deadline: QUEUE_DEADLINE_SECONDS, query_deadline: QUERY_DEADLINE_SECONDS }),
  });
}

/** Runs `work` in one transaction; a throw rolls it back. */
export async function inTransaction<T>(
  pool: Pool,
  work: (tx: Tx) => Promise<T>,
  mode = "",
): Promise<T> {
  return (await pool.begin(mode, work)) as T;
}

/**
 * Runs `work` in a savepoint: a throw undoes only what it did. The driver leaves its savepoints open, and rows that are
 * written in one have an id of their own; after this one, statements have the id of the transaction.
 */
export async function inSavepoint(tx: Tx, work: (nested: Tx) => Promise<unknown>): Promise<void> {
  await tx`savepoint enclosing`;
  try {
    await tx.savepoint(work);
  } finally {
    await tx`release savepoint enclosing`;
  }
}

export const UNIQUE_VIOLATION = "23505";
export const SERIALIZATION_FAILURE = "40001";
export const LOCK_NOT_AVAILABLE = "55P03";
export const QUERY_CANCELED = "57014";
export const UNDEFINED_TABLE = "42P01";
export const UNDEFINED_SCHEMA = "3F000";
export const INSUFFICIENT_PRIVILEGE = "42501";

/** The SQLSTATE of a Postgres error, or the driver's own code. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

const DRIVER_CODES =
  /^(CONNECTION_|CONNECT_TIMEOUT|CONNECT_NO_PRIMARY|TLS_REFUSED|QUEUE_DEADLINE|QUERY_DEADLINE|ECONN|EHOST|ENET|ENOENT|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_)/;
/** Connection exceptions, shutting down, too many clients, cannot connect now, statement or lock timeout. */
const SERVER_CODES = /^(08...|57P0.|53...|57014|55P03|25P03|40001|40P01)$/;

/** Connection exceptions, shutting down, cannot connect now. */
const GONE_CODES = /^(08...|57P0.)$/;

/** Returns true when the statement may not have reached Postgres: it is down, or the connection was lost. */
export function isUnreachable(error: unknown): boolean {
  const code = errorCode(error);
  if (code === undefined || code === "QUERY_DEADLINE") return false;
  return DRIVER_CODES.test(code) || GONE_CODES.test(code);
}

/** Returns true when a retry may succeed: the statement itself is valid. */
export function isUnavailable(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && (DRIVER_CODES.test(code) || SERVER_CODES.test(code));
}

/** Data exceptions, and the limits of one statement, of its depth and of a row. */
const INPUT_CODES = /^(22...|54000|54001|54011)$/;
/** Functions that parse a text-search query. They report some of their limits as internal errors. */
const QUERY_PARSERS = /^(pushOpStack|makepol|parse_tsquery|findoprnd_recurse)$/;

/** Returns true when a value of the statement is invalid, or more than one statement can process. */
export function isInvalidInput(error: unknown): boolean {
  const code = errorCode(error) ?? "";
  if (code !== "XX000") return INPUT_CODES.test(code);
  return QUERY_PARSERS.test(String((error as { routine?: unknown }).routine));
}

/** Quotes an identifier for DDL, which takes no parameters. */
export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** Quotes a string for DDL. */
export const literal = (value: string) => `'${value.replaceAll("'", "''")}'`;
