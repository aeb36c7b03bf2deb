import type { Fragment, Sql } from "~/db/connect";
import type { CursorPosition, Page } from "~/page";
import type { Members } from "~/replicas/members";

/** JSON text, or null. */
export const jsonText = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

/** Counts the calls that the journals of an environment's runs have. */
export const journaledCalls = (sql: Sql, environmentId: Fragment): Fragment => sql`(
  select coalesce(sum(c.line_count - cardinality(array_positions(c.numbers, 0))), 0)::int -- 0: counted elsewhere
  from diorama.runs r join diorama.calls c using (run_id) where r.environment_id = ${environmentId}
)`;

export type EnvironmentRow = {
  readonly environmentId: string;
  readonly userId: string;
  readonly keyId: string;
  readonly service: string;
  readonly templateName: string;
  readonly schemaName: string;
  readonly templateSchema: string;
  readonly actingUserId: string;
  /** The services of a world, with the agent's user in each; null: one service. */
  readonly members: Members | null;
  readonly tokenHash: Buffer;
  /** Its token may act as users other than `actingUserId`. */
  readonly allowImpersonation: boolean;
  readonly expiresAt: Date;
  readonly secondsLeft: number;
  /** live: usable. expired: past its time, ended by maintenance or not. deleted: on request, before that. */
  readonly state: "live" | "expired" | "deleted";
};

export const stateExpression = (sql: Sql): Fragment => sql`
  case when deleted_at < expires_at then 'deleted' when expires_at <= now() then 'expired' else 'live' end
`;

/** The owner of an environment: a user, or the holder of its token. */
export type Owner = { readonly userId: string } | { readonly tokenHash: Buffer };

const belongsTo = (sql: Sql, owner: Owner): Fragment =>
  "userId" in owner ? sql`user_id = ${owner.userId}` : sql`token_hash = ${owner.tokenHash}`;

/** Finds an environment. Without an owner: anyone's, for a caller that checks the owner itself. */
export const find = (sql: Sql, environmentId: string, owner?: Owner) =>
  findBy(
    sql,
    sql`environment_id = ${environmentId} ${owner ? sql`and ${belongsTo(sql, owner)}` : sql``}`,
  );

export const findByToken = (sql: Sql, tokenHash: Buffer) =>
  findBy(sql, belongsTo(sql, { tokenHash }));

async function findBy(sql: Sql, condition: Fragment): Promise<EnvironmentRow | undefined> {
  const [environment] = await sql<EnvironmentRow[]>`
    select environment_id, user_id, key_id, service, template_name, schema_name, template_schema, acting_user_id, members, token_hash,
      allow_impersonation, expires_at, extract(epoch from expires_at - now())::float8 as seconds_left, ${stateExpression(sql)} as state
    from diorama.environments left join diorama.schemas using (schema_name)
    where ${condition}
  `;
  return environment;
}

export type EnvironmentState = Pick<
  EnvironmentRow,
  | "environmentId"
  | "service"
  | "templateName"
  | "schemaName"
  | "expiresAt"
  | "state"
  | "actingUserId"
  | "members"
> & { readonly createdAt: Date };

export type ListedEnvironment = EnvironmentState & {
  readonly run: LastRun | null;
  readonly place: CursorPosition;
};

export type LastRun = {
  readonly runId: string;
  readonly status: "running" | "completed" | "passed" | "failed";
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Null while it is running. */
  readonly gradable: boolean | null;
};

/** The status that callers see: a run that is being ended is running. */
export const seenStatus = (sql: Sql): Fragment =>
  sql`case when status in ('ending', 'evaluating') then 'running' else status end`;

/** Whether a run that has ended says something about its agent: it is not gradable for reasons that no agent can cause. */
export const isGradable = (sql: Sql): Fragment =>
  sql`(cause is not distinct from 'agent_limit' or (diff is not null and cause is distinct from 'interrupted'))`;

/** The newest run of an environment, by one row of an index. */
export const lastRun = (sql: Sql): Fragment => sql`(
  select json_build_object(
    'runId', run_id, 'startedAt', extract(epoch from started_at)::float8 * 1000,
    'status', ${seenStatus(sql)},
    'gradable', case when status in ('completed', 'passed', 'failed') then ${isGradable(sql)} end
  )
  from diorama.runs r where r.environment_id = e.environment_id order by started_at desc limit 1
)`;

export async function list(
  sql: Sql,
  userId: string,
  filter: {
    service: string | undefined;
    templateName: string | undefined;
    status: "active" | "deleted" | undefined;
  },
  { limit, after }: Page,
): Promise<ListedEnvironment[]> {
  const { service, templateName, status } = filter;
  const live = sql`(deleted_at is null and expires_at > now())`;
  return await sql<ListedEnvironment[]>`
    select environment_id, service, template_name, schema_name, expires_at, created_at, acting_user_id, members,
      ${stateExpression(sql)} as state, ${lastRun(sql)} as run,
      json_build_object('at', created_at::text, 'id', environment_id) as place
    from diorama.environments e
    where user_id = ${userId}
      ${service === undefined ? sql`` : sql`and service = ${service}`}
      ${templateName === undefined ? sql`` : sql`and template_name = ${templateName}`}
      ${status === undefined ? sql`` : sql`and ${live} = ${status === "active"}`}
      ${after ? sql`and (created_at, environment_id) < (${after.at}::text::timestamptz, ${after.id})` : sql``}
    order by created_at desc, environment_id desc limit ${limit + 1}
  `;
}

/** Whether a run of the environment has not ended. */
export async function isRunning(tx: Sql, environmentId: string): Promise<boolean> {
  const rows = await tx`
    select from diorama.runs where environment_id = ${environmentId} and status in ('running', 'ending')
  `;
  return rows.length > 0;
}
