/** Deliveries of events to apps, and the servers that make them. */
import type { Sql } from "~/db/connect";
import { unflushed } from "~/platform/events/store";

/** An app of an environment that has sockets on a server. */
export type Place = { readonly environmentId: string; readonly app: string };

export type Held = Place & {
  /** The user that the app acts as now. */
  readonly user: string;
  /** This server delivers to it. */
  readonly isHeld: boolean;
  /** Another server, or an earlier start of this one, did so before. */
  readonly isNew: boolean;
  /** Something is due, or late. */
  readonly isDue: boolean;
  /** Something waits for the environment's clock. */
  readonly isWaiting: boolean;
  /** Changes have no events yet. */
  readonly isBehind: boolean;
};

/**
 * Takes, or keeps, the right to deliver to these apps, and looks at what they have. An app that is not returned is gone,
 * or its environment has ended.
 * A lease lasts for so many milliseconds.
 */
export const lease = async (
  sql: Sql,
  places: readonly Place[],
  { server, ms, lateMs }: { readonly server: string; readonly ms: number; readonly lateMs: number },
): Promise<Held[]> =>
  await sql<Held[]>`
    with quick as materialized (${unflushed(sql)}), given as (
      select environment_id, app_id from unnest(
        ${places.map(({ environmentId }) => environmentId)}::text[], ${places.map(({ app }) => app)}::text[]
      ) as g (environment_id, app_id)
    ), before as (
      select environment_id, app_id, event_apps.user_id, leased_by
      from diorama.event_apps join given using (environment_id, app_id) join diorama.environments using (environment_id)
      where deleted_at is null and expires_at > now()
      order by environment_id, app_id for no key update of event_apps
    ), held as (
      update diorama.event_apps a
      set leased_by = ${server}, leased_until = clock_timestamp() + ${ms} * interval '1 millisecond'
      from before, quick
      where a.environment_id = before.environment_id and a.app_id = before.app_id
        and (a.leased_by = ${server} or a.leased_until is null or a.leased_until < clock_timestamp())
      returning a.environment_id, a.app_id
    )
    select environment_id, app_id as app, user_id as user,
      held.app_id is not null as is_held, leased_by is distinct from ${server} as is_new,
      exists (
        select from diorama.deliveries d
        where d.environment_id = before.environment_id and d.app_id = before.app_id and (
          state = 'pending' and due_at = 0
          or state = 'sent' and sent_at < clock_timestamp() - ${lateMs} * interval '1 millisecond'
        )
      ) as is_due,
      exists (
        select from diorama.deliveries d
        where d.environment_id = before.environment_id and d.app_id = before.app_id
          and state = 'pending' and due_at > 0
      ) as is_waiting,
      (
        select l.change < least(o.changes, 100000)
        from diorama.event_logs l join diorama.outboxes o using (environment_id)
        where environment_id = before.environment_id
      ) as is_behind
    from before left join held using (environment_id, app_id)
  `;

/** Makes what another server has sent due again: it may have ended before it sent it. */
export const takeOver = async (sql: Sql, { environmentId, app }: Place) =>
  await sql`
    update diorama.deliveries set state = 'pending', due_at = 0,
      attempts = jsonb_set(attempts, array['-1', 'failed'], to_jsonb('its server ended'::text))
    where environment_id = ${environmentId} and app_id = ${app} and state = 'sent'
  `;

/** Ends the leases of a server, so that another one need not wait. */
export const release = async (sql: Sql, server: string) =>
  await sql`
    update diorama.event_apps set leased_until = null where leased_by = ${server} and leased_until is not null
  `;

/** Marks a ticket as used. Returns false if it was. */
export async function useTicket(sql: Sql, ticket: string, expiresAt: number): Promise<boolean> {
  const rows = await sql`
    insert into diorama.used_tickets (ticket, expires_at) values (${ticket}, to_timestamp(${expiresAt / 1000}))
    on conflict do nothing
  `;
  return rows.count === 1;
}

export const deleteOldTickets = async (sql: Sql) =>
  await sql`delete from diorama.used_tickets where expires_at < now() - interval '1 minute'`;

/** How an app's deliveries are repeated. */
type Retries = {
  /** How long an attempt waits for its acknowledgement. */
  readonly acknowledgeMs: number;
  /** Delays of the attempts after the first. */
  readonly retryMs: readonly number[];
};

