/**
 * Derives events from the changes of environments, in the order of their commits: each change once, on whichever server
 * comes first.
 */
import { isUnavailable, type Pool } from "~/db/connect";
import { EnvironmentEnded } from "~/db/opening";
import type { Session } from "~/db/session";
import { errorFields, type Log } from "~/log";
import { withFaults } from "~/platform/events/event-faults";
import type { OpenPlace, Places } from "~/platform/events/place";
import * as store from "~/platform/events/store";
import { subscribeWebhooks } from "~/platform/events/webhooks";
import type { StoredApp } from "~/platform/outbox/store";
import type { RowChange } from "~/replicas/events";
import { requireReplica } from "~/replicas/index";
import { tableInWorld, WORLD } from "~/replicas/members";
import { createSemaphore } from "~/semaphore";
import { MICROS } from "~/source";

/** Bytes of an event; a larger one is listed, and not delivered. */
const PAYLOAD_MAX = 256 * 1024;
/** Changes within this time are read together … */
const TOGETHER_MS = 10;
/** … or within this part of the time that the last ones took: calls that are made meanwhile have the server. */
const REST = 3;
const LAST_MS_MAX = 8;
/** After a failure. */
const RETRY_MS = 1_000;
/** Changes whose events are derived together. */
const BATCH = 500;
/** Batches in progress: each holds its changes in memory, and a connection of the platform. */
const CONCURRENCY = 2;

export type Derivation = ReturnType<typeof createDerivation>;

export function createDerivation(deps: { pool: Pool; places: Places; log: Log }) {
  const { pool, places, log } = deps;
  const inTurn = createSemaphore(CONCURRENCY);
  /** About to begin, by environment. */
  const waiting = new Map<string, NodeJS.Timeout>();
  /** In progress. */
  const running = new Map<string, Promise<void>>();
  let isStopping = false;
  /** The time that the last derivation took. */
  let lastMs = 0;

  /** Derives the next events, in smaller and smaller parts if that fails: what cannot be shown is lost alone. */
  async function next(place: OpenPlace, isPatient: boolean): Promise<number | undefined> {
    const { environmentId } = place.environment;
    for (let limit = BATCH; ; limit = Math.floor(limit / 8)) {
      const batch = { limit: Math.max(limit, 1), isPatient };
      try {
        // The tables first: work on the environment between its calls waits for this, and finds the log free.
        return await inTurn(() =>
          place.read((sessionOf) =>
            store.deriveNext(pool, environmentId, batch, {
              subscribe: (tx, changed) => subscribeWebhooks(tx, place, sessionOf, changed),
              async derive(changes, apps, later) {
                const derived = await Promise.all(
                  place.services.map((service) =>
                    deriveIn(place, { service, session: sessionOf(service), later }, changes, apps),
                  ),
                );
                return derived.flat().sort((a, b) => a.change - b.change);
              },
              withFaults,
            }),
          ),
        );
      } catch (error) {
        if (isUnavailable(error) || error instanceof EnvironmentEnded) throw error;
        if (limit > 1) continue;
        log.error("an event is lost", { environmentId, ...errorFields(error) });
        await store.loseNext(pool, environmentId);
        return 0;
      }
    }
  }

  /** Derives the events of the changes so far. */
  async function derive(environmentId: string, isPatient: boolean): Promise<void> {
    const place = await places.open(environmentId);
    if (!place) return;
    const target = await store.lastNoted(pool, environmentId);
    let reached: number | undefined = 0;
    while (reached !== undefined && reached < target && !isStopping)
      reached = await next(place, isPatient);
  }

  async function run(environmentId: string): Promise<void> {
    const began = performance.now();
    try {
      await derive(environmentId, false);
    } catch (error) {
      if (error instanceof EnvironmentEnded) return;
      const level = isUnavailable(error) ? "debug" : "error";
      log[level]("events not derived", { environmentId, ...errorFields(error) });
      soon(environmentId, RETRY_MS);
    }
    lastMs = Math.min(performance.now() - began, LAST_MS_MAX);
  }

  /** Derives the events of changes that have just been committed, together with those that follow within moments. */
  function soon(environmentId: string, ms = Math.max(TOGETHER_MS, REST * lastMs)): void {
    if (waiting.has(environmentId) || isStopping) return;
    const start = () => {
      waiting.delete(environmentId);
      if (running.has(environmentId)) return soon(environmentId);
      const done = run(environmentId).finally(() => running.delete(environmentId));
      running.set(environmentId, done);
    };
    waiting.set(environmentId, setTimeout(start, ms));
  }

  return {
    soon,

    /** Resolves when everything that was committed before has its events. Throws what prevents that. */
    async now(environmentId: string): Promise<void> {
      try {
        await derive(environmentId, true);
      } catch (error) {
        if (!(error instanceof EnvironmentEnded)) throw error;
      }
    },

    async stop(): Promise<void> {
      isStopping = true;
      for (const timer of waiting.values()) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}

type InService = {
  readonly service: string;
  readonly session: Session;
  /** Changes of a table after these. */
  readonly later: (table: string) => Promise<readonly store.NotedChange[]>;
};

/** The events of one service of an environment. */
async function deriveIn(
  { environment }: OpenPlace,
  { service, session, later }: InService,
  noted: readonly store.NotedChange[],
  apps: readonly StoredApp[],
): Promise<(store.NewEvent & { readonly change: number })[]> {
  const { events } = requireReplica(service);
  if (!events) return [];
  const nameOf = (table: string) =>
    environment.service === WORLD ? tableInWorld(service, table) : table;
  const names = new Map(events.tables.map((table) => [nameOf(table), table]));
  const read = (change: store.NotedChange): RowChange[] => {
    const table = names.get(change.tableName);
    if (table === undefined) return [];
    const { cause, tableName: _, ...rest } = change;
    const user = cause && "request" in cause ? cause.user : undefined;
    return [{ ...rest, table, micros: cause?.micros ?? Date.now() * MICROS, user }];
  };
  const changes = noted.flatMap(read);
  if (changes.length === 0) return [];
  const causes = new Map(noted.map(({ number, cause }) => [number, cause]));
  const own = apps.filter((app) => app.service === service);
  const derived = await events.derive(session, changes, own, async (table) =>
    (await later(nameOf(table))).flatMap(read),
  );
  return derived.map(({ change, type, payload, missed }) => {
    const newer = own.filter(({ since = 0 }) => change <= since);
    const all = {
      ...missed,
      ...Object.fromEntries(newer.map(({ id }) => [id, "registered after the change"])),
    };
    const cause = causes.get(change) ?? null;
    return { ...keptEvent({ service, type, payload, cause, missed: all }, own), change };
  });
}

/** An event as it is stored. `apps`: those of its service. */
export function keptEvent(
  {
    payload,
    ...event
  }: Omit<store.NewEvent, "payload" | "receivers"> & { readonly payload: object },
  apps: readonly StoredApp[],
): store.NewEvent {
  const text = JSON.stringify(payload);
  const receivers = apps.map(({ id }) => id).filter((id) => !Object.hasOwn(event.missed, id));
  const kept = { ...event, payload: text, receivers };
  return Buffer.byteLength(text) <= PAYLOAD_MAX ? kept : store.withoutPayload(kept);
}
