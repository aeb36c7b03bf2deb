/** Deliveries of events to apps, and the servers that make them. */
import type { Sql } from "~/db/connect";
import { unflushed } from "~/platform/events/store";

/**
 * Takes the right to deliver to an app, or keeps it. `new`: another server had it before; `taken`: it still has it;
 * `gone`: there is no such app.
 */
export async function lease(
  sql: Sql,
  environmentId: string,
  app: string,
  { server, ms }: { readonly server: string; readonly ms: number },
): Promise<"held" | "new" | "taken" | "gone"> {
  const [row] = await sql<{ isHeld: boolean; isOwn: boolean }[]>`
    with before as (
      select leased_by from diorama.event_apps
      where environment_id = ${environmentId} and app_id = ${app} for update
    ), held as (
      update diorama.event_apps
      set leased_by = ${server}, leased_until = clock_timestamp() + ${ms} * interval '1 millisecond'
      where environment_id = ${environmentId} and app_id = ${app}
        and (leased_by = ${server} or leased_until is null or leased_until < clock_timestamp())
      returning app_id
    )
    select exists (select from held) as is_held, leased_by is not distinct from ${server} as is_own from before
  `;
  if (!row) return "gone";
  if (!row.isHeld) return "taken";
  return row.isOwn ? "held" : "new";
}

/** Makes what another server has sent due again: it may have ended before it sent it. */
export const takeOver = async (sql: Sql, environmentId: string, app: string, now: number) =>
  await sql`
    update diorama.deliveries set state = 'pending', due_at = ${now},
      attempts = jsonb_set(attempts, array['-1', 'failed'], to_jsonb('its server ended'::text))
    where environment_id = ${environmentId} and app_id = ${app} and state = 'sent'
  `;

/** Ends the right of a server, so that another one need not wait. */
export const release = async (sql: Sql, server: string) =>
  await sql`
    update diorama.event_apps set leased_until = null where leased_by = ${server} and leased_until is not null
  `;

/** Notes the first connection of an app: what has waited for it is due now. */
export const noteConnection = async (sql: Sql, environmentId: string, app: string, now: number) =>
  await sql`
    with first as (
      update diorama.event_apps set connected_at = clock_timestamp()
      where environment_id = ${environmentId} and app_id = ${app} and connected_at is null returning app_id
    )
    update diorama.deliveries d set due_at = ${now} from first
    where d.environment_id = ${environmentId} and d.app_id = first.app_id and state = 'pending'
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

/** Ends the attempts that were not acknowledged in time: a failed one is due again, unless it was the last. */
export const endLate = async (
  sql: Sql,
  environmentId: string,
  app: string,
  now: number,
  { acknowledgeMs, retryMs }: Retries,
) =>
  await sql`
    update diorama.deliveries set
      attempts = jsonb_set(attempts, array['-1', 'failed'], to_jsonb('no acknowledgement'::text)),
      state = case when jsonb_array_length(attempts) > ${retryMs.length} then 'failed' else 'pending' end,
      due_at = ${now} + coalesce((${[...retryMs]}::int8[])[jsonb_array_length(attempts)], 0)
    where environment_id = ${environmentId} and app_id = ${app} and state = 'sent'
      and sent_at < clock_timestamp() - ${acknowledgeMs} * interval '1 millisecond'
  `;

export type Sending = {
  readonly number: number;
  readonly payload: object;
  /** From 0. */
  readonly attempt: number;
};

/** Notes the next attempts of deliveries that are due, and returns them in order. */
export async function takeDue(
  sql: Sql,
  environmentId: string,
  app: string,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Sending[]> {
  const rows = await sql<Sending[]>`
    with quick as materialized (${unflushed(sql)}), due as (
      select number from diorama.deliveries
      where environment_id = ${environmentId} and app_id = ${app} and state = 'pending' and due_at <= ${now}
      order by number limit ${limit}
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
  return rows;
}

/** A delivery that an app has acknowledged: whichever attempt. */
export type Acknowledged = { readonly number: number; readonly attempt: number };

export const acknowledge = async (
  sql: Sql,
  environmentId: string,
  app: string,
  acknowledged: readonly Acknowledged[],
) =>
  await sql`
    with quick as materialized (${unflushed(sql)}), given as (
      select distinct on (number) number, attempt
      from json_to_recordset(${JSON.stringify(acknowledged)}::text::json) as a (number int8, attempt int)
    )
    update diorama.deliveries d set state = 'delivered',
      attempts = jsonb_set(attempts, array[attempt::text, 'ms'], to_jsonb(
        floor(extract(epoch from clock_timestamp()) * 1000) - (attempts->attempt->>'at')::float8
      ))
    from given, quick
    where environment_id = ${environmentId} and app_id = ${app} and d.number = given.number
      and state in ('pending', 'sent') and jsonb_array_length(attempts) > attempt
  `;
