import type { Fragment, Sql } from "~/db/connect";
import type { Principal } from "~/principal";

export type KeyRow = {
  readonly keyId: string;
  readonly keyHash: Buffer;
  readonly userId: string;
  readonly name: string;
  readonly plan: Principal["plan"];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly usable: boolean;
};

const columns = (sql: Sql): Fragment => sql`
  key_id, key_hash, user_id, name, plan, created_at, expires_at, revoked_at,
  revoked_at is null and (expires_at is null or expires_at > now()) as usable
`;

export async function findKey(sql: Sql, hash: Buffer): Promise<KeyRow | undefined> {
  const [key] = await sql<KeyRow[]>`
    select ${columns(sql)}
    from diorama.api_keys where key_hash = ${hash}
  `;
  return key;
}

export async function findPlan(sql: Sql, keyId: string): Promise<KeyRow["plan"] | undefined> {
  const [row] = await sql<
    Pick<KeyRow, "plan">[]
  >`select plan from diorama.api_keys where key_id = ${keyId}`;
  return row?.plan;
}

export async function insertKey(
  sql: Sql,
  key: {
    keyId: string;
    hash: Buffer;
    userId: string;
    name: string;
    plan: string;
    expiresInDays: number | null;
  },
): Promise<void> {
  await sql`
    insert into diorama.api_keys (key_id, key_hash, user_id, name, plan, expires_at)
    values (
      ${key.keyId}, ${key.hash}, ${key.userId}, ${key.name}, ${key.plan},
      now() + ${key.expiresInDays}::float8 * interval '1 day'
    )
  `;
}

export async function listKeys(sql: Sql): Promise<KeyRow[]> {
  return await sql<KeyRow[]>`
    select ${columns(sql)}
    from diorama.api_keys order by created_at, key_id
  `;
}

/** Returns false when there is no such key. */
export async function revokeKey(sql: Sql, keyId: string): Promise<boolean> {
  const rows = await sql`
    update diorama.api_keys set revoked_at = coalesce(revoked_at, now()) where key_id = ${keyId}
  `;
  return rows.count === 1;
}

export type Use = {
  readonly used: number;
  readonly admitted: boolean;
  readonly secondsLeft: number;
};

/** Counts one unit in the window of `period` (`hour` or `day`, UTC) unless `limit` is reached. */
export async function use(
  sql: Sql,
  unit: { keyId: string; kind: string; period: "hour" | "day"; limit: number },
): Promise<Use> {
  const { keyId, kind, period, limit } = unit;
  const [row] = await sql<Use[]>`
    with counted as (
      insert into diorama.usage as u (key_id, kind, window_start, used)
      values (${keyId}, ${kind}, date_trunc(${period}, now()), 1)
      on conflict (key_id, kind, window_start) do update set used = u.used + 1 where u.used < ${limit}
      returning used
    )
    select
      coalesce((select used from counted), ${limit}) as used,
      exists (select from counted) as admitted,
      ceil(extract(epoch from
        date_trunc(${period}, now()) + ('1 ' || ${period})::interval - now()
      ))::int as "secondsLeft"
  `;
  if (!row) throw new Error("usage was not counted");
  return row;
}

export const deleteOldUsage = async (sql: Sql) =>
  await sql`delete from diorama.usage where window_start < now() - interval '2 days'`;
