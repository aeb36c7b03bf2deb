/**
 * The progress of a project, milestone or cycle, from its issues. An issue without an estimate counts as one point;
 * canceled issues do not count; started ones count a quarter.
 */
import type { Fragment } from "~/db/connect";
import type { Expression, Scope } from "~/graphql/model";

const STARTED_SHARE = 0.25;
/** Numbers in one history: a longer period shows its last part. */
const HISTORY_MAX = 400;

/** The issues that count for a row: those whose `key` is its id. */
const issuesOf =
  (key: string): Expression =>
  (row, { sql, table }) =>
    sql`
    from ${table("issues")} i join ${table("workflow_states")} s on s.id = i."stateId"
    where ${sql(`i.${key}`)} = ${row("id")} and i.trashed is not true and s.type not in ('canceled', 'duplicate')
  `;

const points = ({ sql }: Scope): Fragment => sql`coalesce(i.estimate, 1)`;

export const scopeOf =
  (key: string): Expression =>
  (row, scope) =>
    scope.sql`(select coalesce(sum(${points(scope)}), 0)::float8 ${issuesOf(key)(row, scope)})`;

export const progressOf =
  (key: string): Expression =>
  (row, scope) =>
    scope.sql`(
    select coalesce(
      sum(${points(scope)} * case s.type when 'completed' then 1 when 'started' then ${STARTED_SHARE}::float8 else 0 end)
        / nullif(sum(${points(scope)}), 0), 0)::float8
    ${issuesOf(key)(row, scope)}
  )`;

type Counted = "issues" | "completed issues" | "points" | "started points" | "completed points";

function counted(what: Counted, scope: Scope): Fragment {
  const { sql } = scope;
  switch (what) {
    case "issues":
      return sql`count(i.id)`;
    case "completed issues":
      return sql`count(i.id) filter (where i."completedAt" < day + step)`;
    case "points":
      return sql`sum(${points(scope)})`;
    case "started points":
      return sql`sum(${points(scope)}) filter (where i."startedAt" < day + step and (i."completedAt" is null or i."completedAt" >= day + step))`;
    case "completed points":
      return sql`sum(${points(scope)}) filter (where i."completedAt" < day + step)`;
  }
}

/** One number for each step from `from` to the earlier of `to` and now. `added` is when an issue was added. */
function history(what: Counted, { key, added, from, to, step }: Span): Expression {
  return (row, scope) => {
    const { sql, now } = scope;
    return sql`array(
      select coalesce((
        select ${counted(what, scope)} ${issuesOf(key)(row, scope)}
          and coalesce(${sql(`i.${added}`)}, i."createdAt") < day + step
      ), 0)::float8
      from (select ${step}::interval as step) steps,
        generate_series(
          greatest(${from(row, scope)}, least(${to(row, scope)}, ${now}::timestamptz) - step * ${HISTORY_MAX}::int),
          least(${to(row, scope)}, ${now}::timestamptz), step
        ) day
      order by day
    )`;
  };
}

export type Span = {
  /** The column of issues that refers to the row. */
  readonly key: string;
  /** The column of issues with the time they were added. */
  readonly added: string;
  readonly from: Expression;
  readonly to: Expression;
  readonly step: "1 day" | "1 week";
};

/** The five histories of the API, one number per step. */
export const historiesOf = (span: Span): { readonly [field: string]: Expression } => ({
  completedIssueCountHistory: history("completed issues", span),
  completedScopeHistory: history("completed points", span),
  inProgressScopeHistory: history("started points", span),
  issueCountHistory: history("issues", span),
  scopeHistory: history("points", span),
});
