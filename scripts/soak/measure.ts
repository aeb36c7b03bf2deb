/** Figures that must not grow while the server runs, and their evaluation. */
import { readdir, readFile } from "node:fs/promises";
import type postgres from "postgres";

export type Sample = {
  /** Minutes since the start. */
  readonly at: number;
  /** The maximum of the servers, in MB; files are open file handles. */
  readonly rss: number;
  readonly files: number;
  readonly connections: number;
  readonly schemas: number;
  readonly slots: number;
  /** Of the catalog's tables with their indexes, in MB. */
  readonly catalog: number;
  /** Log that the slot retains, in MB. */
  readonly retained: number;
};

const MB = 2 ** 20;

async function memory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024) / MB;
}

/** Takes a sample, of the largest server. Undefined while Postgres does not answer. */
export async function sample(
  sql: postgres.Sql,
  pids: readonly number[],
  at: number,
): Promise<Sample | undefined> {
  try {
    const [row] = await sql<Omit<Sample, "at" | "rss" | "files">[]>`
      select
        (select count(*)::int from pg_stat_activity
          where datname = current_database() and application_name like 'diorama%') as connections,
        (select count(*)::int from pg_namespace where nspname like 'env\\_%') as schemas,
        (select count(*)::int from pg_replication_slots where database = current_database()) as slots,
        (select sum(pg_total_relation_size(oid))::float8 / ${MB} from pg_class
          where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r') as catalog,
        coalesce((select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::float8 / ${MB}
          from pg_replication_slots where database = current_database()), 0) as retained
    `;
    if (!row) return undefined;
    const sizes = await Promise.all(pids.map(memory));
    const files = await Promise.all(
      pids.map(async (pid) => (await readdir(`/proc/${pid}/fd`)).length),
    );
    return { at, rss: Math.max(...sizes), files: Math.max(...files), ...row };
  } catch {
    return undefined;
  }
}

/** Growth of `of` per hour, by least squares. */
export function slope(samples: readonly Sample[], of: keyof Sample): number {
  const n = samples.length;
  if (n < 2) return 0;
  const meanX = samples.reduce((sum, { at }) => sum + at, 0) / n;
  const meanY = samples.reduce((sum, each) => sum + each[of], 0) / n;
  let above = 0;
  let below = 0;
  for (const each of samples) {
    above += (each.at - meanX) * (each[of] - meanY);
    below += (each.at - meanX) ** 2;
  }
  return below === 0 ? 0 : (above / below) * 60;
}
