/** Writing messages: posts and the service's own notices. Edits and deletion are in `editing.ts`. */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { asTs } from "~/replicas/chat/store/clock";
import { type Json, json } from "~/replicas/chat/store/json";
import { messageAt } from "~/replicas/chat/store/lookup";
import type { Bot, MessageRow } from "~/replicas/chat/store/messages";

export type NewMessage = {
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly threadTs: string | null;
  readonly broadcast: boolean;
  readonly subtype: string | null;
  readonly username: string | null;
  readonly icons: Json | null;
  readonly blocks: readonly Json[] | null;
  readonly attachments: readonly Json[] | null;
  readonly metadata: Json | null;
  readonly extra: Json | null;
};

/** Conditions that prevent a message, or would. */
export type Obstacles = {
  readonly channel: string | null;
  readonly is_private: boolean | null;
  readonly is_archived: boolean | null;
  readonly is_member: boolean | null;
  readonly actor_deleted: boolean | null;
  readonly actor_is_bot: boolean | null;
  readonly may_post: boolean | null;
  readonly is_full: boolean | null;
  readonly root_ts: string | null;
  readonly root_subtype: string | null;
  readonly is_locked: boolean;
};

/** Subtypes of notices that the service writes itself; nobody can reply to one. */
export const SYSTEM_SUBTYPES: readonly string[] = [
  ...["join", "leave", "topic", "purpose", "name", "archive", "unarchive"].flatMap((event) => [
    `channel_${event}`,
    `group_${event}`,
  ]),
  "channel_convert_to_private",
];

/** `channel_join` in public channels, `group_join` in private ones. */
export const noticeType = (channel: { readonly is_private: boolean }, event: string) =>
  `${channel.is_private ? "group" : "channel"}_${event}`;

/**
 * The next timestamp of the channel of `place`, a relation whose rows are locked, in microseconds: later than any
 * message there, and not before now.
 */
const nextMicros = ({ sql, t, source }: ChatSession): Fragment => sql`(
  select greatest(${source.micros}::bigint,
    replace(max(l.ts), '.', '')::bigint + 1)
  from ${t.messages} l where l.channel_id = place.channel_id
)`;

/** The permissions of a workspace `w` for its member `u` in a channel `c`. */
function workspaceRules({ sql, t }: ChatSession): { mayPost: Fragment; isFull: Fragment } {
  return {
    mayPost: sql`(not c.is_general or case w.who_can_post_general
      when 'owner' then u.is_owner
      when 'admin' then u.is_admin or u.is_owner
      when 'ra' then not (u.is_restricted or u.is_ultra_restricted)
      else true end)`,
    isFull: sql`(w.message_limit is not null and (select count(*) from ${t.messages}) >= w.message_limit)`,
  };
}

/** The author's side of a message that was just posted. */
type PostingContext = Pick<Bot, "real_name" | "updated"> & {
  readonly ts: string;
  readonly thread_ts: string | null;
  readonly parent_user_id: string | null;
  readonly team_id: string;
  readonly team_url: string;
  readonly bot_id: string | null;
  readonly app_id: string | null;
};

/**
 * Posts a message in one statement: finds channel, author, membership and thread, takes the next timestamp under a lock
 * on the channel, and inserts if all of that allows it. Otherwise undefined; `findObstacles` returns the reason.
 */
