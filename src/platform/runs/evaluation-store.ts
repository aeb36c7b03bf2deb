import type { Fragment, Sql } from "~/db/connect";
import { isWithin, type Span } from "~/db/positions";
import type { Ending, FinalVerdict } from "~/evaluation/ending";
import type { CursorPosition, Page } from "~/page";
import { isGradable, seenStatus } from "~/platform/environments/store";
import { matchesText, namesOf, type RunNames } from "~/platform/runs/names-store";
import type { Cause } from "~/platform/runs/verdict-model";

/** A run with a stored diff and no verdict. The fields are JSON text. */
export type EvaluatingRow = Ending & {
  readonly runId: string;
  readonly environmentId: string;
  readonly expected: string;
  readonly diff: string;
  readonly evidence: string;
  /** Null: nobody but the agent has changed anything. */
  readonly others: string | null;
  /** Null: they are not known. */
  readonly events: string | null;
  readonly baselineRows: string;
};

export async function findEvaluating(sql: Sql, runId: string): Promise<EvaluatingRow | undefined> {
  const [run] = await sql<EvaluatingRow[]>`
    select run_id, environment_id, expected::text, diff::text, evidence::text,
      clock_changes::text as others, events::text, standing::text as baseline_rows, ending, exit_code
    from diorama.runs where run_id = ${runId} and status = 'evaluating'
  `;
  return run;
}

/**
 * Returns the stored verdict of a run. A run that failed without one has failures but no explanations: they are its
 * verdict if its agent is the cause.
 */
export async function findVerdict(sql: Sql, runId: string): Promise<FinalVerdict | undefined> {
  const [verdict] = await sql<StoredRow[]>`
    select passed, coalesce(success, false) as success, attack, score, coalesce(reward, 0) as reward, unsafe, undone, failures,
      coalesce(explanations, '[]') as explanations, state_verdict, cause
    from diorama.runs where run_id = ${runId} and (explanations is not null or cause in ('agent_limit', 'interrupted'))
  `;
  return verdict && withoutNulls(verdict);
}

/** A verdict as a row has it: what it may lack is null. */
export type StoredRow = {
  readonly [field in keyof Required<FinalVerdict>]: FinalVerdict[field] | null;
};

export function withoutNulls({ stateVerdict, cause, ...verdict }: StoredRow): FinalVerdict {
  return {
    ...(verdict as FinalVerdict),
    ...(stateVerdict && { stateVerdict }),
    ...(cause && { cause }),
  };
}

type Labels = { readonly [name: string]: string };

/** A run that has ended with a complete diff. The other fields are JSON text. */
export type GradableRow = Ending & {
  readonly environmentId: string;
  readonly service: string;
  readonly testId: string | null;
  readonly diff: string;
  /** Null if it was not kept. */
  readonly evidence: string | null;
  /** Null: nobody but the agent has changed anything. */
  readonly others: string | null;
  /** Null: they are not known. */
  readonly events: string | null;
  /** Null if no verdict needed them. */
  readonly baselineRows: string | null;
  /** Null without a test. */
  readonly expected: string | null;
};

export async function findGradable(
  sql: Sql,
  userId: string,
  runId: string,
): Promise<GradableRow | undefined> {
  const [run] = await sql<GradableRow[]>`
    select r.environment_id, e.service, r.test_id, r.diff::text, r.evidence::text,
      r.clock_changes::text as others, r.events::text, r.ending, r.exit_code,
      r.standing::text as baseline_rows, r.expected::text
    from diorama.runs r join diorama.environments e using (environment_id)
    where r.run_id = ${runId} and r.user_id = ${userId} and r.status in ('completed', 'passed', 'failed')
      and r.diff is not null
  `;
  return run;
}

/** Null for nothing. */
export const jsonText = (value: object | null | undefined) =>
  value ? JSON.stringify(value) : null;

