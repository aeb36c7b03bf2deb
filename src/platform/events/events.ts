/** The events of environments: which apps receive them, what follows from changes, and its delivery. */
import type { Config } from "~/config";
import type { Pool } from "~/db/connect";
import type { SessionPool } from "~/db/session-pool";
import { ApiError, NotAuthed } from "~/errors";
import { answerOf } from "~/http/native";
import { publicBase } from "~/http/origin";
import { nearest, quoted } from "~/input/nearest";
import type { Log } from "~/log";
import { createActivity } from "~/platform/activity";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import { requireId } from "~/platform/environments/id";
import type { Settings } from "~/platform/environments/opening";
import { countAnswer } from "~/platform/events/acts-store";
import { type BeginCall, createAnswering } from "~/platform/events/answering";
import { createEventApps } from "~/platform/events/apps";
import { DELIVERIES_CHANNEL, useTicket } from "~/platform/events/deliveries-store";
import { createDerivation } from "~/platform/events/derivation";
import { forwardFormat, socketFormat } from "~/platform/events/formats";
import { createKeptEvents } from "~/platform/events/kept";
import { createEventListing } from "~/platform/events/listing";
import { createPlaces } from "~/platform/events/place";
import { createRaising } from "~/platform/events/raising";
import { createSockets } from "~/platform/events/sockets";
import { CHANGES_CHANNEL } from "~/platform/events/store";
import { createWaiting } from "~/platform/events/waiting";
import { listApps } from "~/platform/outbox/store";
import { createQuota } from "~/platform/quota";
import type { Templates } from "~/platform/templates/templates";
import { REPLICAS } from "~/replicas/index";
import type { ReplicaCall } from "~/replicas/replica";
import { CODES } from "~/wire/frames";
import type { IncomingRequest } from "~/wire/incoming";
import type { OutgoingAnswer } from "~/wire/outgoing";
import { DEAF, type Listener, type Peer, upgraded } from "~/wire/websocket";

export type EnvironmentEvents = ReturnType<typeof createEvents>;

const SOCKETS_MAX = 4_000;
const SOCKETS_PER_KEY_MAX = 1_000;

/** Between two pings to a client that forwards requests. */
const FORWARD_PING_MS = 10_000;
/** An app answers the challenge in this time. */
const READY_MS = 5 * 60_000;

const addressOf = (serverUrl: string, environmentId: string, service: string) =>
  `${serverUrl}/api/env/${environmentId}/services/${service}`;

