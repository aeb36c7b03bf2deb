/** The faults of environments. These functions run on any of the pools. */
import { type Fragment, inTransaction, type Pool, type Sql } from "~/db/connect";
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
    update diorama.faults set matched = array_fill(0::int8, array[cardinality(matched)]),
      injected = array_fill(0::int8, array[cardinality(injected)])
    where environment_id = ${environmentId}
  `;

/**
 * Counts a call. `count` gets the state before it, and returns the one after it. Calls on any servers come one after the
 * other. The commit does not wait for the disk.
 */
export async function countCall<T>(
  pool: Pool,
  environmentId: string,
  count: (state: FaultState) => { readonly state: FaultState; readonly result: T },
): Promise<T | undefined> {
  return await inTransaction(pool, async (tx) => {
    const [row] = await tx<{ state: FaultState }[]>`
      select json_build_object('faults', faults, 'matched', matched, 'injected', injected) as state,
        set_config('synchronous_commit', 'off', true)
      from diorama.faults where environment_id = ${environmentId} for update
    `;
    if (!row) return undefined;
    const { state, result } = count(row.state);
    await tx`
      update diorama.faults set matched = ${[...state.matched]}::int8[], injected = ${[...state.injected]}::int8[]
      where environment_id = ${environmentId}
    `;
    return result;
  });
}