export type ListedRun = Ending & {
  readonly runId: string;
  readonly environmentId: string;
  readonly testId: string | null;
  readonly suiteId: string | null;
  readonly startedAt: Date;
  readonly labels: Labels;
  readonly note: string | null;
  readonly bookmarked: boolean;
  readonly costUsd: number | null;
  readonly names: RunNames;
  readonly status: "running" | "completed" | "passed" | "failed";
  readonly passed: boolean | null;
  readonly score: { passed: number; total: number; percent: number } | null;
  /** Null without a verdict, and if it is not gradable. */
  readonly success: boolean | null;
  readonly reward: number | null;
  /** Null if it is not known. */
  readonly unsafeCount: number | null;
  readonly executionSeconds: number | null;
  /** Null while it is running. */
  readonly gradable: boolean | null;
  readonly cause: Cause | null;
};

/** Columns of a run that has ended, and null before. */
export const summary = (sql: Sql): Fragment => {
  const ended = (column: Fragment) =>
    sql`case when status in ('completed', 'passed', 'failed') then ${column} end`;
  return sql`
    run_id, environment_id, test_id, suite_id, started_at, labels, note, bookmarked, cost_usd, ${namesOf(sql)} as names,
    ${seenStatus(sql)} as status,
    ${ended(sql`passed`)} as passed, ${ended(sql`score`)} as score, ${ended(sql`cause`)} as cause,
    ${ended(isGradable(sql))} as gradable, ending, exit_code,
    case when ${isGradable(sql)} then success end as success, case when ${isGradable(sql)} then reward end as reward,
    (unsafe ->> 'count')::int as unsafe_count,
    ${ended(sql`extract(epoch from ended_at - started_at)::float8`)} as execution_seconds
  `;
};

/** Of runs that have ended, except for those that are running. */
const VERDICTS = {
  running: (sql: Sql) => sql`status in ('running', 'ending', 'evaluating')`,
  passed: (sql: Sql) => sql`status = 'passed' and ${isGradable(sql)}`,
  failed: (sql: Sql) => sql`status = 'failed' and ${isGradable(sql)}`,
  unsafe: (sql: Sql) =>
    sql`status in ('passed', 'failed') and ${isGradable(sql)} and (unsafe ->> 'count')::int > 0`,
  ungraded: (sql: Sql) =>
    sql`status in ('completed', 'passed', 'failed') and (status = 'completed' or not ${isGradable(sql)})`,
} as const satisfies Record<string, (sql: Sql) => Fragment>;
type VerdictFilter = keyof typeof VERDICTS;

type RunFilter = {
  readonly environmentId?: string | undefined;
  readonly testId?: string | undefined;
  readonly suiteId?: string | undefined;
  readonly status?: string | undefined;
  readonly verdict?: VerdictFilter | undefined;
  readonly labels: Labels;
  readonly text?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly bookmarked?: boolean;
};

export const listRuns = async (
  sql: Sql,
  userId: string,
  filter: RunFilter,
  { limit, after }: Page,
): Promise<(ListedRun & { place: CursorPosition })[]> =>
  await sql<(ListedRun & { place: CursorPosition })[]>`
    select ${summary(sql)}, json_build_object('at', started_at::text, 'id', run_id) as place
    from diorama.runs r
    where user_id = ${userId} ${matches(sql, filter)}
      ${after ? sql`and (started_at, run_id) < (${after.at}::text::timestamptz, ${after.id})` : sql``}
    order by started_at desc, run_id desc limit ${limit + 1}
  `;

/** Counts the runs of this user, up to `max`: those that a filter matches, and all. */
export async function countRuns(
  sql: Sql,
  userId: string,
  filter: RunFilter,
  max: number,
): Promise<{ matching: number; all: number }> {
  const own = (more: Fragment) => sql`
    select count(*)::int from (select from diorama.runs r where user_id = ${userId} ${more} limit ${max}) as counted
  `;
  const [counts] = await sql<{ matching: number; all: number }[]>`
    select (${own(matches(sql, filter))}) as matching, (${own(sql``)}) as all
  `;
  return counts ?? { matching: 0, all: 0 };
}

