/** Brings the platform's own tables up to date. Migrations are append-only; each runs in one transaction. */
import { createHash } from "node:crypto";
import { inTransaction, type Pool } from "~/db/connect";
import platform from "~/db/migrations/0001_platform.sql" with { type: "text" };
import evaluation from "~/db/migrations/0002_evaluation.sql" with { type: "text" };

const MIGRATIONS = [
  { version: 1, name: "platform", text: platform },
  { version: 2, name: "evaluation", text: evaluation },
] as const;

/** Serialises servers that start at the same time. */
const LOCK = "diorama migrations";
const LOCK_TIMEOUT = "30s";

const checksum = (text: string) => createHash("sha256").update(text).digest("hex");

/** Returns the versions that were applied now. Throws when the database is newer than this program. */
export async function migrate(pool: Pool): Promise<number[]> {
  const applied: number[] = [];
  for (const { version, name, text } of MIGRATIONS) {
    const done = await inTransaction(pool, async (tx) => {
      await tx`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
      await tx`select pg_advisory_xact_lock(hashtext(${LOCK}))`;
      await tx`create schema if not exists diorama`;
      await tx`
        create table if not exists diorama.schema_migrations (
          version int primary key,
          name text not null,
          checksum text not null,
          applied_at timestamptz not null default now()
        )
      `;
      const [known] =
        await tx`select checksum from diorama.schema_migrations where version = ${version}`;
      if (known && known["checksum"] !== checksum(text))
        throw new Error(`migration ${version} (${name}) differs from the one that was applied`);
      if (known) return false;
      await tx.unsafe(text);
      await tx`
        insert into diorama.schema_migrations (version, name, checksum)
        values (${version}, ${name}, ${checksum(text)})
      `;
      return true;
    });
    if (done) applied.push(version);
  }
  const newest = MIGRATIONS.length;
  const [found] = await pool`select max(version)::int as version from diorama.schema_migrations`;
  if (found && found["version"] > newest)
    throw new Error(
      `the database has schema version ${found["version"]}, this program knows ${newest}; start a newer program`,
    );
  return applied;
}
