/** Writing messages: posting, notices, edits, deletion. Reading them is in `messages.ts`. */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import type { Bot, Json, MessageRow } from "~/replicas/chat/store/messages";

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
};

/** What stands in the way of a message, or would. */
export type Obstacles = {
  readonly channel: string | null;
  readonly is_private: boolean | null;
  readonly is_archived: boolean | null;
  readonly is_member: boolean | null;
  readonly actor_deleted: boolean | null;
  readonly actor_is_bot: boolean | null;
  readonly root_ts: string | null;
  readonly root_subtype: string | null;
};

/** Subtypes of notices that the service writes itself; nobody can reply to one. */
export const SYSTEM_SUBTYPES = [
  "channel_join",
  "channel_leave",
  "channel_topic",
  "channel_purpose",
  "channel_name",
  "channel_archive",
  "channel_unarchive",
  "channel_convert_to_private",
  "group_join",
  "group_leave",
  "group_topic",
  "group_purpose",
  "group_name",
  "group_archive",
  "group_unarchive",
] as const;

/**
 * The next timestamp of the channel of `place`, a relation whose rows are locked: later than any message there, and not
 * before now. The clock is read after the lock was granted.
 */
const nextTs = ({ sql, t }: ChatSession): Fragment => sql`(
  select case when last is null or last < now then now else
    to_char(replace(last, '.', '')::bigint / 1000000.0 + 0.000001, 'FM0000000000.000000') end
  from (select
    to_char(extract(epoch from clock_timestamp()), 'FM0000000000.000000') collate "C" as now,
    (select max(l.ts) from ${t.messages} l where l.channel_id = place.channel_id) as last
  ) clock
)`;

/** The author's side of a message that was just posted. */
type Place = Pick<Bot, "real_name" | "updated"> & {
  readonly ts: string;
  readonly thread_ts: string | null;
  readonly parent_user_id: string | null;
  readonly team_id: string;
  readonly bot_id: string | null;
  readonly app_id: string | null;
  readonly avatar_base: string | null;
};

/**
 * Posts a message in one statement: finds channel, author, membership and thread, takes the next timestamp under a lock
 * on the channel, and inserts where all of that allows it. Undefined where it does not; `findObstacles` tells why.
 */
export async function insertMessage(
  session: ChatSession,
  message: NewMessage,
): Promise<MessageRow | undefined> {
  const { sql, t } = session;
  const m = message;
  const isReply = m.threadTs !== null;
  const subtype = isReply && m.broadcast ? "thread_broadcast" : m.subtype;
  const json = (value: unknown) => (value === null ? null : sql.json(value as never));
  const root = sql`
    join lateral (
      select coalesce(p.ts, r.ts) as ts, coalesce(p.user_id, r.user_id) as user_id
      from ${t.messages} r left join ${t.messages} p on p.channel_id = r.channel_id and p.ts = r.thread_ts
      where r.channel_id = c.id and r.ts = ${m.threadTs}
        and (r.subtype is null or r.subtype <> all(${[...SYSTEM_SUBTYPES]}))
    ) root on true
  `;
  const [place] = await sql<Place[]>`
    with place as (
      select c.id as channel_id, u.id as user_id, u.team_id, u.bot_id, u.app_id, u.real_name, u.updated,
        case when u.is_bot then (select url || 'avatars' from ${t.teams} limit 1) end as avatar_base,
        ${isReply ? sql`root.ts` : sql`null::varchar`} as thread_ts,
        ${isReply ? sql`root.user_id` : sql`null::varchar`} as parent_user_id
      from ${t.channels} c join ${t.users} u on u.id = ${m.user} ${isReply ? root : sql``}
      where c.id = ${m.channel} and not c.is_archived and not u.deleted and (
        exists (select from ${t.channel_members} where channel_id = c.id and user_id = u.id)
        or u.is_bot and not c.is_private and not c.is_im
      )
      for no key update of c
    ), posted as (
      insert into ${t.messages} (
        channel_id, ts, thread_ts, subtype, user_id, text, bot_id, app_id, username, icons, blocks, attachments,
        metadata
      )
      select channel_id, ${nextTs(session)}, thread_ts, ${subtype}, user_id, ${m.text}, bot_id, app_id,
        ${m.username}, ${json(m.icons)}, ${json(m.blocks)}, ${json(m.attachments)}, ${json(m.metadata)}
      from place
      returning ts
    )
    select posted.ts, place.* from posted, place
  `;
  return place && posted(message, subtype, place);
}