export function createEvents(deps: {
  pool: Pool;
  sessionPool: SessionPool<Settings>;
  environments: Environments;
  templates: Templates;
  exclusive: Exclusive;
  log: Log;
  beginCall: BeginCall;
  config: Pick<Config, "TRUST_PROXY">;
}) {
  const { pool, environments } = deps;
  const places = createPlaces(deps);
  const parts = { ...deps, places };
  const derivation = createDerivation(parts);
  const answering = createAnswering(parts);
  const sockets = createSockets({ ...parts, derivation, answering });
  const quota = createQuota(
    { max: SOCKETS_MAX, perHolder: SOCKETS_PER_KEY_MAX },
    { limit: "event socket", plural: "sockets for events open" },
  );
  const activity = createActivity(deps);
  const waiting = createWaiting({ ...parts, derivation, activity });

  /** Counts a connection for a key. Undefined if there are too many; otherwise what gives it back. */
  function taken(keyId: string): (() => void) | undefined {
    try {
      return quota.take(keyId);
    } catch {
      return undefined;
    }
  }

  const listening = [
    pool.listen(CHANGES_CHANNEL, derivation.soon),
    pool.listen(DELIVERIES_CHANNEL, sockets.wake),
  ];

  return {
    apps: createEventApps({ ...parts, derivation }),
    listing: createEventListing({ ...deps, derivation }),
    kept: createKeptEvents({ ...deps, derivation, sockets }),
    raising: createRaising({ ...parts, derivation }),
    waiting,
    activity,

    /** The apps of an environment, and the answers to its events, for a call. */
    appsOf(environmentId: string): Pick<ReplicaCall, "hasApp" | "userOfApp" | "answerEvent"> {
      const userOfApp = async (app: string) => {
        const apps = await listApps(pool, environmentId);
        return apps.find(({ id }) => id === app)?.user;
      };
      return {
        userOfApp,
        hasApp: async (app) => (await userOfApp(app)) !== undefined,
        answerEvent: (number) => countAnswer(pool, environmentId, number),
      };
    },

    /** Whether a path of a service is that of its sockets. */
    isSocket: (service: string, path: string): boolean =>
      REPLICAS.get(service)?.events?.socket?.path === path,

    /** Opens the socket of an app, by the ticket of its request. Throws `not_authed`. */
    async connect(
      request: IncomingRequest,
      { envId, service }: { readonly envId: string; readonly service: string },
      serverUrl: string,
    ): Promise<OutgoingAnswer> {
      const place = await places.open(requireId(envId));
      const { socket: mode, schedule } = REPLICAS.get(service)?.events ?? {};
      const { environmentId, tokenHash, keyId } = place?.environment ?? {};
      const given = tokenHash && mode?.readTicket(tokenHash, request.url.searchParams, Date.now());
      if (
        !place ||
        !mode ||
        !schedule ||
        !given ||
        environmentId === undefined ||
        keyId === undefined
      )
        throw new NotAuthed("invalid");
      request.owner = { keyId, environmentId };
      const known = await listApps(pool, environmentId);
      const app = known.find((each) => each.id === given.app && each.service === service);
      if (!app) throw new NotAuthed("invalid");
      if (!(await useTicket(pool, given.ticket, given.expiresAt))) throw new NotAuthed("expired");
      const destination = { environmentId, app: app.id, schedule };
      const baseUrl = addressOf(serverUrl, environmentId, service);
      const format = socketFormat(mode, { app: app.id, secret: tokenHash, baseUrl });
      const open = (peer: Peer): Listener => {
        const giveBack = taken(keyId);
        if (giveBack) return sockets.join(peer, destination, format, giveBack);
        void peer.send(mode.goodbye("too_many")).then(() => peer.close(CODES.tryAgainLater));
        return DEAF;
      };
      return await answerOf(upgraded(request, open, { pingMs: mode.pingMs }));
    },

    /**
     * Opens a connection over which the owner of an environment takes the requests to an app. The first is a challenge, if
     * the service has one: the others follow its answer. Throws `invalid_request`.
     */
    async forward(
      request: Request,
      { userId, keyId }: { readonly userId: string; readonly keyId: string },
      { envId, app: id }: { readonly envId: string; readonly app: string },
    ): Promise<Response> {
      const { environmentId, tokenHash } = await environments.requirePath(userId, envId);
      const apps = await listApps(pool, environmentId);
      const app = apps.find((each) => each.id === id);
      const events = app && REPLICAS.get(app.service)?.events;
      if (!events)
        throw new ApiError(
          "invalid_request",
          `app: the environment has no app ${quoted(id)}${nearest(
            id,
            apps.map((each) => each.id),
          )}`,
        );
      const { schedule } = events;
      const destination = { environmentId, app: id, schedule };
      const baseUrl = addressOf(
        publicBase(request, deps.config.TRUST_PROXY),
        environmentId,
        app.service,
      );
      const opening = { app: id, secret: tokenHash, baseUrl };
      const format = forwardFormat(events.request, schedule, opening);
      const open = (peer: Peer): Listener => {
        const giveBack = taken(keyId);
        if (!giveBack) {
          peer.close(CODES.tryAgainLater, "too many connections are open");
          return DEAF;
        }
        if (!format.challenge) return sockets.join(peer, destination, format, giveBack);
        let joined: Listener | undefined;
        const late = setTimeout(() => peer.close(CODES.policy, "it was not ready"), READY_MS);
        void peer.send(format.challenge());
        return {
          async message(text) {
            if (joined) return await joined.message(text);
            if (!format.isReady(text)) return;
            clearTimeout(late);
            joined = sockets.join(peer, destination, format, giveBack);
          },
          end() {
            clearTimeout(late);
            giveBack();
            joined?.end();
          },
        };
      };
      return upgraded(request, open, { pingMs: FORWARD_PING_MS });
    },

    async stop(): Promise<void> {
      waiting.stop();
      for (const each of listening)
        await each.then(({ unlisten }) => unlisten()).catch(() => undefined);
      await activity.stop();
      await sockets.stop();
      await derivation.stop();
    },
  };
}
