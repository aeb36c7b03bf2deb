import type { Sql } from "~/db/connect";

/** Notifies other servers that the calls of an environment wait, and that they need not any more. */
export const HOLDS_CHANNEL = "diorama_holds";

/** Does not wait for the disk: after a crash there is nobody to notify. */
export const announceHold = async (sql: Sql, payload: string) =>
  await sql`
    select pg_notify(${HOLDS_CHANNEL}, ${payload}), set_config('synchronous_commit', 'off', true)
  `;
