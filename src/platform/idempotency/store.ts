import type { Sql } from "~/db/connect";

export const RETENTION_HOURS = 24;

type Slip = {
  readonly userId: string;
  readonly keyHash: Buffer;
  readonly requestHash: Buffer;
};

/**
 * Takes a key for the caller's transaction. Returns false if it is taken already. Waits for a transaction that has just
 * taken it, and takes it if that one is rolled back.
 */
export async function take(
  sql: Sql,
  { userId, keyHash, requestHash }: Slip,
  hours: number,
): Promise<boolean> {
  const rows = await sql`
    insert into diorama.idempotent_answers as a (user_id, key_hash, request_hash)
    values (${userId}, ${keyHash}, ${requestHash})
    on conflict (user_id, key_hash) do update
      set request_hash = excluded.request_hash, answer = null, created_at = now()
      where a.created_at < now() - ${hours}::float8 * interval '1 hour'
  `;
  return rows.count === 1;
}

export const keep = async (sql: Sql, { userId, keyHash }: Slip, answer: Buffer) =>
  await sql`
    update diorama.idempotent_answers set answer = ${answer}
    where user_id = ${userId} and key_hash = ${keyHash}
  `;

export const giveBack = async (sql: Sql, { userId, keyHash }: Slip) =>
  await sql`
    delete from diorama.idempotent_answers where user_id = ${userId} and key_hash = ${keyHash}
  `;

export type Kept = { readonly requestHash: Buffer; readonly answer: Buffer };

export async function findAnswer(
  sql: Sql,
  { userId, keyHash }: Slip,
  hours: number,
): Promise<Kept | undefined> {
  const [kept] = await sql<Kept[]>`
    select request_hash as "requestHash", answer from diorama.idempotent_answers
    where user_id = ${userId} and key_hash = ${keyHash}
      and created_at >= now() - ${hours}::float8 * interval '1 hour'
  `;
  return kept;
}

export const deleteOldAnswers = async (sql: Sql, hours: number) =>
  await sql`
    delete from diorama.idempotent_answers
    where created_at < now() - ${hours}::float8 * interval '1 hour'
  `;
