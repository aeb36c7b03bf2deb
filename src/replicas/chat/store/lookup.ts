/**
 * Rows joined by their whole key, as relations for `join` or `left join`, with `on true`.
 *
 * A statement is planned once, often while its tables are almost empty. Reading by half a key and comparing the rest
 * then looks as cheap as reading by the key, but reads the whole channel once that has grown. `offset 0` makes the
 * look-up a separate subquery, which can only use the key.
 */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";

export const messageAt = ({ sql, t }: ChatSession, channel: Fragment, ts: Fragment): Fragment =>
  sql`lateral (select * from ${t.messages} where channel_id = ${channel} and ts = ${ts} offset 0)`;

export const memberOf = ({ sql, t }: ChatSession, channel: Fragment, user: string): Fragment =>
  sql`lateral (
    select * from ${t.channel_members} where channel_id = ${channel} and user_id = ${user} offset 0
  )`;
