/** Bodies that arrive in several requests. They belong to an environment, and are no part of what it contains. */
import { randomBytes } from "node:crypto";
import { inTransaction, type Pool, type Sql } from "~/db/connect";
import type { Upload, UploadState, UploadStore } from "~/replicas/uploads";
import { SERVICE_BODY_MAX } from "~/wire/limits";

/** Uploads of one environment that are not finished. */
const UNFINISHED_MAX = 8;
/** Uploads of one environment, with finished ones, whose answers are kept. */
const UPLOADS_MAX = 1_000;
/** Bytes of all uploads of one environment. */
const BYTES_MAX = 4 * SERVICE_BODY_MAX;
/** From the first request of an upload to its last. */
const MINUTES_MAX = 60;

export const uploadsOf = (pool: Pool, environmentId: string): UploadStore => {
  const upload = (id: string) => pool`
    upload_id = ${id} and environment_id = ${environmentId} and created_at > now() - ${MINUTES_MAX}::int * interval '1 minute'
  `;
  return {
    begin: (fields) => insert(pool, environmentId, fields),

    async find(id) {
      const [found] = await pool<UploadState[]>`
        select method, path, content_type, fields, announced::float8 as announced, received::float8 as received, answer
        from diorama.uploads where ${upload(id)}
      `;
      return found;
    },

    append: (id, from, bytes) =>
      inTransaction(pool, async (tx) => {
        await lock(tx, environmentId);
        const [row] = await tx`
          update diorama.uploads set received = received + ${bytes.byteLength}::int8
          where ${upload(id)} and received = ${from}::int8 and not is_performing and answer is null and ${BYTES_MAX}::int8 >= (
            select sum(o.received) + ${bytes.byteLength}::int8 from diorama.uploads o
            where o.environment_id = ${environmentId} and o.answer is null
          )
          returning 1
        `;
        if (!row) return false;
        await tx`
          insert into diorama.upload_pieces (upload_id, start, bytes) values (${id}, ${from}::int8, ${bytes}::bytea)
        `;
        return true;
      }),

    async take(id, count) {
      const taken = await pool`
        update diorama.uploads set is_performing = true
        where ${upload(id)} and received = ${count}::int8 and not is_performing and answer is null
        returning 1
      `;
      if (taken.length === 0) return undefined;
      const pieces = await pool<{ bytes: Buffer }[]>`
        select bytes from diorama.upload_pieces where upload_id = ${id} order by start
      `;
      return pieces.map(({ bytes }) => bytes);
    },

    async giveBack(id) {
      await pool`update diorama.uploads set is_performing = false where ${upload(id)}`;
    },

    async keep(id, answer) {
      await pool`
        with dropped as (delete from diorama.upload_pieces where upload_id = ${id})
        update diorama.uploads set answer = ${answer}, fields = '', is_performing = false where ${upload(id)}
      `;
    },

    async drop(id) {
      await pool`delete from diorama.uploads where ${upload(id)}`;
    },
  };
};

/** Counts stay true while others count. */
const lock = (tx: Sql, environmentId: string) =>
  tx`select pg_advisory_xact_lock(hashtext('diorama uploads'), hashtext(${environmentId}))`;

const insert = (
  pool: Pool,
  environmentId: string,
  { method, path, contentType, fields, announced }: Upload,
): Promise<string | undefined> =>
  inTransaction(pool, async (tx) => {
    await lock(tx, environmentId);
    const id = randomBytes(24).toString("base64url");
    const [row] = await tx`
      insert into diorama.uploads (upload_id, environment_id, method, path, content_type, fields, announced)
      select ${id}, ${environmentId}, ${method}, ${path}, ${contentType}, ${fields}, ${announced}::int8
      where ${UNFINISHED_MAX}::int > (
        select count(*) from diorama.uploads where environment_id = ${environmentId} and answer is null
      ) and ${UPLOADS_MAX}::int > (select count(*) from diorama.uploads where environment_id = ${environmentId})
      returning 1
    `;
    return row && id;
  });

/** Deletes those that have expired, and those of environments that have ended. */
export const deleteOldUploads = async (sql: Sql) =>
  await sql`
    delete from diorama.uploads u
    where created_at < now() - ${MINUTES_MAX}::int * interval '1 minute' or not exists (
      select from diorama.environments e where e.environment_id = u.environment_id and e.deleted_at is null
    )
  `;
