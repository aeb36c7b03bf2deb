/** The events of environments: which apps receive them, what follows from changes, and its delivery. */
import type { Config } from "~/config";
import type { Pool } from "~/db/connect";
import type { SessionPool } from "~/db/session-pool";
import type { Log } from "~/log";
import { createActivity } from "~/platform/activity";
import type { Acting } from "~/platform/environments/acting";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import type { Settings } from "~/platform/environments/opening";
import { countAnswer } from "~/platform/events/acts-store";
import { type BeginCall, createAnswering } from "~/platform/events/answering";
import { createEventApps } from "~/platform/events/apps";
import { createConnecting } from "~/platform/events/connecting";
import { DELIVERIES_CHANNEL } from "~/platform/events/deliveries-store";
import { createDerivation } from "~/platform/events/derivation";
import { listFailures } from "~/platform/events/failures-store";
import { createKeptEvents } from "~/platform/events/kept";
import { createEventListing } from "~/platform/events/listing";
import { createPlaces } from "~/platform/events/place";
import { createPosting } from "~/platform/events/posting";
import { createRaising } from "~/platform/events/raising";
import { createSockets } from "~/platform/events/sockets";
import { CHANGES_CHANNEL } from "~/platform/events/store";
import { createWaiting } from "~/platform/events/waiting";
import { listApps } from "~/platform/outbox/store";
import type { Templates } from "~/platform/templates/templates";
import { REPLICAS } from "~/replicas/index";
import type { ReplicaCall } from "~/replicas/replica";

export type EnvironmentEvents = ReturnType<typeof createEvents>;

export function createEvents(deps: {
  pool: Pool;
  sessionPool: SessionPool<Settings>;
  environments: Environments;
  templates: Templates;
  exclusive: Exclusive;
  acting: Acting;
  log: Log;
  beginCall: BeginCall;
  config: Pick<Config, "TRUST_PROXY" | "EVENT_TARGETS" | "DATABASE_URL">;
  /** The ports that this server listens on, its own first. */
  ownPorts: () => readonly number[];
}) {
  const { pool } = deps;
  const places = createPlaces(deps);
  const activity = createActivity(deps);
  const parts = { ...deps, places, activity };
  const derivation = createDerivation(parts);
  const answering = createAnswering(parts);
  const sockets = createSockets({ ...parts, derivation, answering });
  const posting = createPosting({ ...parts, derivation, answering });
  const waiting = createWaiting({ ...parts, derivation });

  const listening = [
    pool.listen(CHANGES_CHANNEL, derivation.soon),
    pool.listen(DELIVERIES_CHANNEL, (environmentId) => {
      sockets.wake(environmentId);
      posting.wake(environmentId);
    }),
  ];

  return {
    apps: createEventApps({ ...parts, derivation }),
    listing: createEventListing({ ...deps, derivation }),
    kept: createKeptEvents({ ...deps, derivation, sockets }),
    raising: createRaising({ ...parts, derivation }),
    waiting,
    activity,
    /** Resolves when everything that was committed before has its events. */
    ready: derivation.now,
    ...createConnecting({ ...parts, sockets, derivation }),

    /** The apps of an environment, the answers to its events and their failures, for a call. */
    appsOf(
      environmentId: string,
    ): Pick<ReplicaCall, "hasApp" | "userOfApp" | "answerEvent" | "failuresOf"> {
      const userOfApp = async (app: string) => {
        const apps = await listApps(pool, environmentId);
        return apps.find(({ id }) => id === app)?.user;
      };
      return {
        userOfApp,
        hasApp: async (app) => (await userOfApp(app)) !== undefined,
        answerEvent: (number) => countAnswer(pool, environmentId, number),
        failuresOf: async (webhooks) =>
          Map.groupBy(await listFailures(pool, environmentId, webhooks), ({ app }) => app),
      };
    },

    /** Whether a path of a service is that of its sockets. */
    isSocket: (service: string, path: string): boolean =>
      REPLICAS.get(service)?.events?.socket?.path === path,

    async stop(): Promise<void> {
      waiting.stop();
      for (const each of listening)
        await each.then(({ unlisten }) => unlisten()).catch(() => undefined);
      await activity.stop();
      await posting.stop();
      await sockets.stop();
      await derivation.stop();
    },
  };
}
