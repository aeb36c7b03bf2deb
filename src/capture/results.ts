/** What capture writes and reads in the platform's tables: the leader's epoch, and what became of each run. */
import { type Lsn, parseLsn } from "~/capture/change";
import type { Plugin, Slot } from "~/capture/slot";
import type { Fragment, Sql } from "~/db/connect";

/** Tells servers other than the leader that a run was `seen` or `stored`: payload `seen <runId>`. */
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
    update diorama.capture set epoch = epoch + 1, state = 'idle', instance = ${by.instance},
      slot_name = ${by.slot.name}, plugin = ${by.slot.plugin},
      system_id = ${by.system.id}, timeline = ${by.system.timeline}, changed_at = now()
    returning epoch
  `;
  if (!row) throw new Error("diorama.capture has no row");
  return row.epoch;
}

export const setState = async (sql: Sql, epoch: string, state: Leader["state"]) =>
  await sql`update diorama.capture set state = ${state}, changed_at = now() where epoch = ${epoch}`;

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

export async function retainedBytes(sql: Sql, since: string): Promise<number> {
  const [row] = await sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), ${since})::float8 as bytes`;
  return row?.["bytes"] ?? 0;
}

/**
 * Tells the server that waits. Returns false when the run's row cannot be seen yet: the log shows a commit a moment
 * before other sessions do.
 */
export async function markSeen(sql: Sql, run: string): Promise<boolean> {
  const rows = await sql`
    with seen as (update diorama.runs set seen = true where run_id = ${run} returning run_id)
    select pg_notify(${CHANNEL}, 'seen ' || run_id) from seen
  `;
  return rows.count > 0;
}

const SCORE_OF_LOST = { passed: 0, total: 0, percent: 0 };

/** What a run that failed for a reason outside its test reads like. */
export const failedColumns = (sql: Sql, failure: string, endedAt = sql`now()`): Fragment => sql`
  status = 'failed', passed = false, score = ${sql.json(SCORE_OF_LOST)}, failures = ${sql.json([failure])},
  diff = null, ended_at = coalesce(ended_at, ${endedAt})
`;

export const lostBecause = (reason: string) => `capture_lost: ${reason}`;

/** What a verdict says of a run. */
export type Judgement = {
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
  readonly judgement?: Judgement;
};

const resultColumns = (sql: Sql, { diff, evidence, events, judgement }: Result): Fragment => {
  const result = sql`diff = ${diff}::text::json, events = ${events ?? null}::text::json`;
  if (judgement) return sql`${result}, ${judgementColumns(sql, judgement)}`;
  return sql`
    ${result}, status = ${evidence === undefined ? "completed" : "evaluating"},
    evidence = ${evidence ?? null}::text::json
  `;
};

export const judgementColumns = (sql: Sql, judgement: Judgement): Fragment => sql`
  status = ${judgement.passed ? "passed" : "failed"}, passed = ${judgement.passed},
  score = ${JSON.stringify(judgement.score)}::text::json,
  failures = ${JSON.stringify(judgement.failures)}::text::json,
  explanations = ${JSON.stringify(judgement.explanations)}::text::json,
  evidence = null, standing = null
`;

/** Fails a run whose changes can no longer be vouched for. */
export const lose = async (sql: Sql, run: string, reason: string) =>
  await sql`
    with lost as (
      update diorama.runs set ${failedColumns(sql, lostBecause(reason))}
      where run_id = ${run} and status in ('running', 'ending') returning run_id
    )
    select pg_notify(${CHANNEL}, 'stored ' || run_id) from lost
  `;

export const loseAll = async (sql: Sql, reason: string) =>
  await sql`
    with lost as (
      update diorama.runs set ${failedColumns(sql, lostBecause(reason))}
      where status in ('running', 'ending') and capture = 'log' returning run_id
    )
    select pg_notify(${CHANNEL}, 'stored ' || run_id) from lost
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

/** The leader has read the run's start mark, or the run is over already. */
export async function wasSeen(sql: Sql, run: string): Promise<boolean> {
  const [row] =
    await sql`select seen or status <> 'running' as seen from diorama.runs where run_id = ${run}`;
  return row?.["seen"] !== false;
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
  /** Everything before it has been read on this connection. */
  readonly position: Lsn;
  readonly end: Lsn;
};

export async function reader(sql: Sql): Promise<Reader> {
  const [row] = await sql<{ connection: number | null; position: string | null; end: string }[]>`
    select r.pid as connection, r.write_lsn::text as position, pg_current_wal_lsn()::text as end
    from diorama.capture c
    left join pg_replication_slots s on s.slot_name = c.slot_name
    left join pg_stat_replication r on r.pid = s.active_pid
  `;
  return {
    connection: row?.connection ?? undefined,
    position: parseLsn(row?.position ?? "0/0"),
    end: parseLsn(row?.end ?? "0/0"),
  };
}

/** Log that was written and not read yet. */
export async function lagBytes(sql: Sql): Promise<number> {
  const [row] = await sql`
    select greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), r.sent_lsn))::float8 as lag
    from diorama.capture c
    join pg_replication_slots s on s.slot_name = c.slot_name
    join pg_stat_replication r on r.pid = s.active_pid
  `;
  return row?.["lag"] ?? 0;
}
