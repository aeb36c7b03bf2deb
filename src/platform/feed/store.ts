import type { Sql } from "~/db/connect";
import { isWithin, type Span } from "~/db/positions";
import { type EnvironmentState, stateExpression } from "~/platform/environments/store";
import type { FeedDelivery } from "~/platform/feed/model";
import type { Line } from "~/platform/journal/line";

type ChangedEnvironment = EnvironmentState & { readonly userId: string };

/** Lists environments of these users that were created, extended, reset or ended within a span. */
export const listEnvironments = async (
  sql: Sql,
  users: readonly string[],
  span: Span,
  limit: number,
): Promise<ChangedEnvironment[]> =>
  await sql<ChangedEnvironment[]>`
    select environment_id, service, template_name, schema_name, expires_at, created_at, user_id,
      acting_user_id, members,
      ${stateExpression(sql)} as state
    from diorama.environments
    where user_id = any(${[...users]}) and ${isWithin(sql, sql`changed_in`, span)}
    order by created_at, environment_id limit ${limit}
  `;

/** A call, without its arguments and its answer. */
type AppendedCall = Omit<Line, "arguments" | "answer">;

/** Calls of a run that a server appended together. */
type AppendedCalls = {
  readonly userId: string;
  readonly runId: string;
  readonly environmentId: string;
  readonly calls: readonly AppendedCall[];
  /** Calls of all batches up to this one. */
  readonly total: number;
};

/** Lists calls of these users that were appended within a span, up to the batch that makes them more than `limit`. */
export const listCalls = async (
  sql: Sql,
  users: readonly string[],
  span: Span,
  limit: number,
): Promise<AppendedCalls[]> =>
  await sql<AppendedCalls[]>`
    select user_id, run_id, environment_id, total, (
      select json_agg(json_build_object(
        'id', line -> 'id', 'at', line -> 'at', 'ms', line -> 'ms', 'service', line -> 'service', 'via', line -> 'via',
        'name', line -> 'name', 'status', line -> 'status', 'error', line -> 'error', 'fault', line -> 'fault',
        'request', line -> 'request', 'trace', line -> 'trace'
      ) order by place)
      from json_array_elements(lines) with ordinality as each (line, place)
    ) as calls
    from (
      select r.user_id, run_id, r.environment_id, c.batch, c.lines, c.line_count,
        (sum(c.line_count) over (order by c.batch))::int as total
      from diorama.calls c join diorama.runs r using (run_id)
      where r.user_id = any(${[...users]}) and c.line_count > 0 and ${isWithin(sql, sql`c.appended_in`, span)}
    ) as appended
    where total - line_count <= ${limit}
    order by batch
  `;

/** Lists deliveries to apps in environments of these users that have begun, or changed, within a span. */
export const listDeliveries = async (
  sql: Sql,
  users: readonly string[],
  span: Span,
  limit: number,
): Promise<(FeedDelivery & { readonly userId: string })[]> =>
  await sql<(FeedDelivery & { readonly userId: string })[]>`
    select user_id, environment_id, n.number::float8 as n, n.service, n.type, app_id as app, d.state,
      jsonb_array_length(attempts) as attempts, attempts->-1->>'failed' as failed
    from diorama.deliveries d join diorama.environments using (environment_id)
      join diorama.events n using (environment_id, number)
    where user_id = any(${[...users]}) and ${isWithin(sql, sql`d.changed_in`, span)}
    order by environment_id, n.number, app_id limit ${limit}
  `;
