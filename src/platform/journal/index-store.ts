/**
 * Long journals are numbered and counted by Postgres, from an index of their lines: columns of the same rows. The texts
 * in it come from callers, so they are compared here, and never parsed.
 */
import { QUERY_DEADLINE_SECONDS, type Sql, type Tx } from "~/db/connect";

/** The index of a batch. Each list has one element for each line. */
export type LineIndex = {
  readonly ids: readonly string[];
  /** In milliseconds since 1970. */
  readonly answered: readonly number[];
  /** JSON text: `[via, name]`. */
  readonly called: readonly string[];
  /** JSON text: `[hasFailed, status, error, fault]`. */
  readonly outcomes: readonly string[];
  /** MD5 of the arguments as JSON text. */
  readonly hashes: readonly string[];
};

/** For a statement on a million calls: as long as the driver waits. */
const STATEMENT_MS = (QUERY_DEADLINE_SECONDS - 1) * 1000;

/** For sorts of many lines; the default spills most of them to disk. */
const SORT_MEMORY = "64MB";

/**
 * Gives the statements of a transaction the time and memory for a long run. Statistics may not know the run yet: Postgres then
 * expects a few lines, and would compare each with each other.
 */
export const allowLong = async (tx: Tx) =>
  await tx`
    select set_config('statement_timeout', ${`${STATEMENT_MS}`}, true), set_config('enable_nestloop', 'off', true),
      set_config('work_mem', ${SORT_MEMORY}, true)
  `;

/** JSON texts of batches without an index, the first ones after this one. Only these are read: a sort would read all. */
export const listUnindexed = async (
  sql: Sql,
  runId: string,
  after: string,
  limit: number,
): Promise<{ batch: string; lines: string }[]> =>
  await sql<{ batch: string; lines: string }[]>`
    with next as materialized (
      select run_id, batch from diorama.calls where run_id = ${runId} and batch > ${after} and ids is null
      order by batch limit ${limit}
    )
    select c.batch, c.lines::text from next join diorama.calls c using (run_id, batch) order by c.batch
  `;

export const setIndex = async (sql: Sql, runId: string, batch: string, index: LineIndex) =>
  await sql`
    update diorama.calls c set ids = given.ids, answered = given.answered, called = given.called,
      outcomes = given.outcomes, hashes = given.hashes
    from json_to_record(${JSON.stringify(index)}::text::json)
      as given (ids text[], answered float8[], called text[], outcomes text[], hashes text[])
    where run_id = ${runId} and batch = ${batch}
  `;

/** Those of the ids that have a line. */
export async function findKnown(sql: Sql, runId: string, ids: readonly string[]) {
  const rows = await sql<{ id: string }[]>`
    select id from diorama.calls, unnest(ids) as id
    where run_id = ${runId} and id in (select unnest(${[...ids]}::text[]))
  `;
  return rows.map(({ id }) => id);
}

/** A line, counted from 1 in its batch. */
type IndexedPlace = { readonly batch: string; readonly place: number };

/** The numbers of those of the calls that have one. */
export async function findNumbers(
  sql: Sql,
  runId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; number: number }[]>`
    select id, number from diorama.calls, unnest(ids, numbers) as line (id, number)
    where run_id = ${runId} and number > 0 and id in (select unnest(${[...ids]}::text[]))
  `;
  return new Map(rows.map(({ id, number }) => [id, number]));
}

/** Pairs of lines of one call: a numbered one from the log, and one that its server has appended after all. */
export const listLate = async (tx: Tx, runId: string) =>
  await tx<{ number: number; logged: IndexedPlace; late: IndexedPlace }[]>`
    with lines as (
      select batch, place, id, outcome, number, is_numbered
      from diorama.calls, unnest(ids, outcomes, numbers) with ordinality as line (id, outcome, number, place)
      where run_id = ${runId}
    )
    select logged.number, json_build_object('batch', logged.batch::text, 'place', logged.place) as logged,
      json_build_object('batch', late.batch::text, 'place', late.place) as late
    from lines logged join lines late using (id)
    where logged.number > 0 and starts_with(logged.outcome, '[true,null,')
      and late.number is null and not late.is_numbered and late.batch <> logged.batch
  `;

