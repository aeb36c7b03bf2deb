/** Changes of environments, and the events that follow from them. */
import type { Cause } from "~/db/cause";
import { type Fragment, inTransaction, type Pool, type Sql } from "~/db/connect";
import { unflushed } from "~/db/unflushed";
import { ApiError } from "~/errors";
import { DELIVERIES_CHANNEL } from "~/platform/events/deliveries-store";
import { listApps, type StoredApp } from "~/platform/outbox/store";
import type { EventRow } from "~/replicas/events";
import { MICROS } from "~/source";

/** Notified with the id of an environment that has changes. */
export const CHANGES_CHANNEL = "diorama_changes";

export type NotedChange = {
  readonly number: number;
  readonly transaction: string;
  readonly tableName: string;
  readonly before: EventRow | null;
  readonly after: EventRow | null;
  readonly cause: Cause | null;
};

/** How often it is delivered again, by how many milliseconds it is late, and whether the first attempt ends connections. */
export type DeliveryFault = {
  readonly repeats?: number;
  readonly delayMs?: number;
  readonly disconnects?: boolean;
};

export type NewEvent = {
  /** The change that it follows from; undefined: it is raised by hand. */
  readonly change?: number;
  readonly service: string;
  readonly type: string;
  /** JSON text; null: larger than a delivery may be. */
  readonly payload: string | null;
  readonly cause: Cause | null;
  readonly missed: { readonly [app: string]: string };
  /** The apps that receive it. */
  readonly receivers: readonly string[];
  /** By app: what a fault does to its delivery. */
  readonly faults?: { readonly [app: string]: DeliveryFault };
  /** It is delivered once, without another attempt. */
  readonly isSingle?: boolean;
};

/** An event that is listed, and not delivered: it is too large, or those before it are. */
export function withoutPayload<E extends NewEvent>(event: E): E {
  const tooLarge = event.receivers.map((app) => [app, "the event is too large"] as const);
  const missed = { ...event.missed, ...Object.fromEntries(tooLarge) };
  return { ...event, payload: null, missed, receivers: [] };
}

/** Bytes of the events of an environment. The payloads of those after them are not kept. */
const EVENT_BYTES_MAX = 256 * 1024 * 1024;
/** Bytes of the changes of a batch. Not as Postgres stores them: a few compressed megabytes can be hundreds in memory. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** The number of the last change that was noted. */
export async function lastNoted(sql: Sql, environmentId: string): Promise<number> {
  const [row] = await sql<{ changes: number }[]>`
    select least(changes, 100000)::float8 as changes from diorama.outboxes
    where environment_id = ${environmentId}
  `;
  return row?.changes ?? 0;
}

/** How to derive the next events. */
export type Batch = {
  /** Number of changes. A transaction is split only if it is larger. */
  readonly limit: number;
  /** Waits for a server that derives at the same time, and does not leave it to that one. */
  readonly isPatient: boolean;
};

/**
 * Derives the events of the next changes that have none yet, in one transaction. Returns the number of the last change
 * that has its events, infinity if there are no more; undefined if another server is deriving them.
 */
export async function deriveNext(
  pool: Pool,
  environmentId: string,
  { limit, isPatient }: Batch,
  {
    subscribe,
    derive,
    withFaults,
  }: {
    /** Brings the apps up to date. */
    readonly subscribe: (tx: Sql, batch: ChangesOf) => Promise<void>;
    readonly derive: (
      changes: readonly NotedChange[],
      apps: readonly StoredApp[],
      later: (table: string) => Promise<readonly NotedChange[]>,
    ) => Promise<readonly NewEvent[]>;
    readonly withFaults: WithFaults;
  },
): Promise<number | undefined> {
  return await inTransaction(pool, async (tx) => {
    const [log] = await tx<Log[]>`
      select change::float8 as change, events::float8 as events, bytes::float8 as bytes, webhooks_read as are_read, ${hasFaults(tx)}, ${unflushed(tx)}
      from diorama.event_logs where environment_id = ${environmentId}
      for update ${isPatient ? tx`` : tx`skip locked`}
    `;
    if (!log) return undefined;
    const changes = await listChanges(tx, environmentId, { after: log.change, limit });
    const last = changes.at(-1)?.number;
    if (last === undefined) return Number.POSITIVE_INFINITY;
    await subscribe(tx, { changes, after: log.change, areRead: log.areRead });
    const later = (table: string) => listLater(tx, environmentId, { table, after: last });
    const derived = await derive(changes, await listApps(tx, environmentId), later);
    const events = log.hasFaults ? await withFaults(tx, environmentId, derived) : derived;
    await insertEvents(tx, environmentId, { ...log, change: last }, events);
    return last;
  });
}

