/**
 * Derives events from the changes of environments, in the order of their commits: each change once, on whichever server
 * comes first.
 */
import { isUnavailable, type Pool } from "~/db/connect";
import { EnvironmentEnded } from "~/db/opening";
import type { Session } from "~/db/session";
import { errorFields, type Log } from "~/log";
import type { OpenPlace, Places } from "~/platform/events/place";
import * as store from "~/platform/events/store";
import type { StoredApp } from "~/platform/outbox/store";
import type { RowChange } from "~/replicas/events";
import { requireReplica } from "~/replicas/index";
import { tableInWorld, WORLD } from "~/replicas/members";
import { MICROS } from "~/source";

/** Bytes of an event; a larger one is listed, and not delivered. */
const PAYLOAD_MAX = 256 * 1024;
/** Changes within this time are read together … */
const TOGETHER_MS = 10;
/** … or within this part of the time that the last ones took: calls that are made meanwhile have the server. */
const REST = 3;
const LAST_MS_MAX = 8;

export type Derivation = ReturnType<typeof createDerivation>;

export function createDerivation(deps: { pool: Pool; places: Places; log: Log }) {
  const { pool, places, log } = deps;
  /** In progress, by environment. */
  const running = new Map<string, { isStale: boolean; readonly done: Promise<void> }>();
  /** The time that the last derivation took. */
  let lastMs = 0;
  /** About to begin. */
  const waiting = new Map<string, NodeJS.Timeout>();

  async function derive(environmentId: string): Promise<void> {
    const place = await places.open(environmentId);
    if (!place) return;
    const dueAt = await place.now();
    // The tables first: work on the environment between its calls waits for this, and finds the log free.
    const next = () =>
      place.read((sessionOf) =>
        store.deriveNext(pool, environmentId, dueAt, async (changes, apps) => {
          const derived = await Promise.all(
            place.services.map((service) =>
              deriveIn(place, { service, session: sessionOf(service) }, changes, apps),
            ),
          );
          return derived.flat().sort((a, b) => a.change - b.change);
        }),
      );
    while (await next());
  }

  async function run(environmentId: string): Promise<void> {
    const isAsked = () => running.get(environmentId)?.isStale ?? false;
    try {
      do {
        const own = running.get(environmentId);
        if (own) own.isStale = false;
        const began = performance.now();
        await derive(environmentId);
        lastMs = Math.min(performance.now() - began, LAST_MS_MAX);
      } while (isAsked());
    } catch (error) {
      if (error instanceof EnvironmentEnded) return;
      const level = isUnavailable(error) ? "debug" : "error";
      log[level]("events not derived", { environmentId, ...errorFields(error) });
    } finally {
      running.delete(environmentId);
    }
  }

  /** Resolves when the changes so far have their events, unless that fails, or another server is deriving them. */
  function now(environmentId: string): Promise<void> {
    const own = running.get(environmentId);
    if (own) {
      own.isStale = true;
      return own.done;
    }
    const ended = Promise.withResolvers<void>();
    running.set(environmentId, { isStale: false, done: ended.promise });
    void run(environmentId).then(ended.resolve);
    return ended.promise;
  }

  /** Derives the events of changes that have just been committed, together with those that follow within moments. */
  function soon(environmentId: string): void {
    if (waiting.has(environmentId)) return;
    const start = () => {
      waiting.delete(environmentId);
      if (running.has(environmentId)) soon(environmentId);
      else void now(environmentId);
    };
    waiting.set(environmentId, setTimeout(start, Math.max(TOGETHER_MS, REST * lastMs)));
  }

  return {
    now,
    soon,

    async stop(): Promise<void> {
      for (const timer of waiting.values()) clearTimeout(timer);
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** The events of one service of an environment. */
async function deriveIn(
  { environment }: OpenPlace,
  { service, session }: { readonly service: string; readonly session: Session },
  noted: readonly store.NotedChange[],
  apps: readonly StoredApp[],
): Promise<(store.NewEvent & { readonly change: number })[]> {
  const { events } = requireReplica(service);
  if (!events) return [];
  const names = new Map(
    events.tables.map((table) => [
      environment.service === WORLD ? tableInWorld(service, table) : table,
      table,
    ]),
  );
  const changes = noted.flatMap((change): RowChange[] => {
    const table = names.get(change.tableName);
    if (table === undefined) return [];
    const { cause, tableName: _, ...rest } = change;
    return [{ ...rest, table, micros: cause?.micros ?? Date.now() * MICROS }];
  });
  if (changes.length === 0) return [];
  const causes = new Map(noted.map(({ number, cause }) => [number, cause]));
  const own = apps.filter((app) => app.service === service);
  const derived = await events.derive(session, changes, own);
  return derived.map(({ change, type, payload, missed }) => {
    const text = JSON.stringify(payload);
    const isSmall = Buffer.byteLength(text) <= PAYLOAD_MAX;
    const receivers = own.map(({ id }) => id).filter((id) => !Object.hasOwn(missed, id));
    return {
      change,
      service,
      type,
      payload: isSmall ? text : null,
      cause: causes.get(change) ?? null,
      missed: isSmall
        ? missed
        : Object.fromEntries(own.map(({ id }) => [id, missed[id] ?? "the event is too large"])),
      receivers: isSmall ? receivers : [],
    };
  });
}
