/** Events and deliveries that the owner of an environment asks for, and acts of its people. */
import type { Cause } from "~/db/cause";
import { inTransaction, type Pool, type Sql } from "~/db/connect";
import type { Session } from "~/db/session";
import { ApiError } from "~/errors";
import { countByHand } from "~/platform/counterparts/by-hand-store";
import type { Acting } from "~/platform/environments/acting";
import type { Environments } from "~/platform/environments/environments";
import { asNotFound } from "~/platform/environments/id";
import type { RaisedAct } from "~/platform/environments/performing";
import { repeat } from "~/platform/events/deliveries-store";
import { type Derivation, keptEvent } from "~/platform/events/derivation";
import { withFaults } from "~/platform/events/event-faults";
import { listed } from "~/platform/events/listing";
import { listEvents } from "~/platform/events/listing-store";
import type { EnvironmentEvent, NewEvent, Repetition } from "~/platform/events/model";
import type { Places } from "~/platform/events/place";
import * as store from "~/platform/events/store";
import { requireEventType } from "~/platform/events/types";
import type { StoredApp } from "~/platform/outbox/store";
import type { Act } from "~/replicas/acts";
import { REPLICAS } from "~/replicas/index";
import { MICROS } from "~/source";

/** How long a person waits for the answer of an app. The service itself waits for 3 s. */
const ANSWER_MS = 4_000;
const LOOK_MS = 100;

export function createRaising(deps: {
  pool: Pool;
  environments: Environments;
  places: Places;
  derivation: Derivation;
  acting: Pick<Acting, "change" | "settle">;
}) {
  const { pool, environments, places, derivation, acting } = deps;

  async function requireEvent(environmentId: string, number: number): Promise<EnvironmentEvent> {
    const page = { after: number - 1, limit: 1, lengthMax: 0 };
    const [event] = await listEvents(pool, environmentId, page);
    if (event?.number === number) return listed(event);
    throw new ApiError("invalid_request", `n: the environment has no event ${number}`);
  }

  /** Waits, as a person does, until the app has answered an act. */
  async function answered(environmentId: string, number: number): Promise<EnvironmentEvent> {
    const deadline = performance.now() + ANSWER_MS;
    for (;;) {
      const event = await requireEvent(environmentId, number);
      const isOpen = event.deliveries.some(({ state }) => state === "pending" || state === "sent");
      if (!isOpen || performance.now() > deadline) return event;
      await Bun.sleep(LOOK_MS);
    }
  }

  return {
    /** Adds an event after those of everything that was committed before. Throws `invalid_request`. */
    async raise(userId: string, envId: string, given: NewEvent) {
      const wanted = requireWhole(given);
      const environment = await environments.requirePath(userId, envId);
      const { environmentId } = environment;
      const place = await places.of(environment);
      const maker = makerOf(place.services, wanted);
      const { service, ...kind } = maker;
      if (kind.isChange) await acting.settle(environment); // What is left or overdue precedes it.
      await derivation.now(environmentId);
      const add = async (sessionOf: (service: string) => Session) => {
        const cause = { hand: true, micros: (await place.now()) * MICROS } as const;
        const how = { ...maker, cause, environment, session: sessionOf(service) };
        return await inTransaction(pool, async (tx) => {
          const number = await addMade(tx, how);
          await countByHand(tx, environmentId);
          return number;
        });
      };
      // As in every derivation, the tables are taken before the log of events. The event of a change is stored once the
      // change is made, and the change is kept once the event is stored: if one of them fails, there is neither.
      const adding = kind.isChange ? acting.change(environment, add) : place.read(add);
      const number = await adding.catch((error: unknown) => {
        throw asNotFound(error);
      });
      return kind.isAnswered
        ? await answered(environmentId, number)
        : await requireEvent(environmentId, number);
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

/** When and where an event is made. */
type Making = Omit<Act, "given">;
type Made = {
  readonly type: string;
  readonly payload: object;
  readonly missed: Missed;
  readonly change?: (session: Session) => Promise<void>;
};
type Missed = store.NewEvent["missed"];

type Whole =
  | { readonly act: Act["given"] }
  | { readonly type: string; readonly event: Act["given"] };

/** Throws `invalid_request` unless there is an event with its type, or an act instead. */
function requireWhole({ type, event, act }: NewEvent): Whole {
  if (act !== undefined && type === undefined && event === undefined) return { act };
  if (act !== undefined)
    throw new ApiError("invalid_request", "act: comes without `type` and `event`");
  if (type !== undefined && event !== undefined) return { type, event };
  const missing = type === undefined ? "type" : "event";
  throw new ApiError("invalid_request", `${missing}: needed, unless there is an \`act\``);
}

/** Lets a person act by a rule. Throws `invalid_request`. */
export async function raiseAct(tx: Sql, { service, given, ...how }: RaisedAct): Promise<void> {
  await addMade(tx, { ...how, ...makerOf([service], { act: given }) });
}

type How = Pick<Maker, "service" | "isSingle" | "make"> &
  Pick<RaisedAct, "environment" | "session"> & { readonly cause: Cause };

/** Makes an event, and the change that comes with it. Returns its number. Throws `invalid_request`. */
async function addMade(
  tx: Sql,
  { environment, service, session, cause, isSingle, make }: How,
): Promise<number> {
  const { environmentId, tokenHash: secret } = environment;
  const made = async (apps: readonly StoredApp[], number: number) => {
    const own = apps.filter((app) => app.service === service);
    const making = { number, micros: cause.micros, secret };
    const { change, ...event } = await make(session, making, own);
    await change?.(session);
    return keptEvent({ ...event, isSingle, service, cause }, own);
  };
  return await store.addEvent(tx, environmentId, made, withFaults);
}

type Maker = {
  readonly service: string;
  /** It is an act. */
  readonly isSingle: boolean;
  /** The person waits for the answer of the app. */
  readonly isAnswered: boolean;
  /** It changes something by itself. */
  readonly isChange: boolean;
  readonly make: (session: Session, making: Making, apps: readonly StoredApp[]) => Promise<Made>;
};

/** How an event by hand is made, and by which service. Throws `invalid_request`. */
function makerOf(services: readonly string[], wanted: Whole): Maker {
  if ("act" in wanted) {
    const { act: given } = wanted;
    for (const service of services) {
      const acts = REPLICAS.get(service)?.acts;
      if (!acts) continue;
      return {
        ...{ service, isSingle: true },
        ...{ isAnswered: acts.isAnswered(given), isChange: acts.isChange(given) },
        make: (session, making, apps) => acts.perform(session, { ...making, given }, apps),
      };
    }
    throw new ApiError("invalid_request", "act: nobody acts in the services of this environment");
  }
  const { service, events } = requireEventType(services, wanted.type, "type");
  return {
    ...{ service, isSingle: false, isAnswered: false, isChange: false },
    make: (session, { micros }, apps) => events.raise(session, { ...wanted, micros }, apps),
  };
}
