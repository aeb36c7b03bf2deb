/** The names that belong to a run: its test, its suite and its template. Queries call the table of runs `r`. */
import type { Fragment, Sql } from "~/db/connect";

/** Null: gone, or not visible to the run's user any more. */
export type RunNames = {
  readonly service: string;
  readonly templateName: string;
  readonly testName: string | null;
  /** Of its test, even if the run does not count for the suite. */
  readonly suiteId: string | null;
  readonly testSuiteName: string | null;
};

const belongings = (sql: Sql): Fragment => sql`
  diorama.environments e
  left join diorama.tests t on t.test_id = r.test_id
  left join diorama.suites s on s.suite_id = coalesce(r.suite_id, t.suite_id)
    and (s.visibility = 'public' or s.user_id = r.user_id)
  where e.environment_id = r.environment_id
`;

export const namesOf = (sql: Sql): Fragment => sql`(
  select json_build_object(
    'service', e.service, 'templateName', e.template_name, 'suiteId', s.suite_id, 'testSuiteName', s.name,
    'testName', case when s.suite_id is not null then t.name end
  )
  from ${belongings(sql)}
)`;

/** Whether a run's id, note, labels or names contain a text, ignoring case. */
export const matchesText = (sql: Sql, text: string): Fragment => sql`
  position(lower(${text}) in lower((
    select concat_ws(E'\\n', r.run_id, r.environment_id, r.note, e.template_name, s.name,
      case when s.suite_id is not null then t.name end,
      (select string_agg(key || '=' || value, E'\\n') from jsonb_each_text(r.labels)))
    from ${belongings(sql)}
  ))) > 0
`;