/**
 * Ends the attempts that were not acknowledged in time: a failed one is due again, unless it was the last. Returns whether
 * there were any.
 */
export async function endLate(
  sql: Sql,
  { environmentId, app }: Place,
  now: number,
  { acknowledgeMs, retryMs }: Retries,
): Promise<void> {
  await sql`
    update diorama.deliveries set
      attempts = jsonb_set(attempts, array['-1', 'failed'], to_jsonb('no acknowledgement'::text)),
      state = case when jsonb_array_length(attempts) > ${retryMs.length} then 'failed' else 'pending' end,
      due_at = case (${[...retryMs]}::int8[])[jsonb_array_length(attempts)]
        when 0 then 0 else ${now} + coalesce((${[...retryMs]}::int8[])[jsonb_array_length(attempts)], 0) end
    where environment_id = ${environmentId} and app_id = ${app} and state = 'sent'
      and sent_at < clock_timestamp() - ${acknowledgeMs} * interval '1 millisecond'
  `;
}

export type Sending = {
  readonly number: number;
  readonly payload: object;
  /** From 0. */
  readonly attempt: number;
};

/**
 * Notes the next attempts of deliveries that are due, and returns them in order: at most `limit`, and as many as leave at
 * most `max` without an acknowledgement.
 */
export const takeDue = async (
  sql: Sql,
  { environmentId, app }: Place,
  { now, limit, max }: { readonly now: number; readonly limit: number; readonly max: number },
): Promise<Sending[]> =>
  await sql<Sending[]>`
    with quick as materialized (${unflushed(sql)}), due as (
      select number from diorama.deliveries
      where environment_id = ${environmentId} and app_id = ${app} and state = 'pending' and due_at <= ${now}
      order by number limit least(${limit}, greatest(0, ${max} - (
        select count(*) from diorama.deliveries
        where environment_id = ${environmentId} and app_id = ${app} and state = 'sent'
      )))
    ), taken as (
      update diorama.deliveries d set state = 'sent', sent_at = clock_timestamp(),
        attempts = attempts || jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000))
      from due, quick
      where d.environment_id = ${environmentId} and d.app_id = ${app} and d.number = due.number
      returning d.number, jsonb_array_length(d.attempts) - 1 as attempt
    )
    select taken.number::float8 as number, e.payload, taken.attempt
    from taken join diorama.events e on e.environment_id = ${environmentId} and e.number = taken.number
    order by taken.number
  `;

/** A delivery that an app has acknowledged: whichever attempt. */
export type Acknowledged = { readonly number: number; readonly attempt: number };

export const acknowledge = async (
  sql: Sql,
  { environmentId, app }: Place,
  acknowledged: readonly Acknowledged[],
) =>
  await sql`
    with quick as materialized (${unflushed(sql)}), given as (
      select number, attempt from json_to_recordset(${JSON.stringify(acknowledged)}::text::json) as a (number int8, attempt int)
    )
    update diorama.deliveries d set state = 'delivered',
      attempts = jsonb_set(attempts, array[attempt::text, 'ms'], to_jsonb(
        floor(extract(epoch from clock_timestamp()) * 1000) - (attempts->attempt->>'at')::float8
      ))
    from given, quick
    where environment_id = ${environmentId} and app_id = ${app} and d.number = given.number
      and state in ('pending', 'sent') and jsonb_array_length(attempts) > attempt
  `;

/** How many deliveries of an environment are under way or due, and how long ago the last one was sent. */
export async function findOpen(
  sql: Sql,
  environmentId: string,
  now: number,
): Promise<{ readonly open: number; readonly sentMs: number | null }> {
  const [row] = await sql<{ open: number; sentMs: number | null }[]>`
    select (
        select count(*)::int from diorama.deliveries
        where environment_id = ${environmentId} and state in ('pending', 'sent')
          and (state = 'sent' or due_at <= ${now})
      ) as open,
      (
        select min(extract(epoch from clock_timestamp() - last.sent_at))::float8 * 1000
        from diorama.event_apps a cross join lateral (
          select sent_at from diorama.deliveries d
          where d.environment_id = a.environment_id and d.app_id = a.app_id and sent_at is not null
          order by number desc limit 1
        ) last
        where a.environment_id = ${environmentId}
      ) as sent_ms
  `;
  return row ?? { open: 0, sentMs: null };
}