export async function insertMessage(
  session: ChatSession,
  message: NewMessage,
): Promise<MessageRow | undefined> {
  const { sql, t } = session;
  const m = message;
  const isReply = m.threadTs !== null;
  const subtype = isReply && m.broadcast ? "thread_broadcast" : m.subtype;
  const { mayPost, isFull } = workspaceRules(session);
  const root = () => sql`
    join lateral (
      select coalesce(p.ts, r.ts) as ts, coalesce(p.user_id, r.user_id) as user_id
      from ${t.messages} r
      left join ${messageAt(session, sql`r.channel_id`, sql`r.thread_ts`)} p on true
      where r.channel_id = c.id and r.ts = ${m.threadTs}
        and (r.subtype is null or r.subtype <> all(${[...SYSTEM_SUBTYPES]}))
        and coalesce(p.extra, r.extra)->'is_locked' is distinct from 'true'
    ) root on true
  `;
  const [place] = await sql<PostingContext[]>`
    with place as (
      select c.id as channel_id, u.id as user_id, u.team_id, u.bot_id, u.app_id, u.real_name, u.updated,
        w.url as team_url,
        ${isReply ? sql`root.ts` : sql`null::varchar`} as thread_ts,
        ${isReply ? sql`root.user_id` : sql`null::varchar`} as parent_user_id
      from ${t.channels} c
      join ${t.users} u on u.id = ${m.user}
      join ${t.teams} w on w.id = u.team_id
      ${isReply ? root() : sql``}
      where c.id = ${m.channel} and not c.is_archived and not u.deleted and ${mayPost} and not ${isFull} and (
        exists (select from ${t.channel_members} where channel_id = c.id and user_id = u.id)
        or u.is_bot and not c.is_private and not c.is_im
      )
      for no key update of c
    ), posted as (
      insert into ${t.messages} (
        channel_id, ts, thread_ts, subtype, user_id, text, bot_id, app_id, username, icons, blocks, attachments,
        metadata, extra
      )
      select channel_id, ${asTs(session, nextMicros(session))}, thread_ts, ${subtype}, user_id, ${m.text}, bot_id,
        app_id, ${m.username}, ${json(session, m.icons)}, ${json(session, m.blocks)},
        ${json(session, m.attachments)}, ${json(session, m.metadata)}, ${json(session, m.extra)}
      from place
      returning ts
    )
    select posted.ts, place.* from posted, place
  `;
  return place && posted(message, subtype, place);
}

/** The row that was inserted. */
function posted(message: NewMessage, subtype: string | null, place: PostingContext): MessageRow {
  const { channel, user, text, username, icons, blocks, attachments, metadata, extra } = message;
  const { real_name: realName, updated, ...shown } = place;
  const bot = place.bot_id !== null && {
    id: user,
    bot_id: place.bot_id,
    app_id: place.app_id,
    real_name: realName,
    deleted: false,
    updated,
    team_id: place.team_id,
    avatar_base: `${place.team_url}avatars`,
  };
  return {
    ...shown,
    channel_id: channel,
    subtype,
    user_id: user,
    text,
    username,
    icons,
    blocks,
    attachments,
    metadata,
    extra,
    edited: null,
    bot: bot || null,
    files: null,
    is_pinned: false,
    is_starred: false,
    reactions: null,
    thread: null,
    root: null,
  };
}

/** Reads again the conditions that kept `insertMessage` from posting. */
export async function findObstacles(
  session: ChatSession,
  { channel, user, threadTs }: Pick<NewMessage, "channel" | "user" | "threadTs">,
): Promise<Obstacles> {
  const { sql, t } = session;
  const { mayPost, isFull } = workspaceRules(session);
  const [found] = await sql<Obstacles[]>`
    select c.id as channel, c.is_private or c.is_im as is_private, c.is_archived, m.user_id is not null as is_member,
      u.deleted as actor_deleted, u.is_bot as actor_is_bot, ${mayPost} as may_post, ${isFull} as is_full,
      r.ts as root_ts, r.subtype as root_subtype,
      coalesce(coalesce(p.extra, r.extra)->'is_locked' = 'true', false) as is_locked
    from (values (1)) as one
    left join ${t.users} u on u.id = ${user}
    left join ${t.teams} w on w.id = u.team_id
    left join ${t.channels} c on c.id = ${channel}
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = u.id
    left join ${t.messages} r on r.channel_id = c.id and r.ts = ${threadTs}
    left join ${messageAt(session, sql`r.channel_id`, sql`r.thread_ts`)} p on true
  `;
  if (!found) throw new Error("a query without conditions returned no row");
  return found;
}

export type Notice = {
  readonly user: string;
  readonly subtype: string;
  readonly text: string;
  readonly extra?: Json;
};

/** Writes the service's notices in one channel, inside the caller's transaction. */
export async function insertNotices(
  session: ChatSession,
  channel: string,
  notices: readonly Notice[],
): Promise<void> {
  const { sql, t } = session;
  await sql`
    with place as (
      select id as channel_id from ${t.channels} where id = ${channel} for no key update
    ), next as (
      select channel_id, ${nextMicros(session)} as micros from place
    )
    insert into ${t.messages} (channel_id, ts, subtype, user_id, text, extra)
    select next.channel_id, ${asTs(session, sql`next.micros + n.place - 1`)}, n.notice->>'subtype',
      n.notice->>'user', n.notice->>'text', n.notice->'extra'
    from next, jsonb_array_elements(${json(session, notices)}) with ordinality as n (notice, place)
  `;
}
