/**
 * Rows that are joined by their whole key, as relations to stand behind `join` or `left join`, with `on true`.
 *
 * A statement is planned once, often while its tables hold next to nothing: to read by half a key and compare the rest
 * then looks as cheap as to read by the key, and once the channel has grown it reads all of it. `offset 0` makes the
 * look-up a query of its own, which can only go by the key.
 */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";

export const messageAt = ({ sql, t }: ChatSession, channel: Fragment, ts: Fragment): Fragment =>
  sql`lateral (select * from ${t.messages} where channel_id = ${channel} and ts = ${ts} offset 0)`;

export const memberOf = ({ sql, t }: ChatSession, channel: Fragment, user: string): Fragment =>
  sql`lateral (
    select * from ${t.channel_members} where channel_id = ${channel} and user_id = ${user} offset 0
  )`;
