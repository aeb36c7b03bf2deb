/** Processor time and memory of processes, from /proc: they are unknown on systems without it. */
import { existsSync } from "node:fs";
import type { Sql } from "~/db/connect";

/** The kernel reports times in units of 10 ms, whatever its own timer. */
const TICK_MS = 10;
export const knowsProcesses = existsSync("/proc/self/stat");

/** Milliseconds of processor time of each process so far, without those of its ended children. */
export type Times = ReadonlyMap<number, number>;

export async function timesOf(pids: Iterable<number>): Promise<Times> {
  const times = new Map<number, number>();
  for (const pid of pids) {
    const stat = await Bun.file(`/proc/${pid}/stat`)
      .text()
      .catch(() => undefined);
    if (stat === undefined) continue;
    // The name of a process, in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    times.set(pid, (Number(fields[11]) + Number(fields[12])) * TICK_MS);
  }
  return times;
}

/** Processor time between two readings. A process that started in between counts as a whole. */
export function spent(before: Times, after: Times): number {
  let ms = 0;
  for (const [pid, time] of after) ms += time - (before.get(pid) ?? 0);
  return ms;
}

/** The processes of a Postgres server that have a session or a duty, with a name of it, except this session. */
export async function postgresProcesses(sql: Sql): Promise<Map<number, string>> {
  const rows = await sql<{ pid: number; name: string }[]>`
    select pid, coalesce(nullif(application_name, ''), backend_type) as name
    from pg_stat_activity where pid <> pg_backend_pid()
  `;
  return new Map(rows.map(({ pid, name }) => [pid, name]));
}

export async function residentMegabytes(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Without shared buffers, which every backend shows as its own as far as it has used them. */
export async function privateMegabytes(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
