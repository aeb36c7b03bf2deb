/**
 * The apps of environments, and the triggers that note the changes from which their events follow (migration 31). These
 * functions run on any of the pools.
 */
import { of } from "~/db/blueprint";
import { literal, type Sql } from "~/db/connect";
import { NOTING } from "~/db/recycling";
import { LimitExceeded, unavailable } from "~/errors";
import type { EventApp } from "~/replicas/events";

/** An app of an environment, of one of its services. */
export type StoredApp = EventApp & {
  readonly service: string;
  /** The number of the last change before it. */
  readonly since?: number;
  /** A server delivers to its connections. */
  readonly isConnected?: boolean;
  /** The address to which servers post; null: it opens connections. */
  readonly requestUrl: string | null;
  /** The scheme and host at which an app with an address reaches the server. */
  readonly baseUrl?: string | undefined;
  /** Why its address has not answered the challenge of the service. */
  readonly problem?: string | null;
};

/** In front of the names of servers that post: they hold the leases of apps without a connection. */
export const POSTING = "post ";

/** The apps of an environment, by id, without webhooks that are deleted. */
export const listApps = async (sql: Sql, environmentId: string): Promise<StoredApp[]> =>
  await sql<StoredApp[]>`
    select app_id as id, service, user_id as "user", events, scopes, domains, since::float8 as since,
      coalesce(leased_until > now(), false) and not starts_with(leased_by, ${POSTING}) as "isConnected",
      request_url as "requestUrl", base_url as "baseUrl", problem, webhook
    from diorama.event_apps
    where environment_id = ${environmentId} and (webhook is null or request_url is not null) order by app_id
  `;

/** Whether the changes of an environment are noted. */
export async function isNoted(sql: Sql, environmentId: string): Promise<boolean> {
  const rows = await sql`
    select from diorama.outboxes where environment_id = ${environmentId} and is_noting
  `;
  return rows.length > 0;
}

/** Opens the outbox of an environment, or changes whether it notes anything. */
export async function openOutbox(
  tx: Sql,
  environmentId: string,
  { isNoting }: { readonly isNoting: boolean },
): Promise<void> {
  await tx`
    insert into diorama.outboxes (environment_id, is_noting) values (${environmentId}, ${isNoting})
    on conflict (environment_id) do update set is_noting = excluded.is_noting
  `;
  await tx`
    insert into diorama.event_logs (environment_id) values (${environmentId}) on conflict do nothing
  `;
}

/**
 * Replaces the apps of an environment. An app that stays keeps its deliveries; a new one receives events of later changes
 * only. The outbox stays in any case: numbers, and the ids that derive from them, are not used twice.
 */
export async function replaceApps(
  tx: Sql,
  environmentId: string,
  apps: readonly StoredApp[],
): Promise<void> {
  await openOutbox(tx, environmentId, { isNoting: apps.length > 0 });
  await tx`
    delete from diorama.event_apps
    where environment_id = ${environmentId} and webhook is null and app_id <> all(${apps.map(({ id }) => id)}::text[])
  `;
  if (apps.length === 0) await forgetWebhooks(tx, environmentId);
  for (const { id, service, user, events, scopes, domains, requestUrl, baseUrl } of apps)
    await tx`
      insert into diorama.event_apps (
        environment_id, app_id, service, user_id, events, scopes, domains, since, request_url, base_url
      )
      select ${environmentId}, ${id}, ${service}, ${user}, ${[...events]}::text[], ${scopes && [...scopes]}::text[],
        ${[...domains]}::text[], changes,
        ${requestUrl}, ${baseUrl ?? null}
      from diorama.outboxes where environment_id = ${environmentId}
      on conflict (environment_id, app_id) do update
      set service = excluded.service, user_id = excluded.user_id, events = excluded.events, scopes = excluded.scopes,
        domains = excluded.domains,
        request_url = excluded.request_url, base_url = excluded.base_url, problem = null, asked_at = null,
        webhook = null
    `;
  if (apps.some(({ requestUrl }) => requestUrl !== null)) await requireRoom(tx, environmentId);
}

const ADDRESSES_MAX = 1_000;
const ADDRESSES_PER_USER_MAX = 100;
const RETRY_AFTER_SECONDS = 10;

/**
 * Bounds the apps with addresses, of all environments and of those of a user, with the ones that are inserted. Throws
 * LimitExceeded, or 503.
 */
async function requireRoom(tx: Sql, environmentId: string): Promise<void> {
  await lockAddresses(tx);
  const { all, own } = await countAddresses(tx, environmentId);
  if (own > ADDRESSES_PER_USER_MAX)
    throw new LimitExceeded(
      "app with an address",
      ADDRESSES_PER_USER_MAX,
      own,
      RETRY_AFTER_SECONDS,
    );
  if (all > ADDRESSES_MAX)
    throw unavailable(
      `There are ${ADDRESSES_MAX} apps with addresses, the maximum`,
      RETRY_AFTER_SECONDS,
    );
}

