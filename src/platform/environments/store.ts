import type { Fragment, Sql } from "~/db/connect";
import type { CursorPosition, Page } from "~/http/page";
import type { Timing } from "~/platform/environments/model";

export type NewEnvironmentRow = {
  readonly environmentId: string;
  readonly userId: string;
  readonly keyId: string;
  readonly service: string;
  readonly templateName: string;
  readonly actingUserId: string;
  readonly tokenHash: Buffer;
  readonly ttlSeconds: number;
  readonly allowImpersonation: boolean;
  readonly timing: Timing;
};

export type Claimed = { readonly schemaName: string; readonly expiresAt: Date };

/**
 * Claims a ready schema for a new environment, in one statement, one of `preferred` if possible. Returns undefined if
 * there is none. No two callers get the same one, on any servers: each locks the row it takes and skips locked rows.
 */
export async function claim(
  sql: Sql,
  templateSchema: string,
  environment: NewEnvironmentRow,
  preferred: readonly string[],
): Promise<Claimed | undefined> {
  const one = (condition: Fragment) => sql`(
    select schema_name from diorama.schemas
    where template_schema = ${templateSchema} and state = 'ready' and ${condition}
    limit 1 for update skip locked
  )`;
  const any = one(sql`true`);
  // Without preferred ones their look-up would read all ready schemas.
  const name =
    preferred.length === 0
      ? any
      : sql`coalesce(${one(sql`schema_name = any(${[...preferred]})`)}, ${any})`;
  const [claimed] = await sql<Claimed[]>`
    with ready as (
      update diorama.schemas set state = 'claimed', changed_at = now()
      where schema_name = ${name}
      returning schema_name
    )
    ${insertEnvironment(sql, environment, sql`ready`)}
  `;
  return claimed;
}

/** Inserts an environment for each row of `schemas`, a relation with the column `schema_name`. */
function insertEnvironment(sql: Sql, environment: NewEnvironmentRow, schemas: Fragment): Fragment {
  const e = environment;
  return sql`
    insert into diorama.environments (
      environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, token_hash,
      allow_impersonation, ${timingColumns(sql)}, expires_at
    )
    select ${e.environmentId}, ${e.userId}, ${e.keyId}, ${e.service}, ${e.templateName}, schema_name,
      ${e.actingUserId}, ${e.tokenHash}, ${e.allowImpersonation}, ${timingValues(sql, e.timing)}, now() + ${e.ttlSeconds}::float8 * interval '1 second'
    from ${schemas}
    returning schema_name as "schemaName", expires_at as "expiresAt"
  `;
}

/** JSON text, or null. */
export const jsonText = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

const timingColumns = (sql: Sql): Fragment => sql`clock, first_clock, seed, calls`;

const timingValues = (sql: Sql, { clock, firstClock, seed, calls }: Timing): Fragment => sql`
  ${jsonText(clock)}::text::json, ${jsonText(firstClock)}::text::json, ${seed}, ${calls}::int8
`;

/** Gives a schema that was just built to a new environment, in the same transaction. */
export async function insertWith(
  sql: Sql,
  schemaName: string,
  environment: NewEnvironmentRow,
): Promise<Claimed> {
  const [claimed] = await sql<Claimed[]>`
    ${insertEnvironment(sql, environment, sql`(values (${schemaName})) as built (schema_name)`)}
  `;
  if (!claimed) throw new Error("the environment was not inserted");
  return claimed;
}

/** An environment of several that are created together, with its reserved schema. */
export type Reserved = {
  readonly environmentId: string;
  readonly tokenHash: Buffer;
  readonly schemaName: string;
};

/** The origin of a fork. */
export type Lineage = {
  readonly parentId: string;
  readonly familyId: string;
  readonly snapshotId: string | null;
  /** Calls of the parent until then, as its journals have them. */
  readonly atCall: number;
};

/** Counts the calls that the journals of an environment's runs have. */
export const journaledCalls = (sql: Sql, environmentId: Fragment): Fragment => sql`(
  select coalesce(sum(c.line_count - cardinality(array_positions(c.numbers, 0))), 0)::int -- 0: counted elsewhere
  from diorama.runs r join diorama.calls c using (run_id) where r.environment_id = ${environmentId}
)`;

