/** Runs that have not ended, for capture. */
import type { Sql } from "~/db/connect";

export async function hasActive(sql: Sql): Promise<boolean> {
  const [row] = await sql`
    select exists (
      select from diorama.runs where status in ('running', 'ending') and capture = 'log'
    ) as active
  `;
  return row?.["active"] === true;
}

export async function comparedIn(sql: Sql, schema: string): Promise<string | undefined> {
  const [run] = await sql<{ id: string }[]>`
    select run_id as id from diorama.runs
    where schema_name = ${schema} and status = 'running' and capture = 'snapshot'
  `;
  return run?.id;
}

export async function activeRuns(sql: Sql): Promise<{ runs: string[]; until: string }> {
  const [row] = await sql<{ runs: string[]; until: string }[]>`
    select pg_current_wal_insert_lsn()::text as until, array(
      select run_id from diorama.runs where status in ('running', 'ending') and capture = 'log'
    ) as runs
  `;
  return row ?? { runs: [], until: "0/0" };
}

export async function activeAmong(sql: Sql, runs: readonly string[]): Promise<string[]> {
  const rows = await sql<{ runId: string }[]>`
    select run_id from diorama.runs
    where run_id = any(${[...runs]}) and status in ('running', 'ending')
  `;
  return rows.map(({ runId }) => runId);
}

export async function isStored(sql: Sql, run: string): Promise<boolean> {
  const [row] =
    await sql`select status not in ('running', 'ending') as stored from diorama.runs where run_id = ${run}`;
  return row?.["stored"] !== false;
}

/** Lists runs whose end is marked in the log and whose result is not stored. */
export async function listEnding(sql: Sql): Promise<string[]> {
  const rows = await sql<{ runId: string }[]>`
    select run_id from diorama.runs where status = 'ending' and capture = 'log'
  `;
  return rows.map(({ runId }) => runId);
}
