/** Deliveries of events to apps, and the servers that make them. */
import type { Sql } from "~/db/connect";
import { unflushed } from "~/db/unflushed";
import type { WebhookSettings } from "~/replicas/events";

/** Notified with the id of an environment that has something to deliver. */
export const DELIVERIES_CHANNEL = "diorama_deliveries";

/** An app of an environment. */
export type AppRef = { readonly environmentId: string; readonly app: string };

/** An attempt of a delivery to an app. */
export type Attempted = { readonly number: number; readonly attempt: number };

/** An app, and what a server that it is connected to has to do for it. */
export type Leased = AppRef & {
  /** Milliseconds that this server may deliver to it; null: another server may. */
  readonly leftMs: number | null;
  /** Another server, or an earlier start of this one, did so before. */
  readonly isNew: boolean;
  /** Deliveries are due immediately, or late. */
  readonly isDue: boolean;
  /** Deliveries wait for the environment's clock. */
  readonly isWaiting: boolean;
  /** Changes have no events yet. */
  readonly isBehind: boolean;
};

/** How long a server may deliver to an app, and when it renews that. */
type LeaseTimes = { readonly ms: number; readonly renewMs: number };

/** An app, and when an attempt without an acknowledgement is late. */
type Leasing = AppRef & { readonly lateMs: number };

/**
 * Takes, or keeps, the right to deliver to these apps, and looks at what they have. An app that is not returned is gone,
 * or its environment has ended.
 */
export const lease = async (
  sql: Sql,
  apps: readonly Leasing[],
  server: string,
  { ms, renewMs }: LeaseTimes,
): Promise<Leased[]> =>
  await sql<Leased[]>`
    with quick as materialized (select ${unflushed(sql)}), given as (
      select a.environment_id, a.app_id, a.leased_by, a.leased_until, g.late_ms
      from unnest(
        ${apps.map(({ environmentId }) => environmentId)}::text[], ${apps.map(({ app }) => app)}::text[],
        ${apps.map(({ lateMs }) => lateMs)}::int8[]
      ) as g (environment_id, app_id, late_ms)
      join diorama.event_apps a using (environment_id, app_id) join diorama.environments e using (environment_id)
      where e.deleted_at is null and e.expires_at > now()
    ), taken as (
      update diorama.event_apps a
      set leased_by = ${server}, leased_until = clock_timestamp() + ${ms} * interval '1 millisecond'
      from given, quick
      where a.environment_id = given.environment_id and a.app_id = given.app_id and (
        a.leased_until is null or a.leased_until < clock_timestamp() or a.leased_by = ${server}
          and a.leased_until < clock_timestamp() + ${renewMs} * interval '1 millisecond'
      )
      returning a.environment_id, a.app_id
    )
    select environment_id, app_id as app,
      case when taken.app_id is not null then ${ms}::float8
        when leased_by = ${server} then extract(epoch from leased_until - clock_timestamp())::float8 * 1000 end as left_ms,
      taken.app_id is not null and leased_by is distinct from ${server} as is_new,
      exists (
        select from diorama.deliveries d
        where d.environment_id = given.environment_id and d.app_id = given.app_id and (
          state = 'pending' and due_at = 0
          or state = 'sent' and sent_at < clock_timestamp() - late_ms * interval '1 millisecond'
        )
      ) as is_due,
      exists (
        select from diorama.deliveries d
        where d.environment_id = given.environment_id and d.app_id = given.app_id
          and state = 'pending' and due_at > 0
      ) as is_waiting,
      (
        select l.change < least(o.changes, 100000)
        from diorama.event_logs l join diorama.outboxes o using (environment_id)
        where environment_id = given.environment_id
      ) as is_behind
    from given left join taken using (environment_id, app_id)
  `;

/** Makes what another server has sent due again, unless it is sent once only: it may have ended before it sent it. */
export const takeOver = async (sql: Sql, { environmentId, app }: AppRef) =>
  await sql`
    update diorama.deliveries set state = case when is_single then 'failed' else 'pending' end, due_at = 0,
      attempts = jsonb_set(attempts, array['-1', 'failed'], to_jsonb('its server stopped'::text))
    where environment_id = ${environmentId} and app_id = ${app} and state = 'sent'
  `;

