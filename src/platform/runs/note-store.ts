/** Labels of a run, and what a person says about it. */
import type { Sql } from "~/db/connect";

type Noted = {
  readonly labels: { [name: string]: string };
  readonly note: string | null;
  readonly bookmarked: boolean;
};

/**
 * Sets labels, and removes those that are null; sets note and bookmark if they are given. Undefined if there is no such
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
  },
  labelsMax: number,
): Promise<Noted | undefined> {
  const { labels = {}, note, bookmarked } = change;
  const changed = sql`jsonb_strip_nulls(labels || ${JSON.stringify(labels)}::text::jsonb)`;
  const [run] = await sql<Noted[]>`
    update diorama.runs set labels = ${changed}
      ${note === undefined ? sql`` : sql`, note = nullif(${note}, '')`}
      ${bookmarked === undefined ? sql`` : sql`, bookmarked = ${bookmarked}`}
    where run_id = ${runId} and user_id = ${userId}
      and (select count(*) from jsonb_object_keys(${changed})) <= ${labelsMax}
    returning labels, note, bookmarked
  `;
  return run;
}