/** Events of an environment, after which none is raised by hand. */
const EVENTS_MAX = 200_000;

/**
 * Adds an event that follows from no change, in a transaction of any of the pools. Returns its number. Throws
 * `invalid_request` if there are too many, or no apps.
 */
export async function addEvent(
  tx: Sql,
  environmentId: string,
  make: (apps: readonly StoredApp[], number: number) => Promise<NewEvent>,
  withFaults: WithFaults,
): Promise<number> {
  const [log] = await tx<Omit<Log, "areRead">[]>`
    select change::float8 as change, events::float8 as events, bytes::float8 as bytes, ${hasFaults(tx)}
    from diorama.event_logs where environment_id = ${environmentId} for update
  `;
  const apps = await listApps(tx, environmentId);
  if (!log || log.events >= EVENTS_MAX || apps.length === 0)
    throw new ApiError(
      "invalid_request",
      "The environment has no apps, so that it has no events, or more events than are kept",
    );
  const made = [await make(apps, log.events + 1)];
  const events = log.hasFaults ? await withFaults(tx, environmentId, made) : made;
  await insertEvents(tx, environmentId, log, events);
  return log.events + 1;
}

/** Gives up the events of the next change: it cannot be shown. */
export const loseNext = async (sql: Sql, environmentId: string) =>
  await sql`
    with next as (
      select min(c.number) as number from diorama.changes c join diorama.event_logs l using (environment_id)
      where environment_id = ${environmentId} and c.number > l.change
    ), gone as (
      delete from diorama.changes c using next where environment_id = ${environmentId} and c.number = next.number
    )
    update diorama.event_logs set change = next.number, lost = lost + 1, lost_at = next.number
    from next where environment_id = ${environmentId} and next.number is not null
  `;

/** How far the events of an environment are derived, their number, and their bytes. */
type Log = {
  readonly change: number;
  readonly events: number;
  readonly bytes: number;
  /** The environment has faults. */
  readonly hasFaults: boolean;
  /** Webhooks from before the first change are read. */
  readonly areRead: boolean;
};

/** A batch of changes that have no events yet, and the number of the last one before them. */
export type ChangesOf = Pick<Log, "areRead"> & {
  readonly changes: readonly NotedChange[];
  readonly after: number;
};

/** Changes new events, and who receives them, as the faults of their environment say. */
type WithFaults = (
  tx: Sql,
  environmentId: string,
  events: readonly NewEvent[],
) => Promise<readonly NewEvent[]>;

/** Whether the environment of an event log has faults. */
const hasFaults = (sql: Sql): Fragment => sql`
  exists (select from diorama.faults f where f.environment_id = event_logs.environment_id) as "hasFaults"
`;

/** The columns of a `NotedChange`. */
const changeColumns = (sql: Sql): Fragment => sql`
  number::float8 as number, transaction::text as transaction, table_name, before, after, cause
`;

/** The next changes: as many as fit, and the rest of the last transaction if that is not too long. */
const listChanges = async (
  sql: Sql,
  environmentId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
) =>
  await sql<NotedChange[]>`
    with next as (
      select number, transaction,
        sum(coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0)) over (order by number) as bytes
      from diorama.changes
      where environment_id = ${environmentId} and number > ${after}
      order by number limit ${limit + 1}
    ), fitting as (
      select number, transaction from next
      where bytes <= ${BATCH_BYTES} or number = (select min(number) from next)
      order by number limit ${limit}
    ), whole as (
      -- The last transaction is left to the next batch if it goes on there, unless it is the only one.
      select number from fitting where transaction is distinct from (
        select n.transaction from next n
        where n.number = (select max(number) + 1 from fitting)
          and n.transaction = (select transaction from fitting order by number desc limit 1)
          and n.transaction <> (select transaction from fitting order by number limit 1)
      )
    )
    select ${changeColumns(sql)}
    from diorama.changes join whole using (number)
    where environment_id = ${environmentId} order by number
  `;

