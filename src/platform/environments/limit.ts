/** The number of environments that a Postgres carries. */
import type { Disk } from "~/db/disk";
import type { PostgresSettings } from "~/platform/environments/capacity-store";

/** A catalog of a million relations. Calls are as fast beside 6,000 environments as beside 100. */
const CARRIED = 10_000;
/** Carried with any settings: the catalog of this many is small. */
const ALWAYS = 1_000;
/** Building, recycling and dropping schemas lock each of their relations; so many at the same time, beside the calls. */
export const LOCKS_NEEDED = 4_000;
/** On disk, with its share of the catalog and of the log. */
const ENVIRONMENT_BYTES = 1_600_000;
/** Stays free for the log that open runs retain: of a small disk a part. */
const RESERVED_PART = 1 / 20;

export type Reason = "MAX_ENVIRONMENTS" | "catalog" | "settings" | "disk";
export type Limit = { readonly limit: number; readonly limitedBy: Reason };

/** Bytes of a disk that environments do not get. */
export const reservedOf = ({ totalBytes }: Disk, walBudgetBytes: number): number =>
  Math.min(walBudgetBytes, Math.floor(totalBytes * RESERVED_PART));

/** The limit by Postgres' settings, unless `wanted` sets it. */
function bySettings(wanted: number | undefined, settings: PostgresSettings): Limit {
  if (wanted !== undefined) return { limit: wanted, limitedBy: "MAX_ENVIRONMENTS" };
  const fit = settings.autovacuum && settings.locks >= LOCKS_NEEDED;
  return fit ? { limit: CARRIED, limitedBy: "catalog" } : { limit: ALWAYS, limitedBy: "settings" };
}

/** `held`: environments that have a schema. A disk that runs low stops new ones, whatever else would allow. */
export function limitOf(facts: {
  readonly wanted: number | undefined;
  readonly settings: PostgresSettings;
  readonly disk: Disk | undefined;
  readonly walBudgetBytes: number;
  readonly held: number;
}): Limit {
  const { wanted, settings, disk, walBudgetBytes, held } = facts;
  const general = bySettings(wanted, settings);
  if (!disk) return general;
  const usable = Math.max(0, disk.freeBytes - reservedOf(disk, walBudgetBytes));
  const fitting = held + Math.floor(usable / ENVIRONMENT_BYTES);
  return fitting < general.limit ? { limit: fitting, limitedBy: "disk" } : general;
}
