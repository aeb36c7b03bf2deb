/** Snapshots of environments, and the state that an environment comes from. */

import type { Fragment, Sql } from "~/db/connect";
import type { Delta } from "~/db/deltas";
import type { Used } from "~/db/recycling";
import type { Built } from "~/db/schemas";
import { countActions } from "~/platform/counterparts/store";
import type { Reading, Timing } from "~/platform/environments/clock-model";
import { timingOf } from "~/platform/environments/clock-store";
import type { RunClosing } from "~/platform/environments/ending-store";
import { isKept } from "~/platform/environments/schemas-store";
import { journaledCalls, jsonText } from "~/platform/environments/store";
import { type FaultState, faultsOf } from "~/platform/faults/store";

/** A live environment's schema, locked for the caller's transaction. */
export type Locked = Used & {
  /** Of the template, or of the large state, that it was cloned from. */
  readonly templateSchema: string;
  /** That has not been replaced. */
  readonly current: boolean;
  /** The template that the environment comes from. */
  readonly base: Base;
  readonly familyId: string;
  readonly snapshotId: string | null;
  readonly timing: Timing;
  readonly faults: FaultState | null;
};

export type Base = { readonly templateSchema: string; readonly current: boolean };

/** The run that a reset has closed. */
type ClosedRun = { readonly runId: string; readonly capture: "log" | "snapshot" };

/** The template that the schema of an environment comes from, as a JSON object. */
const baseOf = (sql: Sql): Fragment => sql`(
  select json_build_object('templateSchema', b.schema, 'current', ${isKept(sql, sql`b.schema`)})
  from (
    select coalesce(
      (select h.base_schema from diorama.hidden_templates h where h.schema_name = s.template_schema), s.template_schema
    ) as schema
  ) b
)`;

const lockedColumns = (sql: Sql): Fragment => sql`
  s.schema_name as schema, s.fresh_xid::text as "freshXid", s.fingerprint, s.template_schema as "templateSchema",
  ${isKept(sql, sql`s.template_schema`)} as current, ${baseOf(sql)} as base,
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

/** The same, and closes the environment's running run: also one that was being started, which holds up the lock. */
export async function lockForReset(
  sql: Sql,
  environmentId: string,
  snapshotId: string | null,
  runs: RunClosing,
): Promise<(Locked & { readonly closed: ClosedRun | null }) | undefined> {
  await sql`select from diorama.environments where environment_id = ${environmentId} for no key update`;
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

/** Notes that a schema equals a template, or a delta on it. */
export const setFresh = async (
  sql: Sql,
  schema: string,
  templateSchema: string,
  { freshXid, fingerprint }: Built,
) =>
  await sql`
    update diorama.schemas
    set template_schema = ${templateSchema}, fresh_xid = ${freshXid}, fingerprint = ${fingerprint}
    where schema_name = ${schema}
  `;

type NewHidden = {
  readonly schemaName: string;
  readonly baseSchema: string;
  readonly familyId: string;
  readonly keyId: string;
};

/** Registers a large state. Returns how many there were of the family and of the key. */
export async function insertHidden(
  sql: Sql,
  { schemaName, baseSchema, familyId, keyId }: NewHidden,
): Promise<{ readonly ofFamily: number; readonly ofKey: number }> {
  const [row] = await sql<{ ofFamily: number; ofKey: number }[]>`
    with inserted as (
      insert into diorama.hidden_templates (schema_name, base_schema, family_id, key_id)
      values (${schemaName}, ${baseSchema}, ${familyId}, ${keyId})
    )
    select count(*) filter (where family_id = ${familyId})::int as "ofFamily",
      count(*) filter (where key_id = ${keyId})::int as "ofKey"
    from diorama.hidden_templates where family_id = ${familyId} or key_id = ${keyId}
  `;
  return row ?? { ofFamily: 0, ofKey: 0 };
}

/** Removes large states that no snapshot and no environment refers to. Returns their schemas. */
export async function deleteUnusedHidden(sql: Sql, olderThanSeconds: number): Promise<string[]> {
  const rows = await sql<{ schema: string }[]>`
    delete from diorama.hidden_templates h
    where created_at <= now() - ${olderThanSeconds}::float8 * interval '1 second'
      and not exists (select from diorama.environment_snapshots s where s.template_schema = h.schema_name)
      and not exists (
        select from diorama.schemas s where s.template_schema = h.schema_name and s.state in ('claimed', 'reserved')
      )
    returning schema_name as schema
  `;
  return rows.map(({ schema }) => schema);
}

export type NewSnapshot = {
  readonly snapshotId: string;
  readonly environmentId: string;
  readonly keyId: string;
  readonly name: string | null;
  readonly rows: number;
  readonly templateSchema: string;
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
  const { snapshotId, environmentId, keyId, name, rows, templateSchema, delta, reading } = snapshot;
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
        at_call, actions
      )
      select ${snapshotId}, ${locked.familyId}, ${environmentId}, ${keyId}, ${locked.snapshotId}, ${name},
        ${templateSchema}, ${rows}, ${JSON.stringify(delta)}::text::json,
        ${jsonText(reading)}::text::json, ${locked.timing.calls}::int8,
        ${journaledCalls(sql, sql`${environmentId}`)}, ${countActions(sql, environmentId)}
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
  /** Actions of counterparts until then. */
  readonly actions: number;
};

/** Finds a snapshot of an environment, or of one of its family. */
export async function findState(
  sql: Sql,
  environmentId: string,
  snapshotId: string,
): Promise<State | undefined> {
  const [state] = await sql<State[]>`
    select s.delta, s.template_schema as "templateSchema", s.family_id as "familyId", s.snapshot_id as "snapshotId",
      s.at_call as "atCall", s.actions::float8 as actions, s.clock as reading, s.calls::float8 as calls, ${timingOf(sql, sql`e`)} as timing,
      ${isKept(sql, sql`s.template_schema`)} as current
    from diorama.environment_snapshots s
    join diorama.environments e on s.family_id = coalesce(e.family_id, e.environment_id)
    where e.environment_id = ${environmentId} and s.snapshot_id = ${snapshotId}
  `;
  return state;
}

type SnapshotRow = {
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
