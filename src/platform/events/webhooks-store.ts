/** Webhooks that are rows of services, as apps that receive events. */
import type { Sql } from "~/db/connect";
import { hasRoom } from "~/platform/outbox/store";
import type { Webhook } from "~/replicas/events";

/** The ids of the rows of a table that noted changes have inserted. */
export async function listInserted(tx: Sql, environmentId: string, table: string) {
  const rows = await tx<{ id: string }[]>`
    select after ->> 'id' as id from diorama.changes
    where environment_id = ${environmentId} and table_name = ${table} and before is null
  `;
  return new Set(rows.map(({ id }) => id));
}

/** Notes that the webhooks from before the first change are read. */
export const markRead = async (tx: Sql, environmentId: string) =>
  await tx`
    update diorama.event_logs set webhooks_read = true where environment_id = ${environmentId}
  `;

/**
 * Changes the app of a webhook, or adds it if there is room, also one that was deleted and has come again with its id.
 * `since`: of a new one, the last change before it.
 */
export async function put(
  tx: Sql,
  environmentId: string,
  { service, since }: { readonly service: string; readonly since: number },
  { id, url, events, settings }: Webhook,
): Promise<void> {
  const row = {
    events: tx`${[...events]}::text[]`,
    webhook: tx`${JSON.stringify(settings)}::text::json`,
  };
  const changed = await tx`
    update diorama.event_apps set events = ${row.events}, request_url = ${url}, webhook = ${row.webhook}
    where environment_id = ${environmentId} and app_id = ${id} and webhook is not null and request_url is not null
  `;
  if (changed.count > 0 && events.length === 0)
    await endDeliveries(tx, environmentId, id, "the webhook is disabled");
  if (changed.count > 0 || !(await hasRoom(tx, environmentId))) return;
  await tx`
    insert into diorama.event_apps (
      environment_id, app_id, service, user_id, events, since, request_url, webhook
    )
    values (${environmentId}, ${id}, ${service}, '', ${row.events}, ${since}, ${url}, ${row.webhook})
    on conflict (environment_id, app_id) do update
    set service = excluded.service, events = excluded.events, since = excluded.since,
      request_url = excluded.request_url, webhook = excluded.webhook
    where event_apps.webhook is not null
  `;
}

/** Deleted webhooks of an environment whose deliveries stay listed. */
const ENDED_MAX = 50;

/** Ends a webhook that is deleted, and its deliveries. Those so far stay listed, unless too many others are. */
export async function end(tx: Sql, environmentId: string, id: string): Promise<void> {
  const ended = await tx`
    update diorama.event_apps set events = '{}', request_url = null
    where environment_id = ${environmentId} and app_id = ${id} and webhook is not null
  `;
  if (ended.count > 0) await endDeliveries(tx, environmentId, id, "the webhook is deleted");
  await tx`
    delete from diorama.webhook_failures where environment_id = ${environmentId} and app_id = ${id}
  `;
  await tx`
    delete from diorama.event_apps where environment_id = ${environmentId} and app_id in (
      select app_id from diorama.event_apps
      where environment_id = ${environmentId} and webhook is not null and request_url is null
      order by since desc, app_id offset ${ENDED_MAX}
    )
  `;
}

/** Ends what is not delivered yet, also what is under way: nothing is sent again. */
const endDeliveries = async (tx: Sql, environmentId: string, id: string, reason: string) =>
  await tx`
    update diorama.deliveries set state = 'failed',
      attempts = case when state = 'sent' then jsonb_set(attempts, array['-1', 'failed'], to_jsonb(${reason}::text))
        else attempts || jsonb_build_object(
          'at', floor(extract(epoch from clock_timestamp()) * 1000), 'failed', ${reason}::text
        ) end
    where environment_id = ${environmentId} and app_id = ${id} and state in ('pending', 'sent')
  `;
