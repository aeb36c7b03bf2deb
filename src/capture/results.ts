/** What capture writes and reads in the platform's tables: the leader's epoch, and what became of each run. */
import { type Lsn, MARK_PREFIX, parseLsn } from "~/capture/change";
import type { Plugin, Slot } from "~/capture/slot";
import type { Fragment, Sql } from "~/db/connect";

/** Reports to servers other than the leader that a run's result is stored: payload `stored <runId>`. */
export const CHANNEL = "diorama_runs";

export type Leader = {
  readonly epoch: string;
  readonly state: "idle" | "streaming";
  readonly instance: string | null;
  readonly plugin: Plugin | null;
  readonly slotName: string | null;
  readonly systemId: string | null;
  readonly timeline: number | null;
};

export async function leader(sql: Sql): Promise<Leader> {
  const [row] = await sql<
    Leader[]
  >`select epoch, state, instance, plugin, slot_name, system_id, timeline from diorama.capture`;
  if (!row) throw new Error("diorama.capture has no row");
  return row;
}

/** From here on, what an earlier leader still writes is void. */
export async function beginEpoch(
  sql: Sql,
  by: { instance: string; slot: Slot; system: { id: string; timeline: number } },
): Promise<string> {
  const [row] = await sql<{ epoch: string }[]>`
    update diorama.capture set epoch = epoch + 1, state = 'streaming', instance = ${by.instance},
      slot_name = ${by.slot.name}, plugin = ${by.slot.plugin}, read_to = ${by.slot.confirmed},
      system_id = ${by.system.id}, timeline = ${by.system.timeline}, changed_at = now()
    returning epoch
  `;
  if (!row) throw new Error("diorama.capture has no row");
  return row.epoch;
}

/** The leader of this epoch reads no more. */
export const endEpoch = async (sql: Sql, epoch: string) =>
  await sql`update diorama.capture set state = 'idle', changed_at = now() where epoch = ${epoch}`;

/** Log that is not read yet counts as a backlog from this size on. */
export const BEHIND_BYTES = 16 * 2 ** 20;

/** Publishes how far the leader has read. Null: it keeps up. */
export const setReadTo = async (sql: Sql, epoch: string, lsn: string | null) =>
  await sql`update diorama.capture set read_to = ${lsn}::pg_lsn where epoch = ${epoch}`;

/** Bytes of log from the position that was read, and from the one that may be forgotten, to the end. */
export async function distances(
  sql: Sql,
  { received, safe }: { received: string; safe: string },
): Promise<{ unread: number; retained: number }> {
  const [row] = await sql<{ unread: number; retained: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), ${received})::float8 as unread,
      pg_wal_lsn_diff(pg_current_wal_lsn(), ${safe})::float8 as retained
  `;
  return row ?? { unread: 0, retained: 0 };
}

/** Of the given runs those that capture still answers for. */
export async function activeAmong(sql: Sql, runs: readonly string[]): Promise<string[]> {
  const rows = await sql<{ runId: string }[]>`
    select run_id from diorama.runs
    where run_id = any(${[...runs]}) and status in ('running', 'ending')
  `;
  return rows.map(({ runId }) => runId);
}

export async function hasActive(sql: Sql): Promise<boolean> {
  const [row] = await sql`
    select exists (
      select from diorama.runs where status in ('running', 'ending') and capture = 'log'
    ) as active
  `;
  return row?.["active"] === true;
}

/** The runs that capture answers for, and a position behind the start marks of all of them. */
export async function activeRuns(sql: Sql): Promise<{ runs: string[]; until: string }> {
  const [row] = await sql<{ runs: string[]; until: string }[]>`
    select pg_current_wal_insert_lsn()::text as until, array(
      select run_id from diorama.runs where status in ('running', 'ending') and capture = 'log'
    ) as runs
  `;
  return row ?? { runs: [], until: "0/0" };
}

const SCORE_OF_LOST = { passed: 0, total: 0, percent: 0 };

/** What a run that failed for a reason outside its test reads like. */
export const failedColumns = (sql: Sql, failure: string, endedAt = sql`now()`): Fragment => sql`
  status = 'failed', passed = false, score = ${sql.json(SCORE_OF_LOST)}, failures = ${sql.json([failure])},
  diff = null, ended_at = coalesce(ended_at, ${endedAt})
`;

export const lostBecause = (reason: string) => `capture_lost: ${reason}`;

/** What a verdict says of a run. */
export type StoredVerdict = {
  readonly passed: boolean;
  readonly score: object;
  readonly failures: readonly string[];
  readonly explanations: readonly object[];
};

/** What a run has come to, as JSON text. With evidence, a verdict is still to come. */
export type Result = {
  readonly diff: string;
  readonly evidence?: string | undefined;
  readonly events?: string;
  readonly verdict?: StoredVerdict;
};

const resultColumns = (sql: Sql, { diff, evidence, events, verdict }: Result): Fragment => {
  const result = sql`diff = ${diff}::text::json, events = ${events ?? null}::text::json`;
  if (verdict) return sql`${result}, ${verdictColumns(sql, verdict)}`;
  return sql`
    ${result}, status = ${evidence === undefined ? "completed" : "evaluating"},
    evidence = ${evidence ?? null}::text::json
  `;
};

export const verdictColumns = (sql: Sql, verdict: StoredVerdict): Fragment => sql`
  status = ${verdict.passed ? "passed" : "failed"}, passed = ${verdict.passed},
  score = ${JSON.stringify(verdict.score)}::text::json,
  failures = ${JSON.stringify(verdict.failures)}::text::json,
  explanations = ${JSON.stringify(verdict.explanations)}::text::json,
  evidence = null, standing = null
