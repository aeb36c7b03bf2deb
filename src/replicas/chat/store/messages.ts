/** Reading messages. Writing them is in `posting.ts` and `editing.ts`. */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { type FileRow, fileColumns } from "~/replicas/chat/store/files";
import type { Json } from "~/replicas/chat/store/json";
import type { Rows } from "~/replicas/chat/store/rows";
import { hasDue } from "~/replicas/chat/store/scheduled";

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
  /** For a reply that is also shown in the channel. */
  readonly root?: MessageRow | null;
} & Parts;

/** The parts of a message that only some messages have. */
export type Parts = {
  readonly bot: Bot | null;
  readonly parent_user_id: string | null;
  readonly files: readonly FileRow[] | null;
  readonly is_pinned: boolean;
  readonly is_starred: boolean;
  readonly reactions: readonly { name: string; users: string[]; count: number }[] | null;
  /** For a root that has replies. */
  readonly thread: Thread | null;
};

/** The app's user `u` as a Bot. `url`: the address of its workspace. */
export const botOf = ({ sql }: ChatSession, url: Fragment): Fragment => sql`
  json_build_object('id', u.id, 'bot_id', u.bot_id, 'app_id', u.app_id, 'real_name', u.real_name,
    'deleted', u.deleted, 'updated', u.updated, 'team_id', u.team_id, 'avatar_base', ${url} || 'avatars')
`;

type Part = (session: ChatSession, viewer: string, m: Fragment) => Fragment;

/** The parts as expressions on the message `m`. Thread counts are computed, so that a reply changes one row only. */
export const PARTS: { readonly [name in keyof Parts]: Part } = {
  bot: (session, _, m) => session.sql`case when ${m}.bot_id is not null then (
    select ${botOf(session, session.sql`(select url from ${session.t.teams} limit 1)`)}
    from ${session.t.users} u where u.bot_id = ${m}.bot_id
  ) end`,
  parent_user_id: ({ sql, t }, _, m) => sql`case when ${m}.thread_ts is not null then (
    select p.user_id from ${t.messages} p where p.channel_id = ${m}.channel_id and p.ts = ${m}.thread_ts
  ) end`,
  files: (session, viewer, m) => session.sql`(
    select json_agg(f order by s.place) from ${session.t.file_shares} s
    join lateral (
      select ${fileColumns(session, viewer)} from ${session.t.files} f where f.id = s.file_id
    ) f on true
    where s.channel_id = ${m}.channel_id and s.ts = ${m}.ts
  )`,
  is_pinned: ({ sql, t }, _, m) => sql`exists (
    select from ${t.pins} p where p.channel_id = ${m}.channel_id and p.ts = ${m}.ts
  )`,
  is_starred: ({ sql, t }, viewer, m) => sql`exists (
    select from ${t.stars} s
    where s.user_id = ${viewer} and s.channel_id = ${m}.channel_id and s.ts = ${m}.ts and s.file_id = ''
  )`,
  reactions: ({ sql, t }, _, m) => sql`(
    select json_agg(json_build_object('name', e.name, 'users', e.users, 'count', e.count) order by e.first, e.name)
    from (
      select x.name, json_agg(x.user_id order by x.created_at, x.user_id) as users,
        count(*)::int as count, min(x.created_at) as first
      from ${t.reactions} x where x.channel_id = ${m}.channel_id and x.ts = ${m}.ts group by x.name
    ) e
  )`,
  thread: ({ sql, t }, viewer, m) => sql`case when ${m}.thread_ts is null then (
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
};

/** The columns of `m` without its root. */
export function columnsOf(session: ChatSession, viewer: string, m: Fragment): Fragment {
  const { sql, t } = session;
  const parts = Object.entries<Part>(PARTS).map(
    ([name, part]) => sql`, ${part(session, viewer, m)} as ${sql(name)}`,
  );
  return sql`
    ${m}.*, (select id from ${t.teams} limit 1) as team_id, (select url from ${t.teams} limit 1) as team_url ${parts}
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

type ReadState = {
  readonly last_read: string;
  readonly unread_count: number;
  readonly unread_count_display: number;
  /** The channel has scheduled messages that are due and not posted yet. */
  readonly is_due: boolean;
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
    select read.ts as last_read, unread.*, ${hasDue(session, sql`${channel}`)} as is_due, (
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
