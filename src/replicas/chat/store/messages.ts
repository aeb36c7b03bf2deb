/** Reading messages. Writing them is in `posting.ts` and `editing.ts`. */
import type { Fragment, Sql } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { nowSeconds } from "~/replicas/chat/store/clock";
import { type FileRow, fileColumns } from "~/replicas/chat/store/files";
import type { Json } from "~/replicas/chat/store/json";
import type { Rows } from "~/replicas/chat/store/rows";

export type Bot = Pick<
  Rows["users"],
  "id" | "app_id" | "real_name" | "deleted" | "updated" | "team_id"
> & { readonly bot_id: string; readonly avatar_base: string };

export type Thread = {
  readonly reply_count: number;
  readonly reply_users_count: number;
  readonly reply_users: readonly string[];
  readonly latest_reply: string;
  readonly subscribed: boolean;
  readonly last_read: string;
};

/** A message as one user sees it. */
export type MessageRow = Rows["messages"] & {
  readonly icons: Json | null;
  readonly blocks: readonly Json[] | null;
  readonly attachments: readonly Json[] | null;
  readonly metadata: Json | null;
  readonly edited: Json | null;
  readonly extra: Json | null;
  readonly team_id: string;
  readonly team_url: string;
  readonly bot: Bot | null;
  readonly parent_user_id: string | null;
  readonly files: readonly FileRow[] | null;
  readonly is_pinned: boolean;
  readonly is_starred: boolean;
  readonly reactions: readonly { name: string; users: string[]; count: number }[] | null;
  /** For a root that has replies. */
  readonly thread: Thread | null;
  /** For a reply that is also shown in the channel. */
  readonly root?: MessageRow | null;
};

/** Parts that only some messages have. A subquery for one costs time for every row, even where it finds nothing. */
type Aspect = "files" | "pins" | "stars" | "reactions" | "replies";

/** Conditions under which the rows of a statement may have something. */
type Guards = (aspect: Aspect, found: Fragment) => Fragment;

/** The columns of `m` without its root. Thread counts are computed, so that a reply changes one row only. */
function columnsOf(
  session: ChatSession,
  viewer: string,
  m: Fragment,
  when: Guards = (_, found) => found,
): Fragment {
  const { sql, t } = session;
  return sql`
    ${m}.*, (select id from ${t.teams} limit 1) as team_id, (select url from ${t.teams} limit 1) as team_url,
    case when ${m}.bot_id is not null then (
      select json_build_object('id', u.id, 'bot_id', u.bot_id, 'app_id', u.app_id, 'real_name', u.real_name,
        'deleted', u.deleted, 'updated', u.updated, 'team_id', u.team_id,
        'avatar_base', (select url || 'avatars' from ${t.teams} limit 1))
      from ${t.users} u where u.bot_id = ${m}.bot_id
    ) end as bot,
    case when ${m}.thread_ts is not null then (
      select p.user_id from ${t.messages} p where p.channel_id = ${m}.channel_id and p.ts = ${m}.thread_ts
    ) end as parent_user_id,
    ${when(
      "files",
      sql`(
      select json_agg(f order by s.place) from ${t.file_shares} s
      join lateral (select ${fileColumns(session, viewer)} from ${t.files} f where f.id = s.file_id) f on true
      where s.channel_id = ${m}.channel_id and s.ts = ${m}.ts
    )`,
    )} as files,
    ${when(
      "pins",
      sql`exists (select from ${t.pins} p where p.channel_id = ${m}.channel_id and p.ts = ${m}.ts)`,
    )} as is_pinned,
    ${when(
      "stars",
      sql`exists (
      select from ${t.stars} s
      where s.user_id = ${viewer} and s.channel_id = ${m}.channel_id and s.ts = ${m}.ts and s.file_id = ''
    )`,
    )} as is_starred,
    ${when(
      "reactions",
      sql`(
      select json_agg(json_build_object('name', e.name, 'users', e.users, 'count', e.count) order by e.first, e.name)
      from (
        select x.name, json_agg(x.user_id order by x.created_at, x.user_id) as users,
          count(*)::int as count, min(x.created_at) as first
        from ${t.reactions} x where x.channel_id = ${m}.channel_id and x.ts = ${m}.ts group by x.name
      ) e
    )`,
    )} as reactions,
    ${when(
      "replies",
      sql`case when ${m}.thread_ts is null then (
      select json_build_object(
        'reply_count', sum(a.replies)::int, 'reply_users_count', count(*)::int, 'latest_reply', max(a.latest),
        'reply_users', json_agg(a.user_id order by a.first),
        'subscribed', coalesce(bool_or(a.user_id = ${viewer}), false) or ${m}.user_id = ${viewer}
          or ${m}.text like ${`%<@${viewer}>%`},
        'last_read', coalesce(max(a.latest) filter (where a.user_id = ${viewer}), ${m}.ts)
      )
      from (
        select r.user_id, count(*) as replies, min(r.ts) as first, max(r.ts) as latest
        from ${t.messages} r where r.channel_id = ${m}.channel_id and r.thread_ts = ${m}.ts group by r.user_id
      ) a having count(*) > 0
    ) end`,
    )} as thread
  `;
}

