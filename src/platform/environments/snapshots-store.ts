/** Snapshots of environments, and the state that an environment comes from. */

import type { Fragment, Sql } from "~/db/connect";
import type { Delta } from "~/db/deltas";
import type { Used } from "~/db/schemas";
import { timingOf } from "~/platform/environments/clock-store";
import type { Reading, Timing } from "~/platform/environments/model";
import { journaledCalls, jsonText, type RunClosing } from "~/platform/environments/store";
import { type FaultState, faultsOf } from "~/platform/faults/store";

/** A live environment's schema, locked for the caller's transaction. */
export type Locked = Used & {
  readonly templateSchema: string;
  /** Its template has not been replaced. */
  readonly current: boolean;
  readonly familyId: string;
  readonly snapshotId: string | null;
  readonly timing: Timing;
  readonly faults: FaultState | null;
};

/** The run that a reset has closed. */
export type ClosedRun = { readonly runId: string; readonly capture: "log" | "snapshot" };

const lockedColumns = (sql: Sql): Fragment => sql`
  s.schema_name as schema, s.fresh_xid::text as "freshXid", s.fingerprint, s.template_schema as "templateSchema",
  exists (select from diorama.templates t where t.schema_name = s.template_schema) as current,
  coalesce(e.family_id, e.environment_id) as "familyId", e.snapshot_id as "snapshotId",
  ${timingOf(sql, sql`e`)} as timing, ${faultsOf(sql, sql`e`)} as faults
`;

/** Locks a live environment against its end and against starts of runs. Returns undefined if it has ended. */
export async function lock(sql: Sql, environmentId: string): Promise<Locked | undefined> {
  const [locked] = await sql<Locked[]>`
    select ${lockedColumns(sql)}
    from diorama.environments e join diorama.schemas s using (schema_name)
    where e.environment_id = ${environmentId} and e.deleted_at is null and e.expires_at > now()
    for no key update of e
  `;
  return locked;
}

/** The same, and closes the environment's running run. */
export async function lockForReset(
  sql: Sql,
  environmentId: string,
  snapshotId: string | null,
  runs: RunClosing,
): Promise<(Locked & { readonly closed: ClosedRun | null }) | undefined> {
  const [locked] = await sql<(Locked & { closed: ClosedRun | null })[]>`
    with ended as (
      update diorama.environments set snapshot_id = ${snapshotId}
      where environment_id = ${environmentId} and deleted_at is null and expires_at > now()
      returning environment_id, now() as at
    ), closed as (
      ${runs.closed(sql, "reset")}
    )
    select ${lockedColumns(sql)},
      case when closed.run_id is not null
        then json_build_object('runId', closed.run_id, 'capture', closed.capture) end as closed,
      ${runs.mark(sql, "reset")} as mark
    from ended
    join diorama.environments e using (environment_id)
    join diorama.schemas s using (schema_name)
    left join closed on closed.environment_id = e.environment_id
  `;
  return locked;
}

export const setFresh = async (sql: Sql, schema: string, freshXid: string, fingerprint: string) =>
  await sql`
    update diorama.schemas set fresh_xid = ${freshXid}, fingerprint = ${fingerprint} where schema_name = ${schema}
  `;

export type NewSnapshot = {
  readonly snapshotId: string;
  readonly environmentId: string;
  readonly keyId: string;
  readonly name: string | null;
  readonly rows: number;
  readonly delta: Delta;
  /** Of its clock; null: real time. */
  readonly reading: Reading | null;
};

export type Stored = {
  /** When it was taken; null if it was not stored, because a limit is reached. */
  readonly at: Date | null;
  readonly atCall: number | null;
  readonly ofFamily: number;
  readonly ofKey: number;
};

