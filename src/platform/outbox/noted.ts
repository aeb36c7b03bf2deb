/** Environments whose changes are noted: those with apps that receive events. */
import type { Sql } from "~/db/connect";
import * as store from "~/platform/outbox/store";
import { REPLICAS, requireReplica } from "~/replicas/index";
import { type Members, tableInWorld, WORLD } from "~/replicas/members";

type Noted = {
  readonly environmentId: string;
  readonly schemaName: string;
  readonly service: string;
  /** Of a world. */
  readonly members: Members | null;
};

const servicesWithEvents = ({ service, members }: Pick<Noted, "service" | "members">) =>
  Object.keys(members ?? { [service]: null }).filter((each) => REPLICAS.get(each)?.events);

/** The tables whose changes cause events. */
export const notedTables = (environment: Noted): string[] =>
  servicesWithEvents(environment).flatMap((service) =>
    (requireReplica(service).events?.tables ?? []).map((table) =>
      environment.service === WORLD ? tableInWorld(service, table) : table,
    ),
  );

/** Gives an environment apps, and begins to note its changes. For one that is new, or whose schema is. */
export async function giveApps(
  tx: Sql,
  environment: Noted,
  apps: readonly store.StoredApp[],
): Promise<void> {
  if (apps.length === 0) return;
  await store.replaceApps(tx, environment.environmentId, apps);
  await store.startNoting(tx, environment, notedTables(environment));
}

/** Begins anew in an environment that has been reset, which has dropped the triggers. */
export async function resetEvents(tx: Sql, environment: Noted): Promise<void> {
  if (!(await store.isNoted(tx, environment.environmentId))) return;
  await store.dropUndelivered(tx, environment.environmentId);
  await store.startNoting(tx, environment, notedTables(environment));
}
