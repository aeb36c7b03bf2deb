/** The apps of environments that receive events: replaces and shows them. */
import type { Pool } from "~/db/connect";
import { ApiError } from "~/errors";
import { known, quoted } from "~/input/nearest";
import { Rejections } from "~/input/rejections";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import { actorsIn } from "~/platform/environments/view";
import type { EventApps, NewEventApps } from "~/platform/events/model";
import type { OpenPlace, Places } from "~/platform/events/place";
import { isRunning, lockLive } from "~/platform/events/store";
import { notedTables, servicesWithEvents } from "~/platform/outbox/noted";
import * as outbox from "~/platform/outbox/store";
import { REPLICAS, requireReplica, serviceOf } from "~/replicas/index";

export function createEventApps(deps: {
  pool: Pool;
  environments: Environments;
  exclusive: Exclusive;
  places: Places;
}) {
  const { pool, environments, exclusive, places } = deps;

  return {
    /** Replaces the apps between two calls of the environment. */
    async put(userId: string, envId: string, wanted: NewEventApps): Promise<EventApps> {
      const environment = await environments.requirePath(userId, envId);
      const { environmentId: id } = environment;
      const apps = await requireApps(await places.of(environment), wanted);
      await exclusive.run(environment, async (tx) => {
        if (!(await lockLive(tx, id))) throw notFound();
        const tables = notedTables(environment);
        const isNoted = await outbox.isNoted(tx, id);
        if (apps.length === 0 && isNoted) await outbox.stopNoting(tx, environment, tables);
        if (apps.length > 0 && !isNoted) {
          if (await isRunning(tx, id))
            throw new ApiError(
              "invalid_request",
              "apps: the environment has an active run; its first apps come before a run",
            );
          await outbox.startNoting(tx, environment, tables);
        }
        await outbox.replaceApps(tx, id, apps);
      });
      return view(id, apps);
    },

    async show(userId: string, envId: string): Promise<EventApps> {
      const { environmentId: id } = await environments.requirePath(userId, envId);
      return view(id, await outbox.listApps(pool, id));
    },
  };
}

/** Throws `invalid_request` or `invalid_service`, with all that is wrong. */
async function requireApps(
  place: OpenPlace,
  { apps }: NewEventApps,
): Promise<readonly outbox.StoredApp[]> {
  const rejections = new Rejections();
  const found: outbox.StoredApp[] = [];
  for (const [index, app] of apps.entries())
    try {
      const path = `apps[${index}]`;
      if (found.some(({ id }) => id === app.app))
        throw new ApiError("invalid_request", `${path}.app: ${quoted(app.app)} is given twice`);
      found.push(await requireApp(place, app, path));
    } catch (error) {
      rejections.add(error);
    }
  rejections.end();
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function requireApp(
  place: OpenPlace,
  { app, service: named, userId, events, scopes }: NewEventApps["apps"][number],
  path: string,
): Promise<outbox.StoredApp> {
  const services = servicesWithEvents(place.environment);
  const [only, another] = services;
  const service = named === undefined ? only : serviceOf(named);
  if (service === undefined || !services.includes(service))
    throw new ApiError(
      "invalid_service",
      `${path}.service: no service of this environment has events under this name${known(named ?? "", services)}`,
    );
  if (named === undefined && another !== undefined)
    throw new ApiError(
      "invalid_request",
      `${path}.service: needed, as ${services.join(" and ")} have events`,
    );
  const words = requireReplica(service).events;
  if (!words) throw new Error("a service without events was chosen");
  const unknown = events.find((type) => !Object.hasOwn(words.types, type));
  if (unknown !== undefined)
    throw new ApiError(
      "invalid_request",
      `${path}.events: ${service} has no event ${quoted(unknown)}${known(unknown, Object.keys(words.types))}`,
    );
  if (!words.isAppId(app))
    throw new ApiError(
      "invalid_request",
      `${path}.app: an id of an app is needed, such as A01AGENTBOT`,
    );
  const user = await place.read(async (sessionOf) => {
    const session = sessionOf(service);
    if (userId !== undefined)
      return await requireReplica(service).findUser(session, { id: userId });
    return (await words.findBot(session, app)) ?? actorsIn(place.environment)[service];
  });
  if (!user)
    throw new ApiError(
      "invalid_request",
      `${path}.userId: ${service} has no user ${quoted(userId ?? "")} here`,
    );
  return { id: app, user, service, events: [...new Set(events)], scopes: scopes ?? null };
}

const view = (environmentId: string, apps: readonly outbox.StoredApp[]): EventApps => ({
  environmentId,
  apps: apps.map(({ id, service, user, events, scopes }) => ({
    app: id,
    service,
    userId: user,
    events: [...events],
    scopes: scopes && [...scopes],
    tokenPrefix: REPLICAS.get(service)?.events?.socket.tokenPrefix(id) ?? null,
  })),
});