/** Gives each new environment its reserved schema, in one statement. Returns their end; undefined if a schema is not reserved. */
export async function insertReserved(
  sql: Sql,
  common: Omit<NewEnvironmentRow, "environmentId" | "tokenHash">,
  reserved: readonly Reserved[],
  lineage: Lineage | undefined,
): Promise<Date | undefined> {
  const c = common;
  const rows = await sql<{ expiresAt: Date }[]>`
    with claimed as (
      update diorama.schemas set state = 'claimed', changed_at = now()
      where schema_name = any(${reserved.map(({ schemaName }) => schemaName)}) and state = 'reserved'
      returning schema_name
    )
    insert into diorama.environments (
      environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, token_hash,
      allow_impersonation, ${timingColumns(sql)}, expires_at, family_id, parent_environment_id, snapshot_id,
      at_call
    )
    select given.environment_id, ${c.userId}, ${c.keyId}, ${c.service}, ${c.templateName}, given.schema_name,
      ${c.actingUserId}, decode(given.token_hash, 'hex'), ${c.allowImpersonation}, ${timingValues(sql, c.timing)},
      now() + ${c.ttlSeconds}::float8 * interval '1 second', ${lineage?.familyId ?? null},
      ${lineage?.parentId ?? null}, ${lineage?.snapshotId ?? null}, ${lineage?.atCall ?? null}::int
    from unnest(
      ${reserved.map(({ environmentId }) => environmentId)}::text[],
      ${reserved.map(({ schemaName }) => schemaName)}::text[],
      ${reserved.map(({ tokenHash }) => tokenHash.toString("hex"))}::text[]
    ) as given (environment_id, schema_name, token_hash)
    join claimed using (schema_name)
    returning expires_at as "expiresAt"
  `;
  return rows.length === reserved.length ? rows[0]?.expiresAt : undefined;
}

