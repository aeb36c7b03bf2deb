/** The verdicts on a run after its first one. */
import type { Sql } from "~/db/connect";
import type { FinalVerdict } from "~/evaluation/ending";
import type { CursorPosition, Page } from "~/page";
import { jsonText, type StoredRow, withoutNulls } from "~/platform/runs/evaluation-store";

/** A verdict after the first one. */
export type EvaluationRow = Omit<FinalVerdict, "cause"> & {
  readonly evaluationId: string;
  readonly testId: string | null;
  readonly createdAt: Date;
};

/** Returns the time of the evaluation. `expected`: JSON text. */
export async function insertEvaluation(
  sql: Sql,
  row: Omit<EvaluationRow, "createdAt"> & { readonly runId: string; readonly expected: string },
): Promise<Date> {
  const [inserted] = await sql<{ createdAt: Date }[]>`
    insert into diorama.evaluations (
      evaluation_id, run_id, test_id, expected, passed, success, attack, score, reward, unsafe, undone,
      failures, explanations, state_verdict
    )
    values (
      ${row.evaluationId}, ${row.runId}, ${row.testId}, ${row.expected}::text::json, ${row.passed},
      ${row.success}, ${row.attack}, ${JSON.stringify(row.score)}::text::json, ${row.reward}, ${jsonText(row.unsafe)}::text::json,
      ${row.undone}, ${JSON.stringify(row.failures)}::text::json,
      ${JSON.stringify(row.explanations)}::text::json, ${jsonText(row.stateVerdict)}::text::json
    )
    returning created_at
  `;
  if (!inserted) throw new Error("the evaluation was not inserted");
  return inserted.createdAt;
}

type ListedEvaluation = EvaluationRow & {
  readonly place: CursorPosition;
  /** False for one that is beyond the page's bytes. */
  readonly fits: boolean;
};

/** Lists the verdicts of a page and the one after it: the page ends at `lengthMax` bytes of texts. */
export async function listEvaluations(
  sql: Sql,
  runId: string,
  { limit, after }: Page,
  lengthMax: number,
): Promise<ListedEvaluation[]> {
  type Row = StoredRow & Omit<ListedEvaluation, keyof FinalVerdict>;
  const rows = await sql<Row[]>`
    select evaluation_id, test_id, created_at, passed, success, attack, score, reward, unsafe, undone, failures,
      explanations, state_verdict, json_build_object('at', created_at::text, 'id', evaluation_id) as place,
      total <= ${lengthMax} as fits
    from (
      select evaluation_id, test_id, created_at, passed, success, attack, score, reward, unsafe, undone, failures,
        explanations, state_verdict,
        length, sum(length) over newest as total, row_number() over newest as place_on_page
      from (
        select evaluation_id, test_id, created_at, passed, success, attack, score, reward, unsafe, undone, failures,
          explanations, state_verdict,
          octet_length(failures::text || explanations::text || coalesce(unsafe::text, '')) as length
        from diorama.evaluations
        where run_id = ${runId}
          ${after ? sql`and (created_at, evaluation_id) < (${after.at}::text::timestamptz, ${after.id})` : sql``}
        order by created_at desc, evaluation_id desc limit ${limit + 1}
      ) as sized
      window newest as (order by created_at desc, evaluation_id desc)
    ) as summed
    where total - length <= ${lengthMax} or place_on_page <= 2
    order by created_at desc, evaluation_id desc
  `;
  return rows.map(({ evaluationId, testId, createdAt, place, fits, ...verdict }) => ({
    evaluationId,
    testId,
    createdAt,
    place,
    fits,
    ...withoutNulls(verdict),
  }));
}
