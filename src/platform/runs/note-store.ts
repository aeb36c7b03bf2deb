/** Labels of a run, its cost, and what a person says about it. */
import type { Sql } from "~/db/connect";

type Noted = {
  readonly labels: { [name: string]: string };
  readonly note: string | null;
  readonly bookmarked: boolean;
  readonly costUsd: number | null;
};

/**
 * Sets labels, and removes those that are null; sets the others that are given. Undefined if there is no such
 * run, or there are too many labels.
 */
export async function changeRun(
  sql: Sql,
  userId: string,
  runId: string,
  change: {
    readonly labels?: { readonly [name: string]: string | null };
    /** Empty: none. */
    readonly note?: string;
    readonly bookmarked?: boolean;
    readonly costUsd?: number;
  },
  labelsMax: number,
): Promise<Noted | undefined> {
  const { labels = {}, note, bookmarked, costUsd } = change;
  const changed = sql`jsonb_strip_nulls(labels || ${JSON.stringify(labels)}::text::jsonb)`;
  const [run] = await sql<Noted[]>`
    update diorama.runs set labels = ${changed}
      ${note === undefined ? sql`` : sql`, note = nullif(${note}, '')`}
      ${bookmarked === undefined ? sql`` : sql`, bookmarked = ${bookmarked}`}
      ${costUsd === undefined ? sql`` : sql`, cost_usd = ${costUsd}`}
    where run_id = ${runId} and user_id = ${userId}
      and (select count(*) from jsonb_object_keys(${changed})) <= ${labelsMax}
    returning labels, note, bookmarked, cost_usd
  `;
  return run;
}