export const setNumber = async (
  tx: Tx,
  runId: string,
  { batch, place }: IndexedPlace,
  number: number,
) =>
  await tx`
    update diorama.calls set numbers[${place}::int] = ${number} where run_id = ${runId} and batch = ${batch}
  `;

/** Numbers the lines that were answered up to `until`, in the order in which they were. */
export const numberIndexed = async (tx: Tx, runId: string, until: number) =>
  await tx`
    with last as (
      select coalesce(max(last_number), 0) as number from diorama.calls where run_id = ${runId}
    ), lines as (
      select batch, place, id, number, answered_at, number is null and answered_at <= ${until}::float8 as is_due
      from diorama.calls, unnest(ids, answered, numbers) with ordinality as line (id, answered_at, number, place)
      where run_id = ${runId} and not is_numbered
    ), numbered as (
      select batch, place, case when is_due then
        (select number from last) + row_number() over (partition by is_due order by answered_at, id collate "C")
      else number end::int as number from lines
    ), batches as (
      select batch, array_agg(number order by place) as numbers,
        min(number) filter (where number > 0) as first, max(number) filter (where number > 0) as last
      from numbered group by batch
    )
    update diorama.calls c set numbers = n.numbers, first_number = n.first, last_number = n.last,
      is_numbered = array_position(n.numbers, null) is null
    from batches n where c.run_id = ${runId} and c.batch = n.batch
  `;

/** Calls that do not differ in what is asked for. `n`: of the first. */
export type CallGroup = {
  readonly n: number;
  readonly times: number;
  readonly called: string;
  readonly outcome: string | null;
  readonly hash: string | null;
  readonly retry: number | null;
};

/** Lines that are sorted together: in memory, and well within the time of a statement on a slow disk. */
export const LINES_SORTED = 125_000;

/** One of `count` shares of a run's calls. Those with the same name and arguments are in the same one. */
export type Share = { readonly index: number; readonly count: number };

/**
 * A call's `retry` is how many with the same name and arguments have failed since one succeeded: the failures before it,
 * without those before the last success. Both windows read the lines in one order, so they are sorted once.
 */
const RETRIES = (sql: Sql, runId: string, { index, count }: Share) => sql`
  select n, called, outcome, hash,
    (failures - coalesce(max(failures) filter (where not has_failed) over same, 0))::int as retry
  from (
    select n, called, outcome, hash, has_failed, count(*) filter (where has_failed) over same as failures
    from (
      ${LINES(sql, runId)} and (hashtext(line.called || line.hash) & ${0x7f_ff_ff_ff}::int) % ${count}::int = ${index}::int
    ) as lines
    window same as (partition by called, hash order by n rows between unbounded preceding and 1 preceding)
  ) as counted
  window same as (partition by called, hash order by n rows between unbounded preceding and 1 preceding)
`;

const LINES = (sql: Sql, runId: string) => sql`
  select n, line.called collate "C" as called, outcome, hash collate "C" as hash,
    starts_with(outcome, '[true') as has_failed, null::int as retry
  from diorama.calls, unnest(numbers, called, outcomes, hashes) as line (n, called, outcome, hash)
  where run_id = ${runId} and n > 0
`;

/** Groups the calls of a run that are numbered. `retry`: counted, for those of a share. */
export const groupCalls = (
  tx: Tx,
  runId: string,
  by: { readonly outcome: boolean; readonly hash: boolean; readonly retry: Share | undefined },
) =>
  tx<CallGroup[]>`
    select min(n)::int as n, count(*)::int as times, called, outcome, hash, retry from (
      select n, called, ${by.outcome ? tx`outcome` : tx`null::text as outcome`},
        ${by.hash ? tx`hash` : tx`null::text as hash`}, retry
      from (${by.retry ? RETRIES(tx, runId, by.retry) : LINES(tx, runId)}) as lines
    ) as asked
    group by called, outcome, hash, retry
  `;