/** Stores a snapshot, unless a limit is reached, as the state that its environment comes from. */
export async function insert(
  sql: Sql,
  locked: Locked,
  snapshot: NewSnapshot,
  max: { readonly ofFamily: number; readonly ofKey: number },
): Promise<Stored> {
  const { snapshotId, environmentId, keyId, name, rows, delta, reading } = snapshot;
  const [stored] = await sql<Stored[]>`
    with counted as materialized (
      select
        (select count(*)::int from diorama.environment_snapshots where family_id = ${locked.familyId}) as of_family,
        (select count(*)::int from diorama.environment_snapshots where key_id = ${keyId}) as of_key
    ), admitted as (
      select from counted where of_family < ${max.ofFamily} and of_key < ${max.ofKey}
    ), inserted as (
      insert into diorama.environment_snapshots (
        snapshot_id, family_id, environment_id, key_id, parent_id, name, template_schema, row_count, delta, clock, calls,
        at_call
      )
      select ${snapshotId}, ${locked.familyId}, ${environmentId}, ${keyId}, ${locked.snapshotId}, ${name},
        ${locked.templateSchema}, ${rows}, ${JSON.stringify(delta)}::text::json,
        ${jsonText(reading)}::text::json, ${locked.timing.calls}::int8,
        ${journaledCalls(sql, sql`${environmentId}`)}
      from admitted
      returning created_at, at_call
    ), moved as (
      update diorama.environments set snapshot_id = ${snapshotId}
      where environment_id = ${environmentId} and exists (select from admitted)
    )
    select of_family as "ofFamily", of_key as "ofKey", created_at as at, at_call as "atCall"
    from counted left join inserted on true
  `;
  if (!stored) throw new Error("the snapshots were not counted");
  return stored;
}

/** A state that an environment had. */
export type State = {
  readonly delta: Delta;
  readonly templateSchema: string;
  readonly current: boolean;
  readonly familyId: string;
  readonly snapshotId: string | null;
  /** Of the environment. */
  readonly timing: Timing;
  /** Of its clock; null: real time. */
  readonly reading: Reading | null;
  /** Calls until then. */
  readonly calls: number;
  /** Calls until then, as the journals have them. */
  readonly atCall: number;
};

/** Finds a snapshot of an environment, or of one of its family. */
export async function findState(
  sql: Sql,
  environmentId: string,
  snapshotId: string,
): Promise<State | undefined> {
  const [state] = await sql<State[]>`
    select s.delta, s.template_schema as "templateSchema", s.family_id as "familyId", s.snapshot_id as "snapshotId",
      s.at_call as "atCall", s.clock as reading, s.calls::float8 as calls, ${timingOf(sql, sql`e`)} as timing,
      exists (select from diorama.templates t where t.schema_name = s.template_schema) as current
    from diorama.environment_snapshots s
    join diorama.environments e on s.family_id = coalesce(e.family_id, e.environment_id)
    where e.environment_id = ${environmentId} and s.snapshot_id = ${snapshotId}
  `;
  return state;
}

export type SnapshotRow = {
  readonly snapshotId: string;
  readonly environmentId: string;
  readonly parentId: string | null;
  readonly name: string | null;
  readonly rowCount: number;
  readonly createdAt: Date;
  readonly atCall: number;
};

/** Counts the calls that the journals of an environment's runs have. */
export async function countCalls(sql: Sql, environmentId: string): Promise<number> {
  const [row] = await sql<{ calls: number }[]>`
    select ${journaledCalls(sql, sql`${environmentId}`)} as calls
  `;
  return row?.calls ?? 0;
}

/** Lists the snapshots of an environment's family, oldest first. */
export async function list(sql: Sql, environmentId: string): Promise<SnapshotRow[]> {
  return await sql<SnapshotRow[]>`
    select s.snapshot_id, s.environment_id, s.parent_id, s.name, s.row_count, s.created_at, s.at_call
    from diorama.environment_snapshots s
    join diorama.environments e on s.family_id = coalesce(e.family_id, e.environment_id)
    where e.environment_id = ${environmentId}
    order by s.created_at, s.snapshot_id
  `;
}

const FORGET_BATCH = 100;

/** Deletes snapshots of families without a live environment. */
export const deleteUnused = async (sql: Sql) =>
  await sql`
    delete from diorama.environment_snapshots where snapshot_id in (
      select s.snapshot_id from diorama.environment_snapshots s
      where not exists (
        select from diorama.environments e
        where (e.environment_id = s.family_id or e.family_id = s.family_id)
          and e.deleted_at is null and e.expires_at > now()
      )
      limit ${FORGET_BATCH}
    )
  `;
