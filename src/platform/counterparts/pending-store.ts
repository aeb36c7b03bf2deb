/**
 * Actions of counterparts that wait for the clock of their environment (migrations 38 and 43). These functions run on
 * any of the pools.
 */
import type { Sql } from "~/db/connect";
import type { Row } from "~/evaluation/predicate";

/** Times are milliseconds since 1970, by the clock of the environment. */
export type PendingAction = {
  /** The place of its rule. */
  readonly rule: number;
  readonly due: number;
  /** The columns that the rule takes from the row that set it off. */
  readonly row: Row;
  /** How long the agent has to be silent. Null: it is due at its time, whatever the agent does. */
  readonly quietMs: number | null;
};

type NewPending = PendingAction & {
  /** When it is due in real time, in milliseconds since 1970; null: the clock moves only with calls. */
  readonly wakesAt: number | null;
};

export type StoredPending = PendingAction & { readonly seq: string };

/** Lets each of these environments have these actions, in their order. */
export async function insert(
  sql: Sql,
  environmentIds: readonly string[],
  actions: readonly NewPending[],
): Promise<void> {
  if (actions.length === 0) return;
  await sql`
    insert into diorama.pending_actions (environment_id, rule, due, trigger_row, quiet_ms, wakes_at)
    select id, p.rule, p.due, p."row", p."quietMs", to_timestamp(p."wakesAt" / 1000)
    from unnest(${[...environmentIds]}::text[]) as id, rows from (
      json_to_recordset(${JSON.stringify(actions)}::text::json) as (rule int4, due int8, "row" json, "quietMs" int8, "wakesAt" float8)
    ) with ordinality as p (rule, due, "row", "quietMs", "wakesAt", place)
    order by place
  `;
}

export type Left = {
  /** The number of the last change that no rule has seen. */
  readonly last: string | null;
  /** When the first pending action is due. */
  readonly due: number | null;
  /** A pending action waits until the agent has been silent. */
  readonly awaitsQuiet: boolean;
};

/** Looks at the work that is left in an environment. */
export async function findLeft(sql: Sql, environmentId: string): Promise<Left> {
  const [row] = await sql<Left[]>`
    select
      (select max(number)::text from diorama.counterpart_changes where environment_id = ${environmentId}) as last,
      (select min(due)::float8 from diorama.pending_actions where environment_id = ${environmentId}) as due,
      exists (
        select from diorama.pending_actions where environment_id = ${environmentId} and quiet_ms is not null
      ) as "awaitsQuiet"
  `;
  return row ?? { last: null, due: null, awaitsQuiet: false };
}

/** The number of the newest pending action; null: there is none. */
export async function findNewest(sql: Sql, environmentId: string): Promise<string | null> {
  const [row] = await sql<{ newest: string | null }[]>`
    select max(seq)::text as newest from diorama.pending_actions where environment_id = ${environmentId}
  `;
  return row?.newest ?? null;
}

/** Lets silence begin now. Both times are milliseconds: by the environment's clock, and its lead as in `setWaking`. */
export const restartQuiet = async (
  sql: Sql,
  environmentId: string,
  now: number,
  aheadMs: number | null,
) =>
  await sql`
    update diorama.pending_actions
    set due = ${now}::int8 + quiet_ms, wakes_at = to_timestamp((${now}::int8 + quiet_ms - ${aheadMs}::float8) / 1000)
    where environment_id = ${environmentId} and quiet_ms is not null
  `;

/** The pending actions of an environment in the order in which they are done. `until`: that are due by then. */
export const list = async (
  sql: Sql,
  environmentId: string,
  { until, limit }: { readonly until: number; readonly limit: number },
): Promise<StoredPending[]> =>
  await sql<StoredPending[]>`
    select seq::text as seq, rule, due::float8 as due, trigger_row as "row", quiet_ms::float8 as "quietMs"
    from diorama.pending_actions
    where environment_id = ${environmentId} and due <= ${until}::float8
    order by due, seq limit ${limit}
  `;

/** When the pending actions of an environment are due, in order, with the places of their rules. */
export const listTimes = async (
  sql: Sql,
  environmentId: string,
): Promise<Pick<PendingAction, "rule" | "due">[]> =>
  await sql<Pick<PendingAction, "rule" | "due">[]>`
    select rule, due::float8 as due from diorama.pending_actions
    where environment_id = ${environmentId} order by due, seq
  `;

export async function remove(
  tx: Sql,
  environmentId: string,
  actions: readonly Pick<StoredPending, "seq">[],
): Promise<void> {
  if (actions.length === 0) return;
  const numbers = actions.map(({ seq }) => seq);
  await tx`
    delete from diorama.pending_actions where environment_id = ${environmentId} and seq = any(${numbers}::int8[])
  `;
}

export const removeAll = async (tx: Sql, environmentId: string) =>
  await tx`delete from diorama.pending_actions where environment_id = ${environmentId}`;

/**
 * Notes that the clock of an environment was moved. `aheadMs`: by so much it is ahead of real time; null: it moves only
 * with calls.
 */
export const setWaking = async (tx: Sql, environmentId: string, aheadMs: number | null) =>
  await tx`
    update diorama.pending_actions set wakes_at = to_timestamp((due - ${aheadMs}::float8) / 1000)
    where environment_id = ${environmentId}
  `;

type Taking = {
  readonly now: number;
  readonly nextAt: number;
  readonly limit: number;
  readonly underWay: Iterable<string>;
};

/**
 * Takes environments in which actions are due in real time, at most so many actions of them, without those that are
 * `underWay`. Until `nextAt` nobody else takes these actions. Times are in milliseconds since 1970.
 */
export async function takeWaking(
  sql: Sql,
  { now, nextAt, limit, underWay }: Taking,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with due as (
      select p.environment_id, p.due, p.seq
      from diorama.pending_actions p join diorama.environments e using (environment_id)
      where p.wakes_at <= to_timestamp(${now}::float8 / 1000) and e.deleted_at is null and e.expires_at > now()
        and p.environment_id <> all(${[...underWay]}::text[])
      order by p.wakes_at limit ${limit} for update of p skip locked
    ), taken as (
      update diorama.pending_actions p set wakes_at = to_timestamp(${nextAt}::float8 / 1000)
      from due where (p.environment_id, p.due, p.seq) = (due.environment_id, due.due, due.seq)
      returning p.environment_id
    )
    select distinct environment_id as id from taken
  `;
  return rows.map(({ id }) => id);
}

/** Deletes the pending actions of environments that have ended. */
export const deleteEnded = async (sql: Sql) =>
  await sql`
    delete from diorama.pending_actions p where (
      select e.deleted_at is not null or e.expires_at <= now() from diorama.environments e
      where e.environment_id = p.environment_id
    )
  `;