/** Webhooks of an environment that receive events. */
const WEBHOOKS_MAX = 50;

/** Whether an environment, its user and the server may have another webhook. */
export async function hasRoom(tx: Sql, environmentId: string): Promise<boolean> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from diorama.event_apps
    where environment_id = ${environmentId} and webhook is not null and request_url is not null
  `;
  if ((row?.count ?? 0) >= WEBHOOKS_MAX) return false;
  await lockAddresses(tx);
  const { all, own } = await countAddresses(tx, environmentId);
  return own < ADDRESSES_PER_USER_MAX && all < ADDRESSES_MAX;
}

/** Forgets the webhooks of an environment, which are read again before the next change. */
async function forgetWebhooks(tx: Sql, environmentId: string): Promise<void> {
  await tx`
    delete from diorama.event_apps where environment_id = ${environmentId} and webhook is not null
  `;
  await tx`
    update diorama.event_logs set webhooks_read = false
    where environment_id = ${environmentId} and webhooks_read
  `;
}

/**
 * The apps with addresses of live environments, and of those of the user whose environment this is. App by app: there are
 * few of them, and many environments.
 */
async function countAddresses(sql: Sql, environmentId: string) {
  const [row] = await sql<{ all: number; own: number }[]>`
    select count(*)::int as all, (count(*) filter (where e.user_id = (
        select user_id from diorama.environments where environment_id = ${environmentId}
      )))::int as own
    from diorama.event_apps a cross join lateral (
      select user_id from diorama.environments
      where environment_id = a.environment_id and deleted_at is null and expires_at > now()
      offset 0
    ) e
    where a.request_url is not null
  `;
  return row ?? { all: 0, own: 0 };
}

/** Serializes transactions that count addresses. */
const lockAddresses = async (tx: Sql) =>
  await tx`select pg_advisory_xact_lock(hashtext('diorama addresses'))`;

/** Ends what is not delivered yet, of an environment that is reset. */
export async function dropUndelivered(tx: Sql, environmentId: string): Promise<void> {
  await tx`
    update diorama.deliveries set state = 'failed',
      attempts = attempts || jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000), 'failed', 'reset')
    where environment_id = ${environmentId} and state in ('pending', 'sent')
  `;
  await tx`
    with gone as (delete from diorama.changes where environment_id = ${environmentId} returning number)
    update diorama.event_logs l set change = o.changes, lost = lost + (select count(*) from gone),
      lost_at = coalesce((select max(number) from gone), lost_at)
    from diorama.outboxes o
    where l.environment_id = ${environmentId} and o.environment_id = l.environment_id
  `;
  await forgetWebhooks(tx, environmentId);
}

const TRIGGER = NOTING.apps;

type Schema = { readonly environmentId: string; readonly schemaName: string };

/** Begins to note the changes of some tables. Recycling drops these triggers. */
export async function startNoting(
  tx: Sql,
  { environmentId, schemaName }: Schema,
  tables: readonly string[],
): Promise<void> {
  await tx.unsafe(
    tables
      .map(
        (
          name,
        ) => `create constraint trigger ${TRIGGER} after insert or update or delete on ${of(schemaName, name)}
          deferrable initially deferred for each row execute function diorama.note_row(${literal(environmentId)})`,
      )
      .join(";\n"),
  );
}

export async function stopNoting(
  tx: Sql,
  { schemaName }: Schema,
  tables: readonly string[],
): Promise<void> {
  await tx.unsafe(
    tables
      .map((name) => `drop trigger if exists ${TRIGGER} on ${of(schemaName, name)}`)
      .join(";\n"),
  );
}

/** Gives the changes that follow in a transaction their cause, as JSON. */
export const setCause = async (tx: Sql, cause: string) =>
  await tx`select set_config('diorama_note.cause', ${cause}, true)`;

/** Notes the changes so far, with their cause, before that changes. */
export const noteNow = async (tx: Sql) =>
  await tx.unsafe("set constraints all immediate; set constraints all deferred");

/** Outboxes whose events are deleted together: each may have 100,000. */
const ENDED_BATCH = 5;

/** Deletes the changes, events and deliveries of some environments that have ended: their runs have what is theirs. */
export const deleteEnded = async (sql: Sql) =>
  await sql`
    delete from diorama.outboxes where environment_id in (
      select environment_id from diorama.outboxes o where (
        select e.deleted_at is not null or e.expires_at <= now() from diorama.environments e
        where e.environment_id = o.environment_id
      ) and not exists (
        select from diorama.runs r
        where r.environment_id = o.environment_id and r.changes_from is not null and r.events_kept is null
      )
      limit ${ENDED_BATCH}
    )
  `;
