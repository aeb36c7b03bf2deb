/**
 * The leases of schemas. A lease is being taken, then held until it is ended. All leases of a backend are lost with it.
 */
import type { Backend, Lease } from "~/db/backend";
import type { Sql } from "~/db/connect";
import { type Fence, fenced } from "~/db/driver";
import {
  EnvironmentEnded,
  type EnvironmentRef,
  type OpenEnvironment,
  type Opening,
} from "~/db/opening";
import { counted, createShapes } from "~/db/shapes";

/**
 * Advisory locks share a table of limited size; beyond this number a backend ends the leases it used least recently.
 */
const LEASES_MAX = 200;

const ended = () => new EnvironmentEnded("the environment has ended");

/** Takes leases. `open` is asked once for each. */
export function createLeases<S>(open: OpenEnvironment<S>) {
  const shapesOf = createShapes();

  /**
   * Locks the schema and then looks up the environment, in a separate statement that sees everything committed before
   * the lock. Both are sent together: Postgres runs them in order.
   */
  async function lockAndOpen(
    { own }: Backend<S>,
    { schemaName, environmentId }: EnvironmentRef,
  ): Promise<Opening<S>> {
    const [locked, opened] = await Promise.allSettled([
      own`select pg_advisory_lock_shared(hashtextextended(${schemaName}, 0))`.execute(),
      open(own, environmentId),
    ]);
    if (locked.status === "rejected") throw locked.reason;
    if (opened.status === "fulfilled" && opened.value) return opened.value;
    await unlock(own, schemaName);
    throw opened.status === "rejected" ? opened.reason : ended();
  }

  function take(backend: Backend<S>, environmentRef: EnvironmentRef): Lease<S> {
    const { environmentId, schemaName, tables } = environmentRef;
    backend.schemas.add(schemaName);
    const fence: Fence = {
      refusal: () => (lease.ended !== undefined ? ended() : backend.refusal()),
      shapes: counted(shapesOf(schemaName, tables), backend.statements),
    };
    const lease: Lease<S> = {
      environmentId,
      schema: schemaName,
      backend,
      taken: lockAndOpen(backend, environmentRef),
      fence,
      sql: fenced(backend.sql, fence),
      users: 0,
    };
    lease.taken.then(
      (opening) => {
        lease.opening = opening;
        endOthers(lease);
      },
      () => forget(lease),
    );
    return lease;
  }

  /** Begins a call under the lease of its environment, which is taken if the backend has none. `leave` ends the call. */
  return function enter(backend: Backend<S>, environmentRef: EnvironmentRef): Lease<S> {
    const { environmentId } = environmentRef;
    const lease = backend.leases.get(environmentId) ?? take(backend, environmentRef);
    lease.users++;
    backend.leases.delete(environmentId);
    backend.leases.set(environmentId, lease); // as the most recently used
    if (backend.leases.size > LEASES_MAX) evict(backend);
    return lease;
  };
}

export function leave(lease: Lease<unknown>): void {
  if (--lease.users > 0) return;
  lease.idle?.resolve();
  lease.idle = undefined;
}

/** Ends a lease: rejects statements that were not sent yet, and unlocks the schema after those that were. */
export function end(lease: Lease<unknown>): Promise<void> {
  lease.ended ??= release(lease);
  return lease.ended;
}

/** Ends a lease as soon as its calls in progress have ended, if that is still wanted then. */
export async function endIdle(lease: Lease<unknown>, isWanted: () => boolean): Promise<void> {
  if (lease.users > 0) {
    lease.idle ??= Promise.withResolvers();
    await lease.idle.promise;
  }
  if (lease.users === 0 && isWanted()) await end(lease);
}

async function release(lease: Lease<unknown>): Promise<void> {
  forget(lease);
  const isTaken = await lease.taken.then(
    () => true,
    () => false,
  );
  // A lost backend has unlocked everything.
  if (isTaken) await unlock(lease.backend.own, lease.schema).catch(() => undefined);
}

function forget(lease: Lease<unknown>): void {
  const { leases } = lease.backend;
  if (leases.get(lease.environmentId) === lease) leases.delete(lease.environmentId);
}

/** Ends the leases of the schema's earlier environments: they have ended without notice to this server. */
function endOthers(mine: Lease<unknown>): void {
  for (const lease of mine.backend.leases.values())
    if (lease !== mine && lease.schema === mine.schema) void end(lease);
}

/** Ends the lease that was used least recently. */
function evict({ leases }: Backend<unknown>): void {
  for (const lease of leases.values()) if (lease.users === 0) return void end(lease);
}

const unlock = (sql: Sql, schema: string) =>
  sql`select pg_advisory_unlock_shared(hashtextextended(${schema}, 0))`;