/** The columns of a MessageRow of the message `m`. */
export function messageColumns(session: ChatSession, viewer: string): Fragment {
  const { sql, t } = session;
  return sql`
    ${columnsOf(session, viewer, sql`m`)},
    case when m.subtype = 'thread_broadcast' then (
      select to_json(r) from (
        select ${columnsOf(session, viewer, sql`o`)} from ${t.messages} o
        where o.channel_id = m.channel_id and o.ts = m.thread_ts
      ) r
    ) end as root
  `;
}

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
  return message;
}

/** A page of messages with facts about its channel. Undefined when the viewer cannot see the channel. */
export type Page = {
  readonly is_member: boolean;
  readonly viewer_is_bot: boolean;
  readonly pin_count: number;
  /** The channel has scheduled messages that are due and not posted yet. */
  readonly is_due: boolean;
  readonly messages: MessageRow[];
};

/**
 * The messages of `select` in this order as one JSON value beside facts about the channel, so that a page takes one
 * statement. It first finds out once which parts occur between the first message of the page and the last: in most pages
 * nothing is pinned, and a look-up for each message would take most of the time.
 */
async function pageOf(
  session: ChatSession,
  viewer: string,
  channel: string,
  select: Fragment,
  order: Fragment,
): Promise<Page | undefined> {
  const { sql, t } = session;
  const inSpan = (ts: Fragment) => sql`${ts} >= span.first and ${ts} <= span.last`;
  const [page] = await sql<Page[]>`
    with page as materialized (${select}), found as materialized (
      select
        exists (select from ${t.file_shares} where channel_id = ${channel} and ${inSpan(sql`ts`)}) as files,
        exists (select from ${t.pins} where channel_id = ${channel} and ${inSpan(sql`ts`)}) as pins,
        exists (
          select from ${t.stars} where user_id = ${viewer} and channel_id = ${channel} and ${inSpan(sql`ts`)}
        ) as stars,
        exists (select from ${t.reactions} where channel_id = ${channel} and ${inSpan(sql`ts`)}) as reactions,
        exists (
          select from ${t.messages} where channel_id = ${channel} and ${inSpan(sql`thread_ts`)}
        ) as replies
      from (select min(ts) as first, max(ts) as last from page) span
    )
    select m.user_id is not null as is_member, coalesce(u.is_bot, false) as viewer_is_bot,
      (select count(*)::int from ${t.pins} where channel_id = c.id) as pin_count,
      exists (
        select from ${t.scheduled_messages} where channel_id = c.id and post_at <= ${nowSeconds(session)}
      ) as is_due,
      coalesce((
        select json_agg(p) from (
          select ${columnsOf(session, viewer, sql`m`, (aspect, value) => sql`case when found.${sql(aspect)} then ${value} end`)}
          from page m, found order by ${order}
        ) p
      ), '[]') as messages
    from ${t.channels} c
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
    left join ${t.users} u on u.id = ${viewer}
    where c.id = ${channel} and (not c.is_private and not c.is_im or m.user_id is not null)
  `;
  return page && { ...page, messages: await withRoots(session, viewer, channel, page.messages) };
}

/**
 * Adds the roots of the broadcasts among `messages`, in a statement of their own: most pages have no broadcast, and a
 * statement that reads roots too has twice as many subqueries to plan and to prepare for each call.
 */
async function withRoots(
  session: ChatSession,
  viewer: string,
  channel: string,
  messages: MessageRow[],
): Promise<MessageRow[]> {
  const broadcasts = messages.filter(({ subtype }) => subtype === "thread_broadcast");
  if (broadcasts.length === 0) return messages;
  const { sql, t } = session;
  const wanted = [...new Set(broadcasts.map(({ thread_ts: ts }) => ts))];
  const [found] = await sql<{ roots: MessageRow[] }[]>`
    select coalesce(json_agg(r), '[]') as roots from (
      select ${columnsOf(session, viewer, sql`o`)} from ${t.messages} o
      where o.channel_id = ${channel} and o.ts = any(${wanted}::text[])
    ) r
  `;
  const roots = new Map(found?.roots.map((root) => [root.ts, root]));
  return messages.map((message) =>
    message.subtype === "thread_broadcast" && message.thread_ts !== null
      ? { ...message, root: roots.get(message.thread_ts) ?? null }
      : message,
  );
}

