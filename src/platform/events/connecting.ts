/** Opens the connections over which apps receive events: their own sockets, and those that forward requests. */
import type { Config } from "~/config";
import type { Pool } from "~/db/connect";
import { ApiError, NotAuthed } from "~/errors";
import { answerOf } from "~/http/native";
import { publicBase } from "~/http/origin";
import { nearest, quoted } from "~/input/nearest";
import type { Environments } from "~/platform/environments/environments";
import { requireId } from "~/platform/environments/id";
import { useTicket } from "~/platform/events/deliveries-store";
import type { Derivation } from "~/platform/events/derivation";
import { forwardFormat, socketFormat } from "~/platform/events/formats";
import type { Places } from "~/platform/events/place";
import type { EventSockets } from "~/platform/events/sockets";
import { listApps } from "~/platform/outbox/store";
import { createQuota } from "~/platform/quota";
import { REPLICAS } from "~/replicas/index";
import { CODES } from "~/wire/frames";
import type { IncomingRequest } from "~/wire/incoming";
import type { OutgoingAnswer } from "~/wire/outgoing";
import { DEAF, type Listener, type Peer, upgraded } from "~/wire/websocket";

const SOCKETS_MAX = 4_000;
const SOCKETS_PER_KEY_MAX = 1_000;

/** Between two pings to a client that forwards requests. */
const FORWARD_PING_MS = 10_000;
/** How often the key of such a client is looked at again. */
const AUTHENTICATE_MS = 15_000;
/** An app answers the challenge in this time. */
const READY_MS = 5 * 60_000;

const addressOf = (serverUrl: string, environmentId: string, service: string) =>
  `${serverUrl}/api/env/${environmentId}/services/${service}`;

export function createConnecting(deps: {
  pool: Pool;
  environments: Environments;
  places: Places;
  sockets: EventSockets;
  derivation: Derivation;
  config: Pick<Config, "TRUST_PROXY">;
}) {
  const { pool, environments, places, sockets } = deps;
  const quota = createQuota(
    { max: SOCKETS_MAX, perHolder: SOCKETS_PER_KEY_MAX },
    { limit: "event socket", plural: "sockets for events open" },
  );

  /** Counts a connection for a key. Undefined if there are too many; otherwise what gives it back. */
  function taken(keyId: string): (() => void) | undefined {
    try {
      return quota.take(keyId);
    } catch {
      return undefined;
    }
  }

  return {
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
     * the service has one: the others follow its answer. It ends when `authenticate` throws NotAuthed. Throws
     * `invalid_request`.
     */
    async forward(
      request: Request,
      { userId, keyId }: { readonly userId: string; readonly keyId: string },
      { envId, app: id }: { readonly envId: string; readonly app: string },
      authenticate: () => Promise<unknown>,
    ): Promise<Response> {
      const { environmentId, tokenHash } = await environments.requirePath(userId, envId);
      await deps.derivation.now(environmentId); // for webhooks
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
        const check = setInterval(() => {
          authenticate().catch((error) => {
            if (error instanceof NotAuthed) peer.close(CODES.policy, "the key is no longer valid");
          });
        }, AUTHENTICATE_MS);
        const leave = () => {
          clearInterval(check);
          giveBack();
        };
        if (!format.challenge) return sockets.join(peer, destination, format, leave);
        let joined: Listener | undefined;
        const late = setTimeout(() => peer.close(CODES.policy, "it was not ready"), READY_MS);
        void peer.send(format.challenge());
        return {
          async message(text) {
            if (joined) return await joined.message(text);
            if (!format.isReady(text)) return;
            clearTimeout(late);
            joined = sockets.join(peer, destination, format, leave);
          },
          end() {
            clearTimeout(late);
            leave();
            joined?.end();
          },
        };
      };
      return upgraded(request, open, { pingMs: FORWARD_PING_MS });
    },
  };
}
