/** Webhooks of services subscribe to events by themselves: as rows that changes insert, change and delete. */
import type { Sql } from "~/db/connect";
import type { Session } from "~/db/session";
import type { OpenPlace } from "~/platform/events/place";
import type { ChangesOf } from "~/platform/events/store";
import * as store from "~/platform/events/webhooks-store";
import { requireReplica } from "~/replicas/index";
import { tableInWorld, WORLD } from "~/replicas/members";

/** More rows are not looked at. */
const ROWS_MAX = 1_000;

/** Brings the webhooks of an environment up to date with a batch of its changes, before its events are derived. */
export async function subscribeWebhooks(
  tx: Sql,
  { environment, services }: OpenPlace,
  sessionOf: (service: string) => Session,
  { changes, after, areRead }: ChangesOf,
): Promise<void> {
  const { environmentId } = environment;
  for (const service of services) {
    const { webhooks } = requireReplica(service).events ?? {};
    if (!webhooks) continue;
    const isWorld = environment.service === WORLD;
    const table = isWorld ? tableInWorld(service, webhooks.table) : webhooks.table;
    if (!areRead) {
      const later = await store.listInserted(tx, environmentId, table);
      for (const row of await webhooks.list(sessionOf(service), ROWS_MAX))
        if (!later.has(String(row["id"])))
          await store.put(tx, environmentId, { service, since: after }, webhooks.read(row));
    }
    for (const { number, tableName, before, after: row } of changes) {
      if (tableName !== table) continue;
      if (row) await store.put(tx, environmentId, { service, since: number }, webhooks.read(row));
      else if (before) await store.end(tx, environmentId, String(before["id"]));
    }
  }
  if (!areRead) await store.markRead(tx, environmentId);
}
