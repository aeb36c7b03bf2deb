/** The disk that a database is on. SQL has no function for it: a server on the same machine is asked directly. */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "~/db/connect";

export type Disk = { readonly freeBytes: number; readonly totalBytes: number };

/** The directory of data and log, which may be on disks of their own. */
async function dataDirectory(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ directory: string | null }[]>`
    select (select setting from pg_settings where name = 'data_directory') as directory
    where inet_server_addr() is null or inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1'
  `;
  return row?.directory ?? undefined;
}

/** Returns a function that reads the fuller disk of the database; undefined if it is not on this machine, or not shown to the role. */
export async function findDisk(sql: Sql): Promise<(() => Promise<Disk | undefined>) | undefined> {
  const directory = await dataDirectory(sql);
  if (directory === undefined) return undefined;
  const read = async () => {
    const found = await Promise.allSettled(
      [directory, join(directory, "pg_wal")].map((path) => statfs(path)),
    );
    const [fullest] = found
      .flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))
      .map(({ bavail, blocks, bsize }) => ({
        freeBytes: bavail * bsize,
        totalBytes: blocks * bsize,
      }))
      .sort((a, b) => a.freeBytes - b.freeBytes);
    return fullest;
  };
  return (await read()) === undefined ? undefined : read;
}

/** The space that remains on a disk of this size: beside the databases it holds the log, which may grow to its limit or to what a slot retains. */
export async function remainingOf(sql: Sql, totalBytes: number): Promise<Disk> {
  const [row] = await sql<{ used: number }[]>`
    select (
      (
        select coalesce(sum(pg_database_size(oid)), 0) from pg_database
        where has_database_privilege(oid, 'connect')
      ) + greatest(
        pg_size_bytes(current_setting('max_wal_size')),
        (select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots)
      )
    )::float8 as used
  `;
  return { freeBytes: Math.max(0, totalBytes - (row?.used ?? 0)), totalBytes };
}
