/** The apps of environments that receive events: replaces and shows them. */
import type { Pool } from "~/db/connect";
import { ApiError } from "~/errors";
import { known, quoted } from "~/input/nearest";
import { lockTiming } from "~/platform/environments/clock-store";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import { type EnvironmentRow, isRunning } from "~/platform/environments/store";
import { actorsIn } from "~/platform/environments/view";
import type { Derivation } from "~/platform/events/derivation";
import type { EventApps, NewWebhook, Webhook } from "~/platform/events/model";
import type { Places } from "~/platform/events/place";
import type { NewEventApps } from "~/platform/outbox/model";
import { notedTables } from "~/platform/outbox/noted";
import { requireApps } from "~/platform/outbox/requirements";
import * as outbox from "~/platform/outbox/store";
import { REPLICAS } from "~/replicas/index";
import type { CallAccount } from "~/replicas/replica";

export function createEventApps(deps: {
  pool: Pool;
  environments: Environments;
  exclusive: Exclusive;
  places: Places;
  derivation: Derivation;
}) {
  const { pool, environments, exclusive, places, derivation } = deps;

  return {
    /** Replaces the apps between two calls of the environment. */
    async put(
      userId: string,
      envId: string,
      wanted: NewEventApps,
      baseUrl: string,
    ): Promise<EventApps> {
      const environment = await environments.requirePath(userId, envId);
      const { environmentId: id } = environment;
      const { read } = await places.of(environment);
      const required = await requireApps({ actors: actorsIn(environment), read }, wanted);
      const apps = required.map((app) => ({ ...app, baseUrl }));
      await derivation.now(id); // for the apps from before
      await exclusive.run(environment, async (tx) => {
        if (!(await lockTiming(tx, id))) throw notFound();
        const tables = notedTables(environment);
        const isNoted = await outbox.isNoted(tx, id);
        const hasRun = await isRunning(tx, id);
        if (apps.length > 0 && !isNoted && hasRun)
          throw new ApiError(
            "invalid_request",
            "apps: the environment has an active run; its first apps come before a run",
          );
        // Also where it is noted: a server of an earlier version resets without triggers.
        if (!hasRun || apps.length === 0) await outbox.stopNoting(tx, environment, tables);
        if (!hasRun && apps.length > 0) await outbox.startNoting(tx, environment, tables);
        await outbox.replaceApps(tx, id, apps);
      });
      return view(environment, await outbox.listApps(pool, id));
    },

    /**
     * Begins to note the changes of an environment without apps, after a call of a service that may have added its first
     * webhook: the next call has events. Calls in progress end first. Not during a run: its tables must not change. Throws
     * 503.
     */
    async noteWebhooks(
      environment: EnvironmentRow,
      service: string,
      { name, error }: Pick<CallAccount, "name" | "error">,
    ): Promise<void> {
      const { environmentId: id } = environment;
      if (error !== null || !REPLICAS.get(service)?.events?.webhooks?.addedBy.test(name)) return;
      if ((await outbox.isNoted(pool, id)) || (await isRunning(pool, id))) return;
      await exclusive.run(environment, async (tx) => {
        if (!(await lockTiming(tx, id)) || (await isRunning(tx, id))) return;
        if (await outbox.isNoted(tx, id)) return;
        await outbox.startNoting(tx, environment, notedTables(environment));
        await outbox.openOutbox(tx, id, { isNoting: true });
      });
    },

    /** The address at which an app posts to a channel. Writes nothing. Throws `invalid_request`. */
    async webhook(userId: string, envId: string, { app, channel }: NewWebhook): Promise<Webhook> {
      const environment = await environments.requirePath(userId, envId);
      const { environmentId, tokenHash } = environment;
      const apps = await outbox.listApps(pool, environmentId);
      const found = apps.find(({ id }) => id === app);
      const service = found?.service ?? "";
      const issue = REPLICAS.get(service)?.issueWebhook;
      const ids = apps.map(({ id }) => id);
      if (!issue)
        throw new ApiError(
          "invalid_request",
          `app: the environment has no app ${quoted(app)} with webhooks${known(app, ids)}`,
        );
      const { read } = await places.of(environment);
      const path = await read((sessionOf) =>
        issue(sessionOf(service), tokenHash, { app, channel }),
      );
      return { app, channel, path: `/api/env/${environmentId}/services/${service}/${path}` };
    },

    async show(userId: string, envId: string): Promise<EventApps> {
      const environment = await environments.requirePath(userId, envId);
      await derivation.now(environment.environmentId); // for webhooks
      return view(environment, await outbox.listApps(pool, environment.environmentId));
    },
  };
}

/** The others are webhooks, which subscribe by themselves. */
const isNamed = ({ webhook }: outbox.StoredApp) => !webhook;

function viewWebhook(app: outbox.StoredApp): EventApps["webhooks"] {
  const { id, service, events, isConnected = false, requestUrl, webhook } = app;
  if (!webhook || requestUrl === null) return [];
  return [
    {
      ...{ app: id, service, connected: isConnected, events: [...events], requestUrl },
      signingSecret: webhook.secret,
    },
  ];
}

const view = (
  { environmentId, tokenHash }: EnvironmentRow,
  apps: readonly outbox.StoredApp[],
): EventApps => ({
  environmentId,
  apps: apps
    .filter(isNamed)
    .map(({ id, service, user, events, scopes, domains, isConnected = false, ...address }) => {
      const { socket, request } = REPLICAS.get(service)?.events ?? {};
      return {
        app: id,
        service,
        userId: user,
        connected: isConnected,
        events: [...events],
        scopes: scopes && [...scopes],
        domains: [...domains],
        tokenPrefix: socket?.tokenPrefix(id) ?? null,
        signingSecret: request?.signingSecret?.(tokenHash, id) ?? null,
        requestUrl: address.requestUrl,
        problem: address.problem ?? null,
      };
    }),
  webhooks: apps.flatMap(viewWebhook),
});
