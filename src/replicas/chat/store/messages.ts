import type { Fragment, Sql } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";

export type Json = { readonly [field: string]: unknown };

export type Bot = {
  readonly id: string;
  readonly bot_id: string;
  readonly app_id: string | null;
  readonly real_name: string;
  readonly deleted: boolean;
  readonly updated: number;
  readonly team_id: string;
  readonly avatar_base: string;
};

/** A message as one user sees it. */
export type MessageRow = {
  readonly channel_id: string;
  readonly ts: string;
  readonly thread_ts: string | null;
  readonly subtype: string | null;
  readonly user_id: string;
  readonly text: string;
  readonly bot_id: string | null;
  readonly app_id: string | null;
  readonly username: string | null;
  readonly icons: Json | null;
  readonly blocks: readonly Json[] | null;
  readonly attachments: readonly Json[] | null;
  readonly metadata: Json | null;
  readonly edited: Json | null;
  readonly client_msg_id: string | null;
  readonly extra: Json | null;
  readonly team_id: string;
  readonly bot: Bot | null;
  readonly parent_user_id: string | null;
  readonly reactions: readonly Json[] | null;
  /** Of a root that has replies. */
  readonly thread: {
    readonly reply_count: number;
    readonly reply_users_count: number;
    readonly reply_users: readonly string[];
    readonly latest_reply: string;
    readonly subscribed: boolean;
  } | null;
};

const REPLY_USERS_MAX = 5;

/** What `m` shows of itself; thread figures are counted, not stored, so that a reply changes one row only. */
export function messageColumns({ sql, t }: ChatSession, viewer: string): Fragment {
  return sql`
    m.*, (select id from ${t.teams} limit 1) as team_id,
    case when m.bot_id is not null then (
      select json_build_object('id', u.id, 'bot_id', u.bot_id, 'app_id', u.app_id, 'real_name', u.real_name,
        'deleted', u.deleted, 'updated', u.updated, 'team_id', u.team_id,
        'avatar_base', (select url || 'avatars' from ${t.teams} limit 1))
      from ${t.users} u where u.bot_id = m.bot_id
    ) end as bot,
    case when m.thread_ts is not null then (
      select r.user_id from ${t.messages} r where r.channel_id = m.channel_id and r.ts = m.thread_ts
    ) end as parent_user_id,
    (
      select json_agg(json_build_object('name', e.name, 'users', e.users, 'count', e.count) order by e.first, e.name)
      from (
        select x.name, json_agg(x.user_id order by x.created_at, x.user_id) as users,
          count(*)::int as count, min(x.created_at) as first
        from ${t.reactions} x where x.channel_id = m.channel_id and x.ts = m.ts group by x.name
      ) e
    ) as reactions,
    case when m.thread_ts is null then (
      select json_build_object(
        'reply_count', sum(a.replies)::int, 'reply_users_count', count(*)::int, 'latest_reply', max(a.latest),
        'reply_users', (json_agg(a.user_id order by a.first)),
        'subscribed', coalesce(bool_or(a.user_id = ${viewer}), false) or m.user_id = ${viewer}
          or m.text like ${`%<@${viewer}>%`}
      )
      from (
        select r.user_id, count(*) as replies, min(r.ts) as first, max(r.ts) as latest
        from ${t.messages} r where r.channel_id = m.channel_id and r.thread_ts = m.ts group by r.user_id
      ) a having count(*) > 0
    ) end as thread
  `;
}

/** `thread.reply_users` as the service cuts it. */
const finish = (message: MessageRow): MessageRow =>
  message.thread
    ? {
        ...message,
        thread: {
          ...message.thread,
          reply_users: message.thread.reply_users.slice(0, REPLY_USERS_MAX),
        },
      }
    : message;

export async function findMessage(
  session: ChatSession,
  viewer: string,
  channel: string,
  ts: string,
): Promise<MessageRow | undefined> {
  const { sql, t } = session;
  const [message] = await sql<MessageRow[]>`
    select ${messageColumns(session, viewer)} from ${t.messages} m
    where m.channel_id = ${channel} and m.ts = ${ts}
  `;
  return message && finish(message);
}

/** What a page of messages belongs to, as the viewer may see it. Undefined: there is no such channel for them. */
export type Page = {
  readonly is_member: boolean;
  readonly viewer_is_bot: boolean;
  readonly messages: MessageRow[];
};

/** The rows of `select` as one JSON value beside what is known of the channel, so that a page is one statement. */
async function pageOf(
  { sql, t }: ChatSession,
  viewer: string,
  channel: string,
  select: Fragment,
): Promise<Page | undefined> {
  const [page] = await sql<Page[]>`
    select m.user_id is not null as is_member, coalesce(u.is_bot, false) as viewer_is_bot,
      coalesce((select json_agg(p) from (${select}) p), '[]') as messages
    from ${t.channels} c
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
    left join ${t.users} u on u.id = ${viewer}
    where c.id = ${channel} and (not c.is_private and not c.is_im or m.user_id is not null)
  `;
  return page && { ...page, messages: page.messages.map(finish) };
}

export type Window = {
  readonly oldest: string | undefined;
  readonly latest: string | undefined;
  readonly inclusive: boolean;
  readonly limit: number;
};

/** Only the bounds that are given become part of the statement, so that each of its forms has a plan of its own. */
function within(sql: Sql, { oldest, latest, inclusive }: Window): Fragment {
  const lower =
    oldest === undefined ? sql`` : sql`and m.ts ${inclusive ? sql`>=` : sql`>`} ${oldest}`;
  const upper =
    latest === undefined ? sql`` : sql`and m.ts ${inclusive ? sql`<=` : sql`<`} ${latest}`;
  return sql`${lower} ${upper}`;
}

/** Newest first, roots and broadcasts only; one more than asked for when there is another page. */
export async function listHistory(
  session: ChatSession,
  viewer: string,
  channel: string,
  window: Window & { readonly before: string | undefined },
): Promise<Page | undefined> {
  const { sql, t } = session;
  const older = window.before === undefined ? sql`` : sql`and m.ts < ${window.before}`;
  return await pageOf(
    session,
    viewer,
    channel,
    sql`
      select ${messageColumns(session, viewer)} from ${t.messages} m
      where m.channel_id = ${channel} and (m.thread_ts is null or m.subtype = 'thread_broadcast')
        ${within(sql, window)} ${older}
      order by m.ts desc limit ${window.limit + 1}
    `,
  );
}

/**
 * The root of a thread, then its replies, oldest first; `ts` is of any message in it. The root is there on the first
 * page whatever the window; one more than asked for when there is another page.
 */
export async function listReplies(
  session: ChatSession,
  viewer: string,
  channel: string,
  ts: string,
  window: Window & { readonly after: string | undefined },
): Promise<Page | undefined> {
  const { sql, t } = session;
  const first = window.after === undefined ? sql`m.ts = root.ts or` : sql``;
  const newer = window.after === undefined ? sql`` : sql`and m.ts > ${window.after}`;
  return await pageOf(
    session,
    viewer,
    channel,
    sql`
      select ${messageColumns(session, viewer)} from ${t.messages} m,
        (select coalesce(thread_ts, ts) as ts from ${t.messages} where channel_id = ${channel} and ts = ${ts}) root
      where m.channel_id = ${channel} and (${first} m.thread_ts = root.ts ${within(sql, window)} ${newer})
      order by m.ts limit ${window.limit + 1}
    `,
  );
}
