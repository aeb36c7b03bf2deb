/** Writing messages: posts and the service's own notices. Edits and deletion are in `editing.ts`. */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { ASSISTANT_THREAD } from "~/replicas/chat/store/busy-sign";
import { asTs } from "~/replicas/chat/store/clock";
import { type Json, json } from "~/replicas/chat/store/json";
import { messageAt } from "~/replicas/chat/store/lookup";
import { botOf, type MessageRow } from "~/replicas/chat/store/messages";

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
  /** The author need not be a member: somebody else has given it a place here. */
  readonly isAdmitted?: boolean;
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

/** The columns of a posted message that the statement determines. */
type Place = Pick<
  MessageRow,
  "ts" | "thread_ts" | "parent_user_id" | "team_id" | "team_url" | "bot_id" | "app_id" | "bot"
>;

/** Clears the status of the assistant that answers in the thread of `place`. */
const clearStatus = ({ sql, t }: ChatSession, user: string): Fragment => sql`
  update ${t.records} r set data = data - '{status,loading_messages,username,icons,user,at}'::text[] from posted, place
  where r.type = ${ASSISTANT_THREAD} and r.id = place.channel_id || ' ' || place.thread_ts and data->>'user' = ${user}
`;

/**
 * Posts a message in one statement: finds channel, author, membership and thread, takes the next timestamp under a lock
 * on the channel, and inserts if all of that allows it. Otherwise undefined; `findObstacles` returns the reason.
 */
export async function insertMessage(
  session: ChatSession,
  message: NewMessage,
): Promise<MessageRow | undefined> {
  const { sql, t } = session;
  const { channel, user, text, threadTs, broadcast, isAdmitted = false, ...shown } = message;
  const { username, icons, blocks, attachments, metadata, extra } = shown;
  const isReply = threadTs !== null;
  const subtype = isReply && broadcast ? "thread_broadcast" : message.subtype;
  const { mayPost, isFull } = workspaceRules(session);
  const root = () => sql`
    join lateral (
      select coalesce(p.ts, r.ts) as ts, coalesce(p.user_id, r.user_id) as user_id
      from ${t.messages} r
      left join ${messageAt(session, sql`r.channel_id`, sql`r.thread_ts`)} p on true
      where r.channel_id = c.id and r.ts = ${threadTs}
        and (r.subtype is null or r.subtype <> all(${[...SYSTEM_SUBTYPES]}))
        and coalesce(p.extra, r.extra)->'is_locked' is distinct from 'true'
    ) root on true
  `;
  const [place] = await sql<Place[]>`
    with place as (
      select c.id as channel_id, u.id as user_id, u.team_id, u.bot_id, u.app_id, w.url as team_url,
        case when u.bot_id is not null then ${botOf(session, sql`w.url`)} end as bot,
        ${isReply ? sql`root.ts as thread_ts, root.user_id` : sql`null::varchar as thread_ts, null::varchar`} as parent_user_id
      from ${t.channels} c
      join ${t.users} u on u.id = ${user}
      join ${t.teams} w on w.id = u.team_id
      ${isReply ? root() : sql``}
      where c.id = ${channel} and not c.is_archived and not u.deleted and ${mayPost} and not ${isFull} and (
        exists (select from ${t.channel_members} where channel_id = c.id and user_id = u.id)
        or u.is_bot and not c.is_private or ${isAdmitted}
      )
      for no key update of c
    ), posted as (
      insert into ${t.messages} (
        channel_id, ts, thread_ts, subtype, user_id, text, bot_id, app_id, username, icons, blocks, attachments,
        metadata, extra
      )
      select channel_id, ${asTs(session, nextMicros(session))}, thread_ts, ${subtype}, user_id, ${text}, bot_id,
        app_id, ${username}, ${json(session, icons)}, ${json(session, blocks)},
        ${json(session, attachments)}, ${json(session, metadata)}, ${json(session, extra)}
      from place
      returning ts
    )${isReply ? sql`, answered as (${clearStatus(session, user)})` : sql``}
    select posted.ts, place.* from posted, place
  `;
  if (!place) return undefined;
  return {
    ...shown,
    ...place,
    channel_id: channel,
    user_id: user,
    text,
    subtype,
    edited: null,
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
    select c.id as channel, c.is_private, c.is_archived, m.user_id is not null as is_member,
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