export type Window = {
  readonly oldest: string | undefined;
  readonly latest: string | undefined;
  readonly inclusive: boolean;
  readonly limit: number;
};

/** Only the given bounds become part of the statement, so that each form has its own plan. */
function within(sql: Sql, { oldest, latest, inclusive }: Window): Fragment {
  const lower =
    oldest === undefined ? sql`` : sql`and m.ts ${inclusive ? sql`>=` : sql`>`} ${oldest}`;
  const upper =
    latest === undefined ? sql`` : sql`and m.ts ${inclusive ? sql`<=` : sql`<`} ${latest}`;
  return sql`${lower} ${upper}`;
}

/** Newest first, roots and broadcasts only, with one extra row when there is another page. */
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
      select m.* from ${t.messages} m
      where m.channel_id = ${channel} and (m.thread_ts is null or m.subtype = 'thread_broadcast')
        ${within(sql, window)} ${older}
      order by m.ts desc limit ${window.limit + 1}
    `,
    sql`m.ts desc`,
  );
}

/**
 * The root of a thread, then its replies, oldest first; `ts` is that of any message in it. The first page has the root
 * regardless of the window. There is one extra row when there is another page.
 */
export async function listReplies(
  session: ChatSession,
  viewer: string,
  channel: string,
  ts: string,
  window: Window & { readonly after: string | undefined },
): Promise<Page | undefined> {
  const { sql, t } = session;
  const root = sql`(
    select coalesce(thread_ts, ts) from ${t.messages} where channel_id = ${channel} and ts = ${ts}
  )`;
  const first = sql`select * from ${t.messages} where channel_id = ${channel} and ts = ${root} union all`;
  const newer = window.after === undefined ? sql`` : sql`and m.ts > ${window.after}`;
  // In two parts, so that each is read by its own index: a condition with `or` reads the whole channel.
  return await pageOf(
    session,
    viewer,
    channel,
    sql`
      select m.* from (
        ${window.after === undefined ? first : sql``}
        (
          select m.* from ${t.messages} m
          where m.channel_id = ${channel} and m.thread_ts = ${root} ${within(sql, window)} ${newer}
          order by m.ts limit ${window.limit + 1}
        )
      ) m
      order by m.ts limit ${window.limit + 1}
    `,
    sql`m.ts`,
  );
}

export type ReadState = {
  readonly last_read: string;
  readonly unread_count: number;
  readonly unread_count_display: number;
  readonly latest: MessageRow | null;
};

/** A member's unread messages: those of others after the member's mark and own last message. */
export async function findReadState(
  session: ChatSession,
  viewer: string,
  channel: string,
): Promise<ReadState | undefined> {
  const { sql, t } = session;
  const [state] = await sql<ReadState[]>`
    select read.ts as last_read, unread.*, (
      select to_json(l) from (
        select ${messageColumns(session, viewer)} from ${t.messages} m
        where m.channel_id = ${channel} and (m.thread_ts is null or m.subtype = 'thread_broadcast')
        order by m.ts desc limit 1
      ) l
    ) as latest
    from (${lastRead(session, viewer, sql`${channel}`)}) read
    join lateral (
      select count(*)::int as unread_count,
        (count(*) filter (where n.subtype is null or n.subtype not like '%\\_join' and n.subtype not like '%\\_leave')
        )::int as unread_count_display
      from ${t.messages} n
      where n.channel_id = ${channel} and n.ts > read.ts and n.user_id <> ${viewer}
        and (n.thread_ts is null or n.subtype = 'thread_broadcast')
    ) unread on true
  `;
  return state;
}

/** The timestamp up to which a member has read a channel; undefined for anyone else. */
export async function findLastRead(
  session: ChatSession,
  viewer: string,
  channel: string,
): Promise<string | undefined> {
  const { sql } = session;
  const [read] = await sql<{ ts: string }[]>`${lastRead(session, viewer, sql`${channel}`)}`;
  return read?.ts;
}

/** One row: the later of the viewer's mark in a channel and the viewer's own last message since the mark was set. */
export function lastRead({ sql, t }: ChatSession, viewer: string, channel: Fragment): Fragment {
  return sql`
    select coalesce((
      select max(o.ts) from ${t.messages} o
      where o.channel_id = k.channel_id and o.ts > greatest(k.last_read, k.marked_at) and o.user_id = k.user_id
        and o.thread_ts is null
    ), k.last_read) as ts
    from ${t.channel_members} k where k.channel_id = ${channel} and k.user_id = ${viewer}
  `;
}