/** Ends the leases of a server, or that of one app, so that another one need not wait. */
export const release = async (sql: Sql, server: string, only?: AppRef) =>
  await sql`
    update diorama.event_apps set leased_until = null where leased_by = ${server} and leased_until is not null
      ${only ? sql`and environment_id = ${only.environmentId} and app_id = ${only.app}` : sql``}
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

export type Sending = Attempted & {
  /** The user that the app acts as, and its settings as a webhook: as they are now. */
  readonly user: string;
  readonly webhook: WebhookSettings | null;
  readonly payload: object;
  /** Why the attempt before it failed. */
  readonly failed: string | null;
  /** It is an act, which is sent once. */
  readonly isSingle: boolean;
  /** A fault: the connections of the app end, and it is not sent. */
  readonly disconnects: boolean;
  /** More are due than were taken. */
  readonly hasMore: boolean;
};

/** How many deliveries are taken together, how many may wait for an acknowledgement, and bytes of those after the first. */
type Limits = { readonly count: number; readonly underWay: number; readonly bytes: number };

/** Notes the next attempts of deliveries that are due, within the limits, and returns them in order. */
export const takeDue = async (
  sql: Sql,
  { environmentId, app }: AppRef,
  now: number,
  { count, underWay, bytes }: Limits,
): Promise<Sending[]> =>
  await sql<Sending[]>`
    with quick as materialized (select ${unflushed(sql)}), due as (
      select number from diorama.deliveries
      where environment_id = ${environmentId} and app_id = ${app} and state = 'pending' and due_at <= ${now}
      order by number limit least(${count}, greatest(0, ${underWay} - (
        select count(*) from diorama.deliveries
        where environment_id = ${environmentId} and app_id = ${app} and state = 'sent'
      )))
    ), sized as (
      select number, payload, row_number() over (order by number) as place,
        sum(octet_length(payload::text)) over (order by number) as bytes
      from due join diorama.events e using (number) where e.environment_id = ${environmentId}
    ), fitting as (
      select number, payload from sized where place = 1 or bytes <= ${bytes}
    ), taken as (
      update diorama.deliveries d set state = 'sent', sent_at = clock_timestamp(),
        attempts = attempts || jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000))
      from fitting, quick
      where d.environment_id = ${environmentId} and d.app_id = ${app} and d.number = fitting.number
      returning d.number, jsonb_array_length(d.attempts) - 1 as attempt, d.attempts->-2->>'failed' as failed, d.is_single,
        d.disconnects and jsonb_array_length(d.attempts) = 1 as disconnects
    )
    select number::float8 as number, user_id as user, webhook, payload, attempt, failed, is_single, disconnects,
      (select count(*) from due) = ${count} or (select count(*) from due) > (select count(*) from fitting) as has_more
    from taken join fitting using (number) cross join diorama.event_apps a
    where a.environment_id = ${environmentId} and a.app_id = ${app} order by number
  `;

/** Notes the deliveries that an app has acknowledged: whichever attempt. */
export const acknowledge = async (
  sql: Sql,
  { environmentId, app }: AppRef,
  acknowledged: readonly Attempted[],
) =>
  await sql`
    with quick as materialized (select ${unflushed(sql)}), given as (
      select number, attempt from json_to_recordset(${JSON.stringify(acknowledged)}::text::json) as a (number int8, attempt int)
    )
    update diorama.deliveries d set state = case when repeats > 0 then 'pending' else 'delivered' end,
      repeats = greatest(repeats - 1, 0), due_at = 0,
      attempts = jsonb_set(attempts, array[attempt::text, 'ms'], to_jsonb(
        floor(extract(epoch from clock_timestamp()) * 1000) - (attempts->attempt->>'at')::float8
      ))
    from given, quick
    where environment_id = ${environmentId} and app_id = ${app} and d.number = given.number
      and state in ('pending', 'sent') and jsonb_array_length(attempts) > attempt
  `;

/** Attempts of a delivery, after which it is not made again by hand. */
const ATTEMPTS_MAX = 100;

/** Makes deliveries of an event due again that have ended, unless their webhook is deleted. Returns the apps. */
export async function repeat(
  sql: Sql,
  environmentId: string,
  { number, app }: { readonly number: number; readonly app: string | undefined },
): Promise<string[]> {
  const rows = await sql<{ app: string }[]>`
    with due as (
      update diorama.deliveries set state = 'pending', due_at = 0
      where environment_id = ${environmentId} and number = ${number} and state in ('delivered', 'failed', 'blocked')
        and app_id = coalesce(${app ?? null}, app_id) and jsonb_array_length(attempts) < ${ATTEMPTS_MAX}
        and exists (select from diorama.events e where e.environment_id = ${environmentId} and e.number = ${number} and payload is not null)
        and exists (
          select from diorama.event_apps a
          where a.environment_id = deliveries.environment_id and a.app_id = deliveries.app_id
            and (webhook is null or request_url is not null)
        )
      returning app_id
    )
    select app_id as app, pg_notify(${DELIVERIES_CHANNEL}, ${environmentId}) from due
  `;
  return rows.map((row) => row.app);
}

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
