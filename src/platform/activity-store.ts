import type { Sql } from "~/db/connect";

/** Questions of servers about the calls of environments, and the answers of others. */
export const ACTIVITY_CHANNEL = "diorama_activity";

/** Does not wait for the disk: after a crash there is nobody to notify. */
export const announceActivity = async (sql: Sql, payload: string) =>
  await sql`
    select pg_notify(${ACTIVITY_CHANNEL}, ${payload}), set_config('synchronous_commit', 'off', true)
  `;