/** The row that was inserted. */
function posted(message: NewMessage, subtype: string | null, place: Place): MessageRow {
  const { channel, user, text, username, icons, blocks, attachments, metadata } = message;
  const { avatar_base: avatarBase, real_name: realName, updated, ...shown } = place;
  const bot = place.bot_id !== null && {
    id: user,
    bot_id: place.bot_id,
    app_id: place.app_id,
    real_name: realName,
    deleted: false,
    updated,
    team_id: place.team_id,
    avatar_base: avatarBase ?? "",
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
    edited: null,
    client_msg_id: null,
    extra: null,
    bot: bot || null,
    reactions: null,
    thread: null,
  };
}

/** What `insertMessage` found in its way, looked at again. */
export async function findObstacles(
  { sql, t }: ChatSession,
  { channel, user, threadTs }: NewMessage,
): Promise<Obstacles> {
  const [found] = await sql<Obstacles[]>`
    select c.id as channel, c.is_private or c.is_im as is_private, c.is_archived, m.user_id is not null as is_member,
      u.deleted as actor_deleted, u.is_bot as actor_is_bot, r.ts as root_ts, r.subtype as root_subtype
    from (values (1)) as one
    left join ${t.users} u on u.id = ${user}
    left join ${t.channels} c on c.id = ${channel}
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = u.id
    left join ${t.messages} r on r.channel_id = c.id and r.ts = ${threadTs}
  `;
  if (!found) throw new Error("a query without conditions returned no row");
  return found;
}

/** Writes a notice of the service under the name of `user`, inside the caller's transaction. */
export async function insertNotice(
  session: ChatSession,
  notice: { channel: string; user: string; subtype: string; text: string; extra?: Json },
): Promise<void> {
  const { sql, t } = session;
  await sql`
    with place as (select id as channel_id from ${t.channels} where id = ${notice.channel} for no key update)
    insert into ${t.messages} (channel_id, ts, subtype, user_id, text, extra)
    select place.channel_id, ${nextTs(session)}, ${notice.subtype}, ${notice.user}, ${notice.text},
      ${notice.extra ? sql.json(notice.extra as never) : null}
    from place
  `;
}

export type Edit = {
  readonly text: string | undefined;
  readonly blocks: readonly Json[] | null | undefined;
  readonly attachments: readonly Json[] | null | undefined;
  readonly metadata: Json | null | undefined;
  readonly broadcast: boolean;
};

/** Changes what is given and keeps the rest. `undefined`: not given. A new text leaves the edited mark. */
export async function updateMessage(
  { sql, t }: ChatSession,
  channel: string,
  ts: string,
  editor: string,
  edit: Edit,
): Promise<void> {
  const json = (value: unknown) =>
    value === null || value === undefined ? null : sql.json(value as never);
  await sql`
    update ${t.messages} set
      text = coalesce(${edit.text ?? null}, text),
      blocks = case when ${edit.blocks !== undefined} then ${json(edit.blocks)}::jsonb else blocks end,
      attachments = case when ${edit.attachments !== undefined} then ${json(edit.attachments)}::jsonb
        else attachments end,
      metadata = case when ${edit.metadata !== undefined} then ${json(edit.metadata)}::jsonb else metadata end,
      subtype = case when ${edit.broadcast} and thread_ts is not null then 'thread_broadcast' else subtype end,
      edited = case when ${edit.text !== undefined} then jsonb_build_object(
        'user', ${editor}::text, 'ts', extract(epoch from now())::bigint::text || '.000000'
      ) else edited end
    where channel_id = ${channel} and ts = ${ts}
  `;
}

export const DELETED_TEXT = "This message was deleted.";

/**
 * Removes a message with its reactions. A root that has replies stays as a tombstone, so that they can still be read;
 * a tombstone goes with its last reply.
 */
export async function deleteMessage(
  { sql, t }: ChatSession,
  channel: string,
  ts: string,
  slackbot: string,
): Promise<void> {
  await sql`delete from ${t.reactions} where channel_id = ${channel} and ts = ${ts}`;
  const buried = await sql`
    update ${t.messages} m set subtype = 'tombstone', text = ${DELETED_TEXT}, user_id = ${slackbot},
      bot_id = null, app_id = null, username = null, icons = null, blocks = null, attachments = null,
      metadata = null, edited = null, client_msg_id = null, extra = null
    where m.channel_id = ${channel} and m.ts = ${ts}
      and exists (select from ${t.messages} r where r.channel_id = m.channel_id and r.thread_ts = m.ts)
  `;
  if (buried.count > 0) return;
  const [gone] = await sql<{ thread_ts: string | null }[]>`
    delete from ${t.messages} where channel_id = ${channel} and ts = ${ts} returning thread_ts
  `;
  if (!gone?.thread_ts) return;
  await sql`
    delete from ${t.messages} m where m.channel_id = ${channel} and m.ts = ${gone.thread_ts}
      and m.subtype = 'tombstone'
      and not exists (select from ${t.messages} r where r.channel_id = m.channel_id and r.thread_ts = m.ts)
  `;
}
