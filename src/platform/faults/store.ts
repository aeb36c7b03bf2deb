/** The faults of environments. These functions run on any of the pools. */
import { type Fragment, inTransaction, type Pool, type Sql, type Tx } from "~/db/connect";
import type { Delta } from "~/db/deltas";
import { unflushed } from "~/db/unflushed";
import type { Fault } from "~/platform/faults/model";

/** The faults of an environment, and how many calls reached each and got each. */
export type FaultState = {
  readonly faults: readonly Fault[];
  readonly matched: readonly number[];
  readonly injected: readonly number[];
};

export const newState = (faults: readonly Fault[]): FaultState => ({
  faults,
  matched: faults.map(() => 0),
  injected: faults.map(() => 0),
});

/** Gives environments these faults. */
export const insert = async (
  sql: Sql,
  environmentIds: readonly string[],
  { faults, matched, injected }: FaultState,
) =>
  await sql`
    insert into diorama.faults (environment_id, faults, matched, injected)
    select id, ${JSON.stringify(faults)}::text::json, ${[...matched]}::int8[], ${[...injected]}::int8[]
    from unnest(${[...environmentIds]}::text[]) as id
  `;

/** Replaces the faults of an environment whose calls wait. Returns false if it has ended. */
export async function replace(
  sql: Sql,
  environmentId: string,
  faults: readonly Fault[],
): Promise<boolean> {
  const [live] = await sql`
    with dropped as (delete from diorama.faults where environment_id = ${environmentId})
    select from diorama.environments
    where environment_id = ${environmentId} and deleted_at is null and expires_at > now()
    for no key update
  `;
  if (live && faults.length > 0) await insert(sql, [environmentId], newState(faults));
  return live !== undefined;
}

/** An environment's faults as a JSON object, null without any: the pools name columns differently. */
export const faultsOf = (sql: Sql, e: Fragment): Fragment => sql`(
  select json_build_object('faults', f.faults, 'matched', f.matched, 'injected', f.injected)
  from diorama.faults f where f.environment_id = ${e}.environment_id
)`;

export async function find(sql: Sql, environmentId: string): Promise<FaultState | null> {
  const [row] = await sql<{ state: FaultState | null }[]>`
    select ${faultsOf(sql, sql`e`)} as state
    from diorama.environments e where environment_id = ${environmentId}
  `;
  return row?.state ?? null;
}

/** Lets the faults of an environment begin anew. */
export const restart = async (sql: Sql, environmentId: string) =>
  await sql`
    with forgotten as (delete from diorama.past_states where environment_id = ${environmentId})
    update diorama.faults set matched = array_fill(0::int8, array[cardinality(matched)]),
      injected = array_fill(0::int8, array[cardinality(injected)])
    where environment_id = ${environmentId}
  `;

/** The state of an environment's tables at some moment, as the difference from its template. */
export type PastState = { readonly templateSchema: string; readonly delta: Delta };

/**
 * Counts a call. `count` gets the state before it, and returns the one after it. Calls on any servers come one after the
 * other. The commit does not wait for the disk.
 */
export async function countCall<T>(
  pool: Pool,
  environmentId: string,
  count: (state: FaultState, tx: Tx) => Promise<{ readonly state: FaultState; readonly result: T }>,
): Promise<T | undefined> {
  return await inTransaction(pool, async (tx) => {
    const [row] = await tx<{ state: FaultState }[]>`
      select json_build_object('faults', faults, 'matched', matched, 'injected', injected) as state,
        ${unflushed(tx)}
      from diorama.faults where environment_id = ${environmentId} for update
    `;
    if (!row) return undefined;
    const { state, result } = await count(row.state, tx);
    await tx`
      update diorama.faults set matched = ${[...state.matched]}::int8[], injected = ${[...state.injected]}::int8[]
      where environment_id = ${environmentId}
    `;
    return result;
  });
}

/** Counts deliveries of events, in the transaction in which they become due. */
export async function countDeliveries(
  tx: Sql,
  environmentId: string,
  count: (state: FaultState) => FaultState,
): Promise<void> {
  const [row] = await tx<{ state: FaultState }[]>`
    select json_build_object('faults', faults, 'matched', matched, 'injected', injected) as state
    from diorama.faults where environment_id = ${environmentId} for update
  `;
  if (!row) return;
  const { matched, injected } = count(row.state);
  await tx`
    update diorama.faults set matched = ${[...matched]}::int8[], injected = ${[...injected]}::int8[]
    where environment_id = ${environmentId}
  `;
}

/** Keeps the state before a call, and those before the `keep` calls that came before it. Returns the call's number. */
export async function keepState(
  tx: Tx,
  environmentId: string,
  { templateSchema, delta }: PastState,
  keep: number,
): Promise<number> {
  const [row] = await tx<{ call: number }[]>`
    insert into diorama.past_states (environment_id, call, template_schema, delta)
    select ${environmentId}, coalesce(max(call), 0) + 1, ${templateSchema}, ${JSON.stringify(delta)}::text::json
    from diorama.past_states where environment_id = ${environmentId}
    returning call
  `;
  const call = row?.call ?? 0;
  await tx`
    delete from diorama.past_states where environment_id = ${environmentId} and call < ${call - keep}
  `;
  return call;
}

/** Finds the state before a call, or the oldest that is kept. */
export async function findState(
  tx: Tx,
  environmentId: string,
  call: number,
): Promise<PastState | undefined> {
  const [state] = await tx<PastState[]>`
    select template_schema as "templateSchema", delta from diorama.past_states
    where environment_id = ${environmentId} and call >= ${call}
    order by call limit 1
  `;
  return state;
}

/** Deletes the states of environments that have ended. */
export const deleteEndedStates = async (sql: Sql) =>
  await sql`
    delete from diorama.past_states p where (
      select e.deleted_at is not null or e.expires_at <= now() from diorama.environments e
      where e.environment_id = p.environment_id
    )
  `;
