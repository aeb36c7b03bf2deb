/** The number of environments that a Postgres carries, and the changes for more. */
import type { Config } from "~/config";
import type { Pool } from "~/db/connect";
import { type Disk, findDisk, remainingOf } from "~/db/disk";
import {
  countHeld,
  type PostgresSettings,
  readSettings,
} from "~/platform/environments/capacity-store";
import { LOCKS_NEEDED, limitOf, reservedOf } from "~/platform/environments/limit";
import type { Check } from "~/program/check";

/** More environments than this write so much log that its size matters. */
const MANY = 1_000;
const LOG_BYTES = 4 * 2 ** 30;
const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GB`;

export async function capacityChecks(pool: Pool, config: Config): Promise<readonly Check[]> {
  const settings = await readSettings(pool);
  const size = config.DATABASE_DISK;
  const disk =
    size === undefined ? await (await findDisk(pool))?.() : await remainingOf(pool, size);
  const held = await countHeld(pool, []).then(
    (found) => found.held,
    () => 0, // before the first migration there are none
  );
  return findCapacity(settings, disk, config, held);
}

export function findCapacity(
  settings: PostgresSettings,
  disk: Disk | undefined,
  config: Pick<Config, "MAX_ENVIRONMENTS" | "CAPTURE_WAL_BUDGET">,
  held: number,
): readonly Check[] {
  const { MAX_ENVIRONMENTS: wanted, CAPTURE_WAL_BUDGET: walBudgetBytes } = config;
  const { limit, limitedBy } = limitOf({ wanted, settings, disk, walBudgetBytes, held });
  const room = `this Postgres carries ${limit} environments, by ${limitedBy}`;
  const log =
    limit > MANY && settings.walBytes < LOG_BYTES
      ? `; for more than ${MANY}, max_wal_size of ${gigabytes(LOG_BYTES)} instead of ${gigabytes(settings.walBytes)} saves checkpoints: ALTER SYSTEM SET max_wal_size = '4GB'; then SELECT pg_reload_conf()`
      : "";
  return [
    {
      found: `${room}${log}`,
      ...(limitedBy === "disk" && {
        warning: `the disk of Postgres has room for ${limit - held} more environments: enlarge it, or set MAX_ENVIRONMENTS`,
      }),
    },
    {
      found: disk
        ? `the disk of Postgres has ${gigabytes(disk.freeBytes)} of ${gigabytes(disk.totalBytes)} free, ${gigabytes(reservedOf(disk, walBudgetBytes))} of them reserved`
        : "the disk of Postgres is not on this machine; DATABASE_DISK sets its size",
    },
    {
      found: `autovacuum is ${settings.autovacuum ? "on" : "off"}`,
      ...(!settings.autovacuum && {
        warning: `autovacuum is off, so the catalog grows with every schema that is built: ALTER SYSTEM SET autovacuum = on; then SELECT pg_reload_conf()`,
      }),
    },
    {
      found: `the table of locks has ${settings.locks} entries`,
      ...(settings.locks < LOCKS_NEEDED && {
        warning: `the table of locks has ${settings.locks} entries, too few for more than ${MANY} environments: ALTER SYSTEM SET max_locks_per_transaction = ${Math.ceil(LOCKS_NEEDED / settings.sessions)}; then restart Postgres`,
      }),
    },
  ];
}
