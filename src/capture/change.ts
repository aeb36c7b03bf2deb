/** Messages of the log, whichever plugin decoded them. */
import { ACTORS, type Actor } from "~/capture/actor";
import type { Fragment, Sql } from "~/db/connect";
import type { LogMark } from "~/db/driver";

/** A position in the log. Written `16/B374D848`: the high and the low 32 bits in hex. */
export type Lsn = bigint;

export function parseLsn(text: string): Lsn {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

export const formatLsn = (lsn: Lsn) =>
  `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`;

/**
 * A row: each column's text at the column's position in the table's `columns`. `undefined`: not in the log, because an
 * update did not change a large value.
 */
export type Image = (string | null | undefined)[];

/** A table as seen during one run. Columns are listed in the order in which they were first seen. */
export type TableShape = {
  readonly name: string;
  readonly columns: string[];
  readonly types: string[];
};

export type Change =
  | { readonly op: "insert"; readonly table: TableShape; readonly after: Image }
  | {
      readonly op: "update";
      readonly table: TableShape;
      readonly before: Image;
      readonly after: Image;
    }
  | { readonly op: "delete"; readonly table: TableShape; readonly before: Image };

export type Message =
  | {
      readonly kind: "begin";
      /** Position after its commit, if the plugin reports it. */
      readonly until?: Lsn;
    }
  | { readonly kind: "commit" }
  | { readonly kind: "mark"; readonly content: string }
  | { readonly kind: "change"; readonly schema: string; readonly change: Change }
  | { readonly kind: "truncate"; readonly schemas: readonly string[] };

/**
 * Returns the table if its schema is being recorded; otherwise undefined, and its changes are skipped before they are
 * parsed. `bytes`: length of the message.
 */
export type Lookup = (schema: string, table: string, bytes: number) => TableShape | undefined;

/** Returns undefined for messages that are not needed. Throws on bytes it does not understand. */
export type Decode = (data: Buffer, lookup: Lookup) => Message | undefined;

/** Returns the position of a column in the table's images; appends a new column. `guess` is tried first. */
export function placeOf(table: TableShape, name: string, type: string, guess: number): number {
  if (table.columns[guess] === name) return guess;
  const found = table.columns.indexOf(name);
  if (found >= 0) return found;
  table.types.push(type);
  return table.columns.push(name) - 1;
}

/** Prefix of our messages in the log. */
export const MARK_PREFIX = "diorama.run";

/** A call to an environment, as the log names it in each transaction that writes. */
export type NamedCall = {
  readonly schema: string;
  /** Unique among all calls. */
  readonly id: string;
  /** Its X-Request-Id. */
  readonly request: string;
  /** Its line in the journal, as far as it is known while the call runs. */
  readonly line: object;
  /** Of the line, but kept only as long as there is room. */
  readonly arguments: unknown;
};

/** `call`: evaluated when a statement is sent. The arguments are JSON text. */
export const callMark = (
  request: string,
  call: () => Omit<NamedCall, "arguments" | "request"> & { readonly argumentsText: string },
): LogMark => ({
  prefix: MARK_PREFIX,
  request,
  content() {
    const { schema, id, line, argumentsText } = call();
    const known = JSON.stringify({ k: "call", schema, id, request, line });
    return `${known.slice(0, -1)},"arguments":${argumentsText}}`;
  },
});

const CALL = '{"k":"call","schema":"';

/** The schema of a call's mark, read without parsing: such marks are frequent. Undefined for other marks. */
export const calledSchema = (content: string): string | undefined =>
  content.startsWith(CALL)
    ? content.slice(CALL.length, content.indexOf('"', CALL.length))
    : undefined;

/** Selected for each `run_id` that is closed without a result: its log is no longer needed. */
export const closeMark = (sql: Sql): Fragment =>
  sql`pg_logical_emit_message(true, ${MARK_PREFIX}, json_build_object('k', 'close', 'run', run_id)::text)`;

/** Says in the log that the transaction belongs to another actor of the environment in a schema than the agent. */
export const markActor = async (tx: Sql, schema: string, actor: Actor) =>
  await tx`
    select pg_logical_emit_message(true, ${MARK_PREFIX}, ${JSON.stringify({ k: actor, schema })}),
      ${named(tx, actor)}
  `;

/** Says it to triggers on the tables only. */
export const setActor = async (tx: Sql, actor: Actor) => await tx`select ${named(tx, actor)}`;

const named = (tx: Sql, actor: Actor): Fragment =>
  tx`set_config('diorama_note.actor', ${actor}, true)`;

/** The relations of a schema at one moment. */
export type Relations = {
  /** Hash of their ids. */
  readonly ids: string;
  /** Every table is logged, with the whole old row. */
  readonly whole: boolean;
  /** Sums over the tables. They grow with each rewrite, each change of a catalog row, and each added column. */
  readonly files: number;
  readonly versions: number;
  readonly columns: number;
  /** The same for the tables' entries in the publication; null if the plugin needs none. */
  readonly published: number | null;
  /** The transaction that read this. */
  readonly xid: string;
};

/** The transaction belongs to another actor of an environment, not to an agent. */
type ActorMark = { readonly k: Actor; readonly schema: string };

export const isOfActor = (mark: Mark): mark is ActorMark =>
  ACTORS.some((actor) => actor === mark.k);

/** The marks that bracket a run, written in the transaction that changes its row. */
export type Mark =
  | {
      readonly k: "start";
      readonly run: string;
      readonly schema: string;
      /** Date.now() of the server that wrote it. */
      readonly at: number;
      /** Primary key columns of each table, in the order in which diffs list tables. */
      readonly keys: { readonly [table: string]: readonly string[] };
      readonly relations: Relations | null;
      /** The tables are in the publication; otherwise pgoutput does not send their changes. */
      readonly published: boolean;
      /** The run has a journal, which needs the changes of each call. */
      readonly journaled?: boolean;
    }
  | {
      readonly k: "end";
      readonly run: string;
      readonly instance: string;
      readonly relations: Relations | null;
      /** Names the call that evaluates the run, if one does: then the evidence is needed too. */
      readonly evaluate?: string | undefined;
    }
  | { readonly k: "close"; readonly run: string }
  | ActorMark
  | ({ readonly k: "call" } & NamedCall);
