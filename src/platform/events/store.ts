/** Changes of environments, and the events that follow from them. */

import type { Cause } from "~/db/cause";
import { type Fragment, inTransaction, type Pool, type Sql } from "~/db/connect";
import { together } from "~/db/session";
import { listApps, type StoredApp } from "~/platform/outbox/store";
import type { EventRow } from "~/replicas/events";

/** Notified with the id of an environment that has changes. */
export const CHANGES_CHANNEL = "diorama_changes";
/** Notified with the id of an environment that has something to deliver. */
export const DELIVERIES_CHANNEL = "diorama_deliveries";

/**
 * Makes the commit of its statement not wait for the disk. What a crash of Postgres takes back is derived, sent or
 * acknowledged again, with the same ids.
 */
export const unflushed = (sql: Sql): Fragment =>
  sql`select set_config('synchronous_commit', 'off', true)`;

/** Locks an environment against its end and against starts of runs. Returns false if it has ended. */
export async function lockLive(tx: Sql, environmentId: string): Promise<boolean> {
  const rows = await tx`
    select from diorama.environments
    where environment_id = ${environmentId} and deleted_at is null and expires_at > now() for no key update
  `;
  return rows.length > 0;
}

export async function isRunning(tx: Sql, environmentId: string): Promise<boolean> {
  const rows = await tx`
    select from diorama.runs where environment_id = ${environmentId} and status in ('running', 'ending')
  `;
  return rows.length > 0;
}

export type NotedChange = {
  readonly number: number;
  readonly transaction: string;
  readonly tableName: string;
  readonly before: EventRow | null;
  readonly after: EventRow | null;
  readonly cause: Cause | null;
};

/** An event that follows from changes. */
export type NewEvent = {
  readonly service: string;
  readonly type: string;
  /** JSON text; null: larger than a delivery may be. */
  readonly payload: string | null;
  readonly cause: Cause | null;
  readonly missed: { readonly [app: string]: string };
  /** The apps that receive it. */
  readonly receivers: readonly string[];
};

const CHANGES_PER_BATCH = 500;

/**
 * Derives the events of the changes that have none yet, in one transaction; not while another server does. Returns
 * whether there were such changes. Transactions are not split.
 */
export async function deriveNext(
  pool: Pool,
  environmentId: string,
  dueAt: number,
  derive: (
    changes: readonly NotedChange[],
    apps: readonly StoredApp[],
  ) => Promise<readonly NewEvent[]>,
): Promise<boolean> {
  return await inTransaction(pool, async (tx) => {
    const [log] = await tx<{ change: number; events: number }[]>`
      select change::float8 as change, events::float8 as events, (${unflushed(tx)}) as quick
      from diorama.event_logs where environment_id = ${environmentId} for update skip locked
    `;
    if (!log) return false;
    const [changes, apps] = await together([
      listChanges(tx, environmentId, log.change),
      listApps(tx, environmentId),
    ]);
    const last = changes.at(-1);
    if (!last) return false;
    const events = await derive(changes, apps);
    await insertEvents(tx, environmentId, { ...log, change: last.number, dueAt }, events);
    return true;
  });
}

const listChanges = async (sql: Sql, environmentId: string, after: number) =>
  await sql<NotedChange[]>`
    with next as (
      select number, transaction from diorama.changes
      where environment_id = ${environmentId} and number > ${after}
      order by number limit ${CHANGES_PER_BATCH}
    )
    select number::float8 as number, transaction::text as transaction, table_name, before, after, cause
    from diorama.changes
    where environment_id = ${environmentId} and number > ${after} and number <= (
      select max(c.number) from diorama.changes c
      where c.environment_id = ${environmentId} and c.number >= (select max(number) from next)
        and c.transaction = (select transaction from next order by number desc limit 1)
    )
    order by number
  `;

/** `change`: the last one that these events follow from. `events`: the number of those before them. */
async function insertEvents(
  tx: Sql,
  environmentId: string,
  {
    change,
    events: before,
    dueAt,
  }: { readonly change: number; readonly events: number; readonly dueAt: number },
  events: readonly NewEvent[],
): Promise<void> {
  const numbered = events.map((event, at) => ({ ...event, number: before + at + 1 }));
  const deliveries = numbered.flatMap(({ number, payload, receivers }) =>
    payload === null ? [] : receivers.map((app) => ({ number, app })),
  );
  await tx`
    with events as (
      insert into diorama.events (environment_id, number, service, type, payload, cause, missed)
      select ${environmentId}, number, service, type, payload::json, cause, missed
      from json_to_recordset(${JSON.stringify(numbered)}::text::json)
        as e (number int8, service text, type text, payload text, cause json, missed json)
    ), deliveries as (
      insert into diorama.deliveries (environment_id, app_id, number, due_at)
      select ${environmentId}, app, number, ${dueAt}
      from json_to_recordset(${JSON.stringify(deliveries)}::text::json) as d (app text, number int8)
    ), log as (
      update diorama.event_logs set change = ${change}, events = ${before + events.length}
      where environment_id = ${environmentId}
    )
    select pg_notify(${DELIVERIES_CHANNEL}, ${environmentId}) where ${deliveries.length > 0}
  `;
}

/** An event of an environment, as lists have it. */
export type ListedEvent = {
  readonly number: number;
  readonly service: string;
  readonly type: string;
  readonly payload: object | null;
  readonly cause: Cause | null;
  readonly missed: { readonly [app: string]: string };
  readonly deliveries:
    | readonly {
        readonly app: string;
        readonly state: "pending" | "sent" | "delivered" | "failed";
        readonly attempts: readonly {
          readonly at: number;
          readonly ms?: number;
          readonly failed?: string;
        }[];
      }[]
    | null;
};

/**
 * Lists the events of an environment from a number on, with their deliveries: no more than have `lengthMax` characters,
 * but the first one in any case.
 */
export const listEvents = async (
  sql: Sql,
  environmentId: string,
  page: { readonly after: number; readonly limit: number; readonly lengthMax: number },
): Promise<ListedEvent[]> =>
  await sql<ListedEvent[]>`
    select number::float8 as number, service, type, payload, cause, missed, (
      select json_agg(json_build_object('app', d.app_id, 'state', d.state, 'attempts', d.attempts) order by d.app_id)
      from diorama.deliveries d where d.environment_id = ${environmentId} and d.number = e.number
    ) as deliveries
    from (
      select number, service, type, payload, cause, missed, row_number() over (order by number) as place,
        sum(coalesce(length(payload::text), 0)) over (order by number) as length
      from (
        select number, service, type, payload, cause, missed from diorama.events
        where environment_id = ${environmentId} and number > ${page.after}
        order by number limit ${page.limit}
      ) next
    ) e
    where place = 1 or length <= ${page.lengthMax} order by number
  `;

export async function hasEventsAfter(
  sql: Sql,
  environmentId: string,
  number: number,
): Promise<boolean> {
  const rows = await sql`
    select from diorama.events where environment_id = ${environmentId} and number > ${number} limit 1
  `;
  return rows.length > 0;
}

/** Whether an environment has had more changes than are noted. */
export async function isFull(sql: Sql, environmentId: string): Promise<boolean> {
  const rows = await sql`
    select from diorama.outboxes where environment_id = ${environmentId} and changes > 100000
  `;
  return rows.length > 0;
}