function matches(sql: Sql, filter: RunFilter): Fragment {
  const { environmentId, testId, suiteId, status, verdict, labels, text, from, to } = filter;
  const isLabelled = Object.keys(labels).length > 0;
  return sql`
    ${environmentId === undefined ? sql`` : sql`and environment_id = ${environmentId}`}
    ${testId === undefined ? sql`` : sql`and test_id = ${testId}`}
    ${suiteId === undefined ? sql`` : sql`and suite_id = ${suiteId}`}
    ${status === undefined ? sql`` : sql`and ${seenStatus(sql)} = ${status}`}
    ${verdict === undefined ? sql`` : sql`and ${VERDICTS[verdict](sql)}`}
    ${from === undefined ? sql`` : sql`and started_at >= ${from}`}
    ${to === undefined ? sql`` : sql`and started_at < ${to}`}
    ${filter.bookmarked ? sql`and bookmarked` : sql``}
    ${text === undefined ? sql`` : sql`and ${matchesText(sql, text)}`}
    ${isLabelled ? sql`and labels <> '{}' and labels @> ${JSON.stringify(labels)}::text::jsonb` : sql``}
  `;
}

/** Lists the runs of these users that began or changed their status within a span. */
export const listChanged = async (
  sql: Sql,
  users: readonly string[],
  span: Span,
  limit: number,
): Promise<(ListedRun & { userId: string })[]> =>
  await sql<(ListedRun & { userId: string })[]>`
    select ${summary(sql)}, user_id from diorama.runs r
    where user_id = any(${[...users]}) and ${isWithin(sql, sql`changed_in`, span)}
    order by started_at, run_id limit ${limit}
  `;

/** Lists the latest run of each test that this user started for the suite. */
export async function latestOfSuite(
  sql: Sql,
  userId: string,
  suiteId: string,
): Promise<ListedRun[]> {
  return await sql<ListedRun[]>`
    select distinct on (test_id) ${summary(sql)} from diorama.runs r
    where suite_id = ${suiteId} and user_id = ${userId} and test_id is not null
    order by test_id, started_at desc, run_id desc
  `;
}

export type AttemptCounts = {
  readonly passed: number;
  readonly failed: number;
  readonly notGradable: number;
  /** Those of the graded ones that did what was asked. */
  readonly successful: number;
  /** Those of the graded ones whose test has an attack, and those that obeyed it. */
  readonly attacked: number;
  readonly obeyed: number;
  /** Those of the graded ones that changed something that nobody asked for. */
  readonly unsafe: number;
  /** Of the graded ones. Null without any. */
  readonly meanReward: number | null;
  /** Of the attempts that have one, graded or not. Null without any. */
  readonly meanCostUsd: number | null;
};

/** The attempts at a test in a group of runs. */
export type AttemptRow = AttemptCounts & { readonly testId: string; readonly group: string | null };

/** Counts this user's runs of a suite by test and by the value of a label, those without it last. */
export const countAttempts = async (
  sql: Sql,
  userId: string,
  suiteId: string,
  label: string,
  limit: number,
): Promise<AttemptRow[]> =>
  await sql<AttemptRow[]>`
    select test_id, labels ->> ${label} as "group",
      count(*) filter (where status = 'passed')::int as passed,
      count(*) filter (where status = 'failed' and ${isGradable(sql)})::int as failed,
      count(*) filter (where not ${isGradable(sql)})::int as not_gradable,
      count(*) filter (where success and ${isGradable(sql)})::int as successful,
      count(*) filter (where expected -> 'attack' is not null and ${isGradable(sql)})::int as attacked,
      count(*) filter (where attack = 'obeyed' and ${isGradable(sql)})::int as obeyed,
      count(*) filter (where (unsafe ->> 'count')::int > 0 and ${isGradable(sql)})::int as unsafe,
      avg(coalesce(reward, 0)) filter (where ${isGradable(sql)})::float8 as mean_reward,
      avg(cost_usd) as mean_cost_usd
    from diorama.runs
    where suite_id = ${suiteId} and user_id = ${userId} and test_id is not null
      and status in ('passed', 'failed')
    group by 1, 2 order by 2 nulls last, 1 limit ${limit}
  `;

/** Returns JSON text; null if they were not stored. */
export async function findEvents(sql: Sql, runId: string): Promise<string | null> {
  const [run] = await sql<{ events: string | null }[]>`
    select events::text from diorama.runs where run_id = ${runId}
  `;
  return run?.events ?? null;
}
