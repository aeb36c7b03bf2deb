/** Commits that do not wait for the disk: of what is repeated, or of no use, after a crash of Postgres. */
import type { Fragment, Sql } from "~/db/connect";

/** An expression that makes the commit of its transaction not wait for the disk. */
export const unflushed = (sql: Sql): Fragment => sql`set_config('synchronous_commit', 'off', true)`;

/** Notifies other servers. After a crash there is nobody to notify. */
export const announce = async (sql: Sql, channel: string, payload: string) =>
  await sql`select pg_notify(${channel}, ${payload}), ${unflushed(sql)}`;
