/** Events and deliveries that the owner of an environment asks for. */
import type { Pool } from "~/db/connect";
import type { Session } from "~/db/session";
import { ApiError } from "~/errors";
import type { Environments } from "~/platform/environments/environments";
import { asNotFound } from "~/platform/environments/id";
import { repeat } from "~/platform/events/deliveries-store";
import { type Derivation, keptEvent } from "~/platform/events/derivation";
import { listed } from "~/platform/events/listing";
import { listEvents } from "~/platform/events/listing-store";
import type { EnvironmentEvent, NewEvent, Repetition } from "~/platform/events/model";
import type { Places } from "~/platform/events/place";
import * as store from "~/platform/events/store";
import { requireEventType } from "~/platform/events/types";
import { MICROS } from "~/source";

export function createRaising(deps: {
  pool: Pool;
  environments: Environments;
  places: Places;
  derivation: Derivation;
}) {
  const { pool, environments, places, derivation } = deps;

  async function requireEvent(environmentId: string, number: number): Promise<EnvironmentEvent> {
    const page = { after: number - 1, limit: 1, lengthMax: 0 };
    const [event] = await listEvents(pool, environmentId, page);
    if (event?.number === number) return listed(event);
    throw new ApiError("invalid_request", `n: the environment has no event ${number}`);
  }

  return {
    /** Adds an event after those of everything that was committed before. Throws `invalid_request`. */
    async raise(userId: string, envId: string, { type, event }: NewEvent) {
      const environment = await environments.requirePath(userId, envId);
      const { environmentId } = environment;
      const place = await places.of(environment);
      const { service, events } = requireEventType(place.services, type, "type");
      await derivation.now(environmentId);
      const add = async (sessionOf: (service: string) => Session) => {
        const micros = (await place.now()) * MICROS;
        return await store.addEvent(pool, environmentId, async (apps) => {
          const own = apps.filter((app) => app.service === service);
          const raised = await events.raise(sessionOf(service), { type, event, micros }, own);
          return keptEvent({ ...raised, service, cause: { hand: true, micros } }, own);
        });
      };
      const number = await place.read(add).catch((error) => {
        throw asNotFound(error);
      });
      if (number === undefined)
        throw new ApiError(
          "invalid_request",
          "The environment has no apps, so that it has no events, or more events than are kept",
        );
      return await requireEvent(environmentId, number);
    },

    /** Makes an event due again, for one app or all that received it. Throws `invalid_request`. */
    async repeat(
      userId: string,
      { envId, n }: { readonly envId: string; readonly n: number },
      { app }: Repetition,
    ) {
      const { environmentId } = await environments.requirePath(userId, envId);
      await requireEvent(environmentId, n);
      const apps = await repeat(pool, environmentId, { number: n, app });
      if (apps.length === 0)
        throw new ApiError(
          "invalid_request",
          "No delivery of the event has ended that can be made again: it is under way or too large, was tried 100 times, or there is none for this app",
        );
      return await requireEvent(environmentId, n);
    },
  };
}
