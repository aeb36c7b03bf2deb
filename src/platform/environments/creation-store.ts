/** Inserts environments, together with the schemas that they get. */
import type { Fragment, Sql } from "~/db/connect";
import type { Timing } from "~/platform/environments/clock-model";
import { jsonText } from "~/platform/environments/store";
import type { Members } from "~/replicas/members";

/** An environment's own part of a row. */
export type Identity = { readonly environmentId: string; readonly tokenHash: Buffer };

/** The part that environments have in common which are created together. */
export type Common = {
  readonly userId: string;
  readonly keyId: string;
  readonly service: string;
  readonly templateName: string;
  readonly actingUserId: string;
  /** The services of a world, with the agent's user in each; null: one service. */
  readonly members: Members | null;
  readonly ttlSeconds: number;
  readonly allowImpersonation: boolean;
  readonly timing: Timing;
};

export type Claimed = { readonly schemaName: string; readonly expiresAt: Date };

const timingColumns = (sql: Sql): Fragment => sql`clock, first_clock, seed, calls`;

const timingValues = (sql: Sql, { clock, firstClock, seed, calls }: Timing): Fragment => sql`
  ${jsonText(clock)}::text::json, ${jsonText(firstClock)}::text::json, ${seed}, ${calls}::int8
`;

/**
 * Claims a ready schema for a new environment, in one statement. Returns undefined if there is none. No two callers get
 * the same one, on any servers: each locks the row it takes and skips locked rows.
 */
export async function claim(
  sql: Sql,
  templateSchema: string,
  environment: Common & Identity,
): Promise<Claimed | undefined> {
  const e = environment;
  const [claimed] = await sql<Claimed[]>`
    with ready as (
      update diorama.schemas set state = 'claimed', changed_at = now()
      where schema_name = (
        select schema_name from diorama.schemas
        where template_schema = ${templateSchema} and state = 'ready'
        limit 1 for update skip locked
      )
      returning schema_name
    )
    insert into diorama.environments (
      environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, members, token_hash,
      allow_impersonation, ${timingColumns(sql)}, expires_at
    )
    select ${e.environmentId}, ${e.userId}, ${e.keyId}, ${e.service}, ${e.templateName}, schema_name,
      ${e.actingUserId}, ${jsonText(e.members)}::text::json, ${e.tokenHash}, ${e.allowImpersonation}, ${timingValues(sql, e.timing)}, now() + ${e.ttlSeconds}::float8 * interval '1 second'
    from ready
    returning schema_name as "schemaName", expires_at as "expiresAt"
  `;
  return claimed;
}

/** A new environment with its reserved schema. */
export type Reserved = Identity & { readonly schemaName: string };

/** The origin of a fork. */
export type Lineage = {
  readonly parentId: string;
  readonly familyId: string;
  readonly snapshotId: string | null;
  /** Calls of the parent until then, as its journals have them. */
  readonly atCall: number;
};

/** Gives each new environment its reserved schema, in one statement. Returns their end; undefined if a schema is not reserved. */
export async function insertReserved(
  sql: Sql,
  common: Common,
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
      environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, members, token_hash,
      allow_impersonation, ${timingColumns(sql)}, expires_at, family_id, parent_environment_id, snapshot_id,
      at_call
    )
    select given.environment_id, ${c.userId}, ${c.keyId}, ${c.service}, ${c.templateName}, given.schema_name,
      ${c.actingUserId}, ${jsonText(c.members)}::text::json, decode(given.token_hash, 'hex'), ${c.allowImpersonation}, ${timingValues(sql, c.timing)},
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