`;

/** To be selected where a run is closed without a result, for each `run_id`: the log need not be kept for it. */
export const closeMark = (sql: Sql): Fragment =>
  sql`pg_logical_emit_message(true, ${MARK_PREFIX}, json_build_object('k', 'close', 'run', run_id)::text)`;

/** Fails a run whose changes can no longer be vouched for. */
export const lose = (sql: Sql, run: string, reason: string) =>
  loseWhere(sql, sql`run_id = ${run}`, reason);

/** Fails every active run that is recorded from the log. */
export const loseAll = (sql: Sql, reason: string) => loseWhere(sql, sql`capture = 'log'`, reason);

/** Fails those of the given runs that are active. */
export const loseAmong = (sql: Sql, runs: readonly string[], reason: string) =>
  loseWhere(sql, sql`run_id = any(${[...runs]})`, reason);

/** Fails every active run of the given schemas that is recorded from the log. */
export const loseIn = (sql: Sql, schemas: readonly string[], reason: string) =>
  loseWhere(sql, sql`capture = 'log' and schema_name = any(${[...schemas]})`, reason);

const loseWhere = async (sql: Sql, which: Fragment, reason: string) =>
  await sql`
    with lost as (
      update diorama.runs set ${failedColumns(sql, lostBecause(reason))}
      where status in ('running', 'ending') and ${which} returning run_id, capture
    )
    select pg_notify(${CHANNEL}, 'stored ' || run_id),
      case when capture = 'log' then ${closeMark(sql)}::text end as mark
    from lost
  `;

/**
 * Stores the result of a run that ended: its diff as JSON text, or that it was lost. False when the run is not
 * waiting for one, or a newer leader has taken over. `notify`: the server that waits is another one.
 *
 * The row is locked first, whatever it looks like: the log shows the transaction that set it to `ending` a moment
 * before other sessions do, and the lock waits for that moment.
 */
export async function store(
  sql: Sql,
  epoch: string,
  run: string,
  outcome: Result | { readonly lost: string },
  notify: boolean,
): Promise<boolean> {
  const result =
    "diff" in outcome ? resultColumns(sql, outcome) : failedColumns(sql, lostBecause(outcome.lost));
  const rows = await sql`
    with locked as materialized (
      select run_id, status from diorama.runs where run_id = ${run} for update
    ), stored as (
      update diorama.runs r set ${result} from locked
      where r.run_id = locked.run_id and locked.status = 'ending'
        and exists (select from diorama.capture where epoch = ${epoch})
      returning r.run_id
    )
    select case when ${notify} then pg_notify(${CHANNEL}, 'stored ' || run_id) end from stored
  `;
  return rows.count > 0;
}

export async function isStored(sql: Sql, run: string): Promise<boolean> {
  const [row] =
    await sql`select status not in ('running', 'ending') as stored from diorama.runs where run_id = ${run}`;
  return row?.["stored"] !== false;
}

/** Stores the result of a run whose recording ended in this very transaction. */
export const complete = async (sql: Sql, run: string, result: Result) =>
  await sql`
    update diorama.runs set ${resultColumns(sql, result)}
    where run_id = ${run} and status = 'ending'
  `;

/** How far the log is read. */
export type Reader = {
  /** Undefined while nobody reads. */
  readonly connection: number | undefined;
  /** Everything before it has been read on this connection, as the reader reports it every other second. */
  readonly position: Lsn;
  readonly end: Lsn;
};

export async function reader(sql: Sql): Promise<Reader> {
  const [row] = await sql<{ connection: number | null; position: string; end: string }[]>`
    select s.active_pid as connection, coalesce(c.read_to, pg_current_wal_lsn())::text as position,
      pg_current_wal_lsn()::text as end
    from diorama.capture c left join pg_replication_slots s on s.slot_name = c.slot_name
  `;
  return {
    connection: row?.connection ?? undefined,
    position: parseLsn(row?.position ?? "0/0"),
    end: parseLsn(row?.end ?? "0/0"),
  };
}

/**
 * Log that was written and not read yet, in bytes: 0 while the leader keeps up. Without a reader it is all that the slot
 * has to deliver again.
 */
export async function unreadBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ unread: number }[]>`
    select greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(),
      case when s.active then c.read_to else s.confirmed_flush_lsn end))::float8 as unread
    from diorama.capture c join pg_replication_slots s on s.slot_name = c.slot_name
  `;
  return row?.unread ?? 0;
}
