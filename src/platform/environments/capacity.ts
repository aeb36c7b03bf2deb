/**
 * Room for new environments, and the number that there may be. More would let the catalog grow, or fill the disk that
 * Postgres needs for its log.
 *
 * Each server counts at most once a second, and adds those that it creates meanwhile. Several servers together may
 * therefore exceed the limit by what the others create within a second; one alone is exact.
 */
import type { Config } from "~/config";
import type { Pool, Sql } from "~/db/connect";
import { type Disk, findDisk, remainingOf } from "~/db/disk";
import { ApiError } from "~/errors";
import * as store from "~/platform/environments/capacity-store";
import { type Limit, limitOf, reservedOf } from "~/platform/environments/limit";

export type Capacity = ReturnType<typeof createCapacity>;

export type CapacityView = Limit & {
  /** Environments that have a schema: live ones, and expired ones until they are cleaned up. */
  readonly held: number;
  readonly free: number;
  readonly disk: (Disk & { readonly reservedBytes: number }) | null;
};

const FRESH_MS = 1_000;
/** After a pause, the latest look is not used. */
const KNOWN_MS = 10_000;
/** The sizes of databases are the sizes of all their files. */
const SIZES_MS = 60_000;
/** A creation that takes longer has failed. */
const CREATION_MS = 60_000;
/** A maintenance cycle frees what has expired. */
const RETRY_AFTER_SECONDS = 10;

export function createCapacity({ config, pool }: { config: Config; pool: Pool }) {
  const { MAX_ENVIRONMENTS: wanted, DATABASE_DISK: size, CAPTURE_WAL_BUDGET } = config;
  /** Environments that this server is creating, with their time. */
  const creating = new Map<string, number>();
  let seen: { readonly view: CapacityView; readonly at: number } | undefined;
  let reading: Promise<CapacityView> | undefined;
  let constants: ReturnType<typeof readConstants> | undefined;
  let sized: { readonly disk: Disk; readonly at: number } | undefined;

  async function readConstants(sql: Sql) {
    const [settings, local] = await Promise.all([
      store.readSettings(sql),
      size === undefined ? findDisk(sql) : undefined,
    ]);
    return { settings, local };
  }

  async function readDisk(sql: Sql, local: (() => Promise<Disk | undefined>) | undefined) {
    if (size === undefined) return await local?.();
    if (sized === undefined || performance.now() - sized.at > SIZES_MS)
      sized = { disk: await remainingOf(sql, size), at: performance.now() };
    return sized.disk;
  }

  async function readAll(sql: Sql): Promise<CapacityView> {
    constants ??= readConstants(sql).catch((error) => {
      constants = undefined;
      throw error;
    });
    const { settings, local } = await constants;
    const [{ held, stored }, disk] = await Promise.all([
      store.countHeld(sql, [...creating.keys()]),
      readDisk(sql, local),
    ]);
    for (const id of stored) creating.delete(id);
    const now = performance.now();
    for (const [id, since] of creating) if (now - since > CREATION_MS) creating.delete(id);
    const walBudgetBytes = CAPTURE_WAL_BUDGET;
    const found = limitOf({ wanted, settings, disk, walBudgetBytes, held });
    const reservedBytes = disk && reservedOf(disk, walBudgetBytes);
    const view = {
      ...found,
      held,
      free: Math.max(0, found.limit - held),
      disk: disk && reservedBytes !== undefined ? { ...disk, reservedBytes } : null,
    };
    seen = { view, at: now };
    return view;
  }

  /** Concurrent readers share one look. In a transaction on its connection: the others may all wait for this one. */
  const read = (sql: Sql = pool) =>
    (reading ??= readAll(sql).finally(() => {
      reading = undefined;
    }));

  /** The latest look if it is recent, else a new one. */
  async function known(sql: Sql = pool): Promise<CapacityView> {
    const age = seen ? performance.now() - seen.at : Number.POSITIVE_INFINITY;
    if (!seen || age > KNOWN_MS) return await read(sql);
    if (age > FRESH_MS) read().catch(() => undefined); // the next call has it
    return seen.view;
  }

  const fits = (count: number) => (seen?.view.free ?? 0) - creating.size >= count;

  /** Throws 503 `capacity_exhausted` if `isAdmitted` still returns false after a new look. */
  async function admit(sql: Sql, isAdmitted: () => boolean): Promise<void> {
    await known(sql);
    if (isAdmitted()) return;
    const found = await read(sql);
    if (!isAdmitted()) throw exhausted(found, found.held + creating.size);
  }

  return {
    read,

    /** Throws 503 `capacity_exhausted` unless there is room for so many. */
    require: (count: number) => admit(pool, () => fits(count)),

    /** Takes room for new environments. Returns a function for those that were not created. Throws as `require` does. */
    async take(sql: Sql, ids: readonly string[]): Promise<() => void> {
      await admit(sql, () => {
        if (!fits(ids.length)) return false;
        for (const id of ids) creating.set(id, performance.now());
        return true;
      });
      return () => {
        for (const id of ids) creating.delete(id);
      };
    },

    /** Whether the disk has no room: then the pool does not grow either. */
    diskIsLow: async () => {
      const { limitedBy, free } = await known();
      return limitedBy === "disk" && free === 0;
    },
  };
}

const WHY = {
  MAX_ENVIRONMENTS: "the limit that MAX_ENVIRONMENTS sets",
  catalog: "as many as one Postgres carries; MAX_ENVIRONMENTS sets another limit",
  settings: "as many as Postgres' settings are good for; `diorama doctor` says what to change",
  disk: "and the disk of Postgres has no room for another one",
} as const;

const exhausted = ({ limit, limitedBy }: Limit, held: number) =>
  new ApiError(
    "capacity_exhausted",
    limitedBy === "disk"
      ? `There are ${held} environments, ${WHY.disk}`
      : `There may be ${limit} environments, ${WHY[limitedBy]}; there are ${held}`,
    { "Retry-After": String(RETRY_AFTER_SECONDS) },
  );
