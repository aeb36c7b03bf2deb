/** The clocks of environments. These functions run on any of the pools. */
import type { Fragment, Sql } from "~/db/connect";
import { unflushed } from "~/db/unflushed";
import type { Timing } from "~/platform/environments/clock-model";
import { jsonText } from "~/platform/environments/store";
import { type FaultState, faultsOf } from "~/platform/faults/store";

/** The timing of an environment, as a JSON object: the pools name columns differently. */
export const timingOf = (sql: Sql, e: Fragment = sql`environments`): Fragment => sql`
  json_build_object('clock', ${e}.clock, 'firstClock', ${e}.first_clock, 'seed', ${e}.seed, 'calls', ${e}.calls)
`;

/** Locks an environment against its end and against starts of runs. Returns undefined if it has ended. */
export async function lockTiming(sql: Sql, environmentId: string): Promise<Timing | undefined> {
  const [row] = await sql<{ timing: Timing }[]>`
    select ${timingOf(sql)} as timing from diorama.environments
    where environment_id = ${environmentId} and deleted_at is null and expires_at > now()
    for no key update
  `;
  return row?.timing;
}

/** Undefined if there is no such environment. */
export async function findTiming(sql: Sql, environmentId: string): Promise<Timing | undefined> {
  const [row] = await sql<{ timing: Timing }[]>`
    select ${timingOf(sql)} as timing from diorama.environments where environment_id = ${environmentId}
  `;
  return row?.timing;
}

type Opened = {
  readonly timing: Timing;
  readonly state: FaultState | null;
  /** Its changes are noted. */
  readonly noted: boolean;
  /** It has counterparts. */
  readonly counterparts: boolean;
  /** Their beginning, as in their progress. */
  readonly begun: string | null;
  /** The calls that rules name. */
  readonly namedCalls: readonly string[];
};

/** The facts that a server needs to serve the calls of a live environment; undefined if it has ended. */
export async function findOpening(sql: Sql, environmentId: string): Promise<Opened | undefined> {
  const [row] = await sql<Opened[]>`
    select ${timingOf(sql, sql`e`)} as timing, ${faultsOf(sql, sql`e`)} as state,
      exists (select from diorama.outboxes o where o.environment_id = e.environment_id and is_noting) as noted,
      exists (
        select from diorama.counterparts c
        where c.environment_id = e.environment_id and json_array_length(c.rules) > 0
      ) as counterparts,
      (
        select progress ->> 'begun' from diorama.counterparts c where c.environment_id = e.environment_id
      ) as begun,
      array(
        select condition ->> 'entity'
        from diorama.counterparts c, json_array_elements(c.rules) rule,
          unnest(array[rule -> 'when', rule -> 'unless']) condition
        where c.environment_id = e.environment_id and condition ->> 'diff_type' = 'called'
      ) as "namedCalls"
    from diorama.environments e
    where environment_id = ${environmentId} and deleted_at is null and expires_at > now()
  `;
  return row;
}

/** The time that an environment showed when it was new; undefined if nothing is known of it any more. */
export async function findFirstTime(sql: Sql, environmentId: string): Promise<Date | undefined> {
  const [row] = await sql<{ time: Date }[]>`
    select coalesce(to_timestamp((first_clock ->> 'now')::float8 / 1000), created_at) as time
    from diorama.environments where environment_id = ${environmentId}
  `;
  return row?.time;
}

/**
 * Counts a call. Returns its number. The commit does not wait for the disk: whatever the call itself commits later does,
 * and a crash never leaves a call that wrote uncounted.
 */
export async function countCall(sql: Sql, environmentId: string): Promise<number> {
  const [row] = await sql<{ calls: string }[]>`
    with quick as materialized (select ${unflushed(sql)})
    update diorama.environments set calls = calls + 1 from quick
    where environment_id = ${environmentId} returning calls::text as calls
  `;
  return Number(row?.calls);
}

/** Sets the clock of an environment whose calls wait. */
export const setClock = async (sql: Sql, environmentId: string, { clock, calls }: Timing) =>
  await sql`
    update diorama.environments set clock = ${jsonText(clock)}::text::json, calls = ${calls}
    where environment_id = ${environmentId}
  `;