export type EnvironmentRow = {
  readonly environmentId: string;
  readonly userId: string;
  readonly keyId: string;
  readonly service: string;
  readonly templateName: string;
  readonly schemaName: string;
  readonly templateSchema: string;
  readonly actingUserId: string;
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
export async function find(
  sql: Sql,
  environmentId: string,
  owner?: Owner,
): Promise<EnvironmentRow | undefined> {
  const [environment] = await sql<EnvironmentRow[]>`
    select environment_id, user_id, key_id, service, template_name, schema_name, template_schema, acting_user_id, token_hash,
      allow_impersonation, expires_at, extract(epoch from expires_at - now())::float8 as seconds_left, ${stateExpression(sql)} as state
    from diorama.environments left join diorama.schemas using (schema_name)
    where environment_id = ${environmentId} ${owner ? sql`and ${belongsTo(sql, owner)}` : sql``}
  `;
  return environment;
}

export type EnvironmentState = Pick<
  EnvironmentRow,
  "environmentId" | "service" | "templateName" | "schemaName" | "expiresAt" | "state"
> & { readonly createdAt: Date };

export type ListedEnvironment = EnvironmentState & {
  readonly actingUserId: string;
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
    select environment_id, service, template_name, schema_name, expires_at, created_at, acting_user_id,
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

export type Ended = { readonly environmentId: string; readonly schemaName: string };

/** Notifies other servers of ended environments: the payload is an id. */
export const CHANNEL = "diorama_environments";

/** Notifies other servers that the calls of an environment wait, and that they need not any more. */
export const HOLDS_CHANNEL = "diorama_holds";

/** Does not wait for the disk: after a crash there is nobody to notify. */
export const announceHold = async (sql: Sql, payload: string) =>
  await sql`
    select pg_notify(${HOLDS_CHANNEL}, ${payload}), set_config('synchronous_commit', 'off', true)
  `;

/**
 * Closes the runs of environments that end: fragments for the statement that ends those, which lists them as `ended`.
 * Supplied by the owner of runs.
 */
export type RunClosing = {
  /** Closes the runs; listed as `closed`. */
  closed(sql: Sql, reason: Reason): Fragment;
  /** Selected beside `closed`. */
  mark(sql: Sql, reason: Reason): Fragment;
  /** Whether the environment must not end yet, because a run still has to compare its state. */
  isCompared(sql: Sql): Fragment;
  /** Fails runs whose log is lost too. */
  lost(sql: Sql): Fragment;
};

/** How an environment ended; a reset only ends its runs. */
type Reason = "deleted" | "expired" | "lost its schema" | "reset";

/**
 * Ends environments: frees their schemas for recycling, and closes their unfinished runs with a reason. The
 * environments are those that `which` selects and locks among the live ones.
 */
async function end(sql: Sql, which: Fragment, reason: Reason, runs: RunClosing): Promise<Ended[]> {
  return await sql<Ended[]>`
    with ended as (
      update diorama.environments set deleted_at = now()
      where environment_id in (
        select environment_id from diorama.environments where deleted_at is null and ${which}
      )
      returning environment_id, schema_name, least(now(), expires_at) as at
    ), freed as (
      update diorama.schemas s set state = 'used', changed_at = now()
      from ended where s.schema_name = ended.schema_name
    ), closed as (
      ${runs.closed(sql, reason)}
    )
    select ended.environment_id, ended.schema_name,
      ${runs.mark(sql, reason)} as mark,
      pg_notify(${CHANNEL}, ended.environment_id)
    from ended left join closed using (environment_id)
  `;
}

/** Ends an environment on request. Returns undefined if it was not live. */
export async function remove(
  sql: Sql,
  environmentId: string,
  runs: RunClosing,
): Promise<Ended | undefined> {
  const which = sql`environment_id = ${environmentId} and expires_at > now() for update`;
  const [ended] = await end(sql, which, "deleted", runs);
  return ended;
}

const EXPIRE_BATCH = 100;

/** Ends up to a hundred expired environments. */
export const removeExpired = async (sql: Sql, runs: RunClosing): Promise<Ended[]> =>
  await end(
    sql,
    sql`expires_at <= now() and not ${runs.isCompared(sql)} limit ${EXPIRE_BATCH} for update skip locked`,
    "expired",
    runs,
  );

const schemaIsMissing = (sql: Sql): Fragment =>
  sql`schema_name not in (select nspname from pg_namespace)`;

/**
 * Ends environments whose schema is missing, fails their runs and removes their schemas from the register: the database
 * was restored without them. Returns how many ended.
 */
export async function reconcileMissingSchemas(sql: Sql, runs: RunClosing): Promise<number> {
  const rows = await sql`
    with missing as (
      delete from diorama.schemas where ${schemaIsMissing(sql)}
    ), ended as (
      update diorama.environments set deleted_at = least(now(), expires_at)
      where deleted_at is null and ${schemaIsMissing(sql)}
      returning environment_id
    ), failed as (
      ${runs.lost(sql)}
    )
    select from ended
  `;
  return rows.count;
}

/** Ends environments whose schema was dropped by hand. */
export const endWithoutSchema = async (sql: Sql, runs: RunClosing): Promise<Ended[]> =>
  await end(
    sql,
    sql`${schemaIsMissing(sql)} limit ${EXPIRE_BATCH} for update skip locked`,
    "lost its schema",
    runs,
  );

/** Returns those of the given environments that have ended. */
export async function listEnded(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select environment_id as id from diorama.environments
    where environment_id = any(${[...ids]}) and (deleted_at is not null or expires_at <= now())
  `;
  return rows.map(({ id }) => id);
}

export async function countLive(sql: Sql, keyId: string): Promise<number> {
  const [row] = await sql`
    select count(*)::int as count from diorama.environments
    where key_id = ${keyId} and deleted_at is null and expires_at > now()
  `;
  return row?.["count"] ?? 0;
}

/** Serializes transactions that create environments with this key. */
export const lockKey = async (sql: Sql, keyId: string) =>
  await sql`select pg_advisory_xact_lock(hashtext(${`diorama environments ${keyId}`}))`;

/** Deletes environments that ended long ago, after their runs. */
export const deleteOld = async (sql: Sql, days: number) =>
  await sql`
    delete from diorama.environments e where deleted_at < now() - ${days} * interval '1 day'
      and not exists (select from diorama.runs r where r.environment_id = e.environment_id)
  `;

/** How environments of one template arrived in the last hour. */
export type Demand = {
  /** The most that arrived within ten seconds. */
  readonly burst: number;
  /** The rate of the last minute. */
  readonly perSecond: number;
};

/** Reads the demand on all servers, by the template's name. */
export async function readDemand(sql: Sql): Promise<Map<string, Demand>> {
  const rows = await sql<(Demand & { name: string })[]>`
    select template_name as name, max(arrived)::int as burst,
      coalesce(sum(arrived) filter (where since > now() - interval '1 minute'), 0)::float8 / 60 as per_second
    from (
      select template_name, date_bin('10 seconds', created_at, 'epoch') as since, count(*) as arrived
      from diorama.environments where created_at > now() - interval '1 hour'
      group by template_name, since
    ) a
    group by template_name
  `;
  return new Map(rows.map(({ name, ...demand }) => [name, demand]));
}