/** More of a table are not looked at, nor more bytes than a batch may have. */
const LATER_MAX = 1_000;

/** The changes of a table after a batch. */
const listLater = async (
  sql: Sql,
  environmentId: string,
  { table, after }: { readonly table: string; readonly after: number },
) =>
  await sql<NotedChange[]>`
    select ${changeColumns(sql)} from (
      select number, transaction, table_name, before, after, cause,
        sum(coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0)) over (order by number) as bytes
      from diorama.changes where environment_id = ${environmentId} and number > ${after} and table_name = ${table}
      order by number limit ${LATER_MAX}
    ) next
    where bytes <= ${BATCH_BYTES} order by number
  `;

/** `change`: the last one that these events follow from. The rest: what there was before them. */
async function insertEvents(
  tx: Sql,
  environmentId: string,
  { change, events: before, bytes }: Omit<Log, "hasFaults" | "areRead">,
  events: readonly NewEvent[],
): Promise<void> {
  let size = bytes;
  const numbered = events.map((event, at) => {
    size += Buffer.byteLength(event.payload ?? "");
    const number = before + at + 1;
    const last = { change, isByHand: event.change === undefined };
    return { ...last, ...(size <= EVENT_BYTES_MAX ? event : withoutPayload(event)), number };
  });
  const deliveries = numbered.flatMap(
    ({ number, receivers, cause, faults = {}, isSingle = false }) =>
      receivers.map((app) => {
        const { repeats = 0, delayMs, disconnects = false } = faults[app] ?? {};
        const now = cause ? Math.floor(cause.micros / MICROS) : Date.now();
        const due = delayMs ? now + delayMs : 0;
        return { number, app, single: isSingle, repeats, disconnects, due };
      }),
  );
  await tx`
    with events as (
      insert into diorama.events (environment_id, number, service, type, payload, cause, missed, change, run_id)
      select ${environmentId}, number, service, type, payload::json, cause, missed, change, case when "isByHand" then coalesce((
        select run_id from diorama.runs where environment_id = ${environmentId} and status = 'running'
      ), '') end
      from json_to_recordset(${JSON.stringify(numbered)}::text::json) as e (
        number int8, service text, type text, payload text, cause json, missed json, change int8, "isByHand" bool
      )
    ), deliveries as (
      insert into diorama.deliveries (environment_id, app_id, number, is_single, repeats, disconnects, due_at)
      select ${environmentId}, app, number, single, repeats, disconnects, due
      from json_to_recordset(${JSON.stringify(deliveries)}::text::json)
        as d (app text, number int8, single bool, repeats int2, disconnects bool, due int8)
    ), log as (
      update diorama.event_logs
      set change = ${change}, events = ${before + events.length}, bytes = ${Math.min(size, EVENT_BYTES_MAX + 1)},
        full_at = coalesce(full_at, case when ${size > EVENT_BYTES_MAX} then ${change}::int8 end)
      where environment_id = ${environmentId}
    ), gone as (
      delete from diorama.changes where environment_id = ${environmentId} and number <= ${change}
    )
    select pg_notify(${DELIVERIES_CHANNEL}, ${environmentId}) where ${deliveries.length > 0}
  `;
}

/** Whether an environment has all events that it should have: no more changes or bytes than are kept, and none lost. */
export async function isComplete(sql: Sql, environmentId: string): Promise<boolean> {
  const rows = await sql`
    select from diorama.outboxes left join diorama.event_logs using (environment_id)
    where environment_id = ${environmentId} and (changes > 100000 or lost > 0 or bytes > ${EVENT_BYTES_MAX})
  `;
  return rows.length === 0;
}
