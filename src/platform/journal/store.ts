import type { Sql } from "~/db/connect";
import { unflushed } from "~/db/unflushed";

/** `full`: with the answers. */
export type JournalMode = "off" | "calls" | "full";

/** A run that may be the one of a call. Times are in milliseconds since 1970. */
export type JournaledRun = {
  readonly environmentId: string;
  readonly runId: string;
  readonly journal: JournalMode;
  readonly startedAt: number;
  readonly endedAt: number | null;
};

/** Lists the runs of these environments that were active within the last `ms`, the newest first, and the database's time. */
export async function findActive(
  sql: Sql,
  environmentIds: readonly string[],
  ms: number,
): Promise<{ now: number; runs: readonly JournaledRun[] }> {
  const [row] = await sql<{ now: number; runs: JournaledRun[] | null }[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now, (
      select json_agg(json_build_object(
        'environmentId', environment_id, 'runId', run_id, 'journal', journal,
        'startedAt', extract(epoch from started_at)::float8 * 1000, 'endedAt', extract(epoch from ended_at)::float8 * 1000
      ) order by started_at desc)
      from diorama.runs
      where environment_id = any(${[...environmentIds]}) and journal <> 'off'
        and (ended_at is null or ended_at > now() - ${ms}::float8 * interval '1 millisecond')
    ) as runs
  `;
  if (!row) throw new Error("a query without a row");
  return { now: row.now, runs: row.runs ?? [] };
}

/** A batch to append. `lines`: JSON text. */
export type Batch = {
  readonly runId: string;
  readonly lines: string;
  readonly lineCount: number;
  /** Calls that were left out, and how many of them because the run itself had too many. */
  readonly dropped: number;
  readonly droppedOwn?: number;
};

/** Appends without waiting for the disk: what a crash of Postgres loses of calls that wrote is in the log. */
export const append = async (sql: Sql, batches: readonly Batch[]) =>
  await sql`
    with quick as materialized (select ${unflushed(sql)})
    insert into diorama.calls (run_id, lines, line_count, dropped, dropped_own)
    select b.run_id, b.lines::json, b.line_count, b.dropped, b.dropped_own
    from quick, unnest(
      ${batches.map(({ runId }) => runId)}::text[], ${batches.map(({ lines }) => lines)}::text[],
      ${batches.map(({ lineCount }) => lineCount)}::int[], ${batches.map(({ dropped }) => dropped)}::int[],
      ${batches.map(({ droppedOwn = 0 }) => droppedOwn)}::int[]
    ) as b (run_id, lines, line_count, dropped, dropped_own)
  `;

export type RunOfJournal = {
  readonly userId: string;
  readonly journal: JournalMode;
  readonly capture: "log" | "snapshot";
  /** Its changes are stored, or will never be. */
  readonly isOver: boolean;
  /** The database's time in milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since its end; null while it is running. */
  readonly sinceEnd: number | null;
  readonly isAttributed: boolean;
};

export async function findRun(sql: Sql, runId: string): Promise<RunOfJournal | undefined> {
  const [run] = await sql<RunOfJournal[]>`
    select user_id, journal, capture, status not in ('running', 'ending') as is_over,
      extract(epoch from clock_timestamp() - ended_at)::float8 * 1000 as since_end,
      extract(epoch from clock_timestamp())::float8 * 1000 as now, call_changes is not null as is_attributed
    from diorama.runs where run_id = ${runId}
  `;
  return run;
}

/** Counts the calls of a run, and those that were left out. Final once its calls are numbered after its end. */
export async function findDropped(
  sql: Sql,
  runId: string,
): Promise<{ lines: number; dropped: number; droppedOwn: number }> {
  const [row] = await sql<{ lines: number; dropped: number; droppedOwn: number }[]>`
    select coalesce(sum(line_count), 0)::int as lines, coalesce(sum(dropped), 0)::int as dropped,
      coalesce(sum(dropped_own), 0)::int as dropped_own
    from diorama.calls where run_id = ${runId}
  `;
  return row ?? { lines: 0, dropped: 0, droppedOwn: 0 };
}

/** Makes numbering the calls of a run wait for its turn, until the transaction ends. */
export const lockNumbering = async (tx: Sql, runId: string) =>
  await tx`select pg_advisory_xact_lock(hashtextextended(${`journal ${runId}`}, 0))`;

type StoredBatch = {
  readonly batch: string;
  /** JSON text. */
  readonly lines: string;
  readonly numbers: readonly (number | null)[];
};

/** The first batches after this one. */
export const listBatches = async (
  sql: Sql,
  runId: string,
  which: "all" | "unnumbered",
  after: string,
  limit: number,
): Promise<StoredBatch[]> =>
  await sql<StoredBatch[]>`
    with next as materialized (
      select run_id, batch from diorama.calls
      where run_id = ${runId} and batch > ${after} ${which === "all" ? sql`` : sql`and not is_numbered`}
      order by batch limit ${limit}
    )
    select c.batch, c.lines::text, c.numbers from next join diorama.calls c using (run_id, batch) order by c.batch
  `;

export async function lastNumber(sql: Sql, runId: string): Promise<number> {
  const [row] = await sql<{ last: number | null }[]>`
    select max(last_number) as last from diorama.calls where run_id = ${runId}
  `;
  return row?.last ?? 0;
}

export const setNumbers = async (
  sql: Sql,
  runId: string,
  { batch, numbers }: Pick<StoredBatch, "batch" | "numbers">,
) =>
  await sql`
    update diorama.calls set numbers = ${numbers as number[]}::int[],
      first_number = (select min(n) from unnest(${numbers as number[]}::int[]) as n where n > 0),
      last_number = (select max(n) from unnest(${numbers as number[]}::int[]) as n where n > 0),
      is_numbered = ${!numbers.includes(null)}
    where run_id = ${runId} and batch = ${batch}
  `;

/** Returns the calls that wrote, as the log names them, as JSON text. */
export async function findMarks(sql: Sql, runId: string): Promise<string | null> {
  const [run] = await sql<{ marks: string | null }[]>`
    select call_marks::text as marks from diorama.runs where run_id = ${runId}
  `;
  return run?.marks ?? null;
}

/** `next`: the first number of the batch after it; null if there is none. */
type NumberedBatch = StoredBatch & { readonly next: number | null };

/**
 * Lists the batches that have a call numbered above `after`, up to `until`: the first ones, until they have `lengthMax`
 * bytes, and those that may have the first call.
 */
export const listNumbered = async (
  sql: Sql,
  runId: string,
  { after, until, lengthMax }: { after: number; until: number; lengthMax: number },
): Promise<NumberedBatch[]> =>
  await sql<NumberedBatch[]>`
    select batch, lines::text, numbers, next from (
      select batch, lines, numbers, first_number, lead(first_number) over in_order as next, sum(length) over in_order - length as before
      from (
        select batch, lines, numbers, first_number, octet_length(lines::text) as length
        from diorama.calls
        where run_id = ${runId} and last_number > ${after} and first_number <= ${until}
      ) as sized
      window in_order as (order by first_number, batch)
    ) as summed
    where first_number <= ${after + 1} or before < ${lengthMax}
    order by first_number, batch
  `;

/** Returns JSON text. */
export async function findChanges(sql: Sql, runId: string): Promise<string | null> {
  const [run] = await sql<{ changes: string | null }[]>`
    select call_changes::text as changes from diorama.runs where run_id = ${runId}
  `;
  return run?.changes ?? null;
}
