/** The rows that events show beside the row that changed. Each function is one statement for a batch of changes. */
import type { ChatSession } from "~/replicas/chat/method";
import { messageAt } from "~/replicas/chat/store/lookup";
import { type Bot, botOf, type Thread } from "~/replicas/chat/store/messages";
import type { Rows } from "~/replicas/chat/store/rows";

export type Place = { readonly channel_id: string; readonly ts: string };
export type Member = Pick<Rows["channel_members"], "channel_id" | "user_id">;

/** The user of an app. */
export async function findBotOfApp(
  { sql, t }: ChatSession,
  app: string,
): Promise<string | undefined> {
  const [bot] = await sql<{ id: string }[]>`
    select id from ${t.users} where app_id = ${app} and not deleted order by id limit 1
  `;
  return bot?.id;
}

export async function listMessagesAt(
  session: ChatSession,
  places: readonly Place[],
): Promise<Rows["messages"][]> {
  const { sql } = session;
  if (places.length === 0) return [];
  return await sql<Rows["messages"][]>`
    select m.* from ${unnested(session, places)}
    join ${messageAt(session, sql`w.channel_id`, sql`w.ts`)} m on true
  `;
}

const unnested = ({ sql }: ChatSession, places: readonly Place[]) => sql`
  unnest(${places.map((place) => place.channel_id)}::text[], ${places.map(({ ts }) => ts)}::text[]) as w (channel_id, ts)
`;

/** The shares of these messages, and all shares of these files. */
export async function listShares(
  session: ChatSession,
  places: readonly Place[],
  files: readonly string[],
): Promise<Rows["file_shares"][]> {
  const { sql, t } = session;
  if (places.length === 0 && files.length === 0) return [];
  return await sql<Rows["file_shares"][]>`
    select s.* from ${unnested(session, places)} join ${t.file_shares} s using (channel_id, ts)
    union select s.* from ${t.file_shares} s where s.file_id = any(${[...files]})
  `;
}

export async function listChannelsById(
  { sql, t }: ChatSession,
  ids: readonly string[],
): Promise<Rows["channels"][]> {
  if (ids.length === 0) return [];
  return await sql<Rows["channels"][]>`select * from ${t.channels} where id = any(${[...ids]})`;
}

/** Which of these users are in which of these channels. */
export async function listMemberships(
  { sql, t }: ChatSession,
  users: readonly string[],
  channels: readonly string[],
): Promise<Member[]> {
  if (users.length === 0 || channels.length === 0) return [];
  return await sql<Member[]>`
    select channel_id, user_id from ${t.channel_members}
    where user_id = any(${[...users]}) and channel_id = any(${[...channels]})
  `;
}

export async function listBots(session: ChatSession, ids: readonly string[]): Promise<Bot[]> {
  const { sql, t } = session;
  if (ids.length === 0) return [];
  const rows = await sql<{ bot: Bot }[]>`
    select ${botOf(session, sql`(select url from ${t.teams} limit 1)`)} as bot
    from ${t.users} u where u.bot_id = any(${[...ids]})
  `;
  return rows.map(({ bot }) => bot);
}

export type ThreadPlace = Place & {
  /** Replies after this timestamp do not count. */
  readonly until: string;
};
export type ThreadState = Pick<
  Thread,
  "reply_count" | "reply_users_count" | "reply_users" | "latest_reply"
>;

/** The threads that these roots have at a time; null for a message without replies. In the given order. */
export async function listThreads(
  { sql, t }: ChatSession,
  roots: readonly ThreadPlace[],
): Promise<(ThreadState | null)[]> {
  if (roots.length === 0) return [];
  const rows = await sql<{ thread: ThreadState | null }[]>`
    select a.thread
    from unnest(
      ${roots.map((root) => root.channel_id)}::text[], ${roots.map(({ ts }) => ts)}::text[],
      ${roots.map(({ until }) => until)}::text[]
    ) with ordinality as w (channel_id, ts, until, place)
    left join lateral (
      select json_build_object(
        'reply_count', sum(u.replies)::int, 'reply_users_count', count(*)::int, 'latest_reply', max(u.latest),
        'reply_users', json_agg(u.user_id order by u.first)
      ) as thread
      from (
        select r.user_id, count(*) as replies, min(r.ts) as first, max(r.ts) as latest from ${t.messages} r
        where r.channel_id = w.channel_id and r.thread_ts = w.ts and r.ts <= w.until collate "C" group by r.user_id
      ) u having count(*) > 0
    ) a on true
    order by w.place
  `;
  return rows.map(({ thread }) => thread);
}

/** How many pins each of these channels has. */
export async function countPins(
  { sql, t }: ChatSession,
  channels: readonly string[],
): Promise<Map<string, number>> {
  if (channels.length === 0) return new Map();
  const rows = await sql<{ channel_id: string; count: number }[]>`
    select channel_id, count(*)::int as count from ${t.pins}
    where channel_id = any(${[...channels]}) group by channel_id
  `;
  return new Map(rows.map(({ channel_id: channel, count }) => [channel, count]));
}
