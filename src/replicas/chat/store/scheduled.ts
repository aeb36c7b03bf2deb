/** Scheduled messages. They become messages when the clock is moved or a call reads the channel, at their own time. */

import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { asTs, nowMicros, nowSeconds } from "~/replicas/chat/store/clock";
import { type Json, json } from "~/replicas/chat/store/json";
import { messageAt } from "~/replicas/chat/store/lookup";
import { DueFirst } from "~/replicas/due-first";
import { hexOf } from "~/source";

type ScheduledRow = {
  readonly id: string;
  readonly channel_id: string;
  readonly user_id: string;
  readonly post_at: number;
  readonly text: string;
  readonly date_created: number;
};

type NewScheduled = {
  readonly channel: string;
  readonly user: string;
  readonly postAt: number;
  readonly text: string;
  readonly threadTs: string | null;
  readonly broadcast: boolean;
  readonly blocks: readonly Json[] | null;
  readonly attachments: readonly Json[] | null;
  readonly metadata: Json | null;
};

const WINDOW_SECONDS = 300;
/** Per channel in any five minutes. */
const SCHEDULED_MAX = 30;

/** The id of the message; undefined when the channel would have too many within five minutes. */
export async function insertScheduled(
  session: ChatSession,
  { channel, user, postAt, text, threadTs, broadcast, blocks, attachments, metadata }: NewScheduled,
): Promise<string | undefined> {
  const { sql, t } = session;
  // It begins with the time: messages of one second are listed and posted in the order in which they were scheduled.
  const id = sql`'Q' || upper(to_hex(${nowMicros(session)}) || ${hexOf(session.source, 1)})`;
  const [row] = await sql<{ id: string }[]>`
    insert into ${t.scheduled_messages} (
      id, channel_id, user_id, post_at, text, thread_ts, reply_broadcast, blocks, attachments, metadata, date_created
    )
    select ${id}, ${channel}, ${user}, ${postAt}, ${text}, ${threadTs}, ${broadcast},
      ${json(session, blocks)}, ${json(session, attachments)}, ${json(session, metadata)}, ${nowSeconds(session)}
    where not exists (
      select from (
        select post_at, count(*) over (
          order by post_at range between current row and ${WINDOW_SECONDS - 1}::int following
        ) as within
        from (
          select post_at from ${t.scheduled_messages} where channel_id = ${channel}
          union all select ${postAt}::int
        ) w
      ) w
      where within > ${SCHEDULED_MAX} and post_at between ${postAt - WINDOW_SECONDS + 1} and ${postAt}
    )
    returning id
  `;
  return row?.id;
}

/** False when this user has no such message left to post. */
export async function deleteScheduled(
  session: ChatSession,
  user: string,
  channel: string,
  id: string,
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    delete from ${t.scheduled_messages}
    where channel_id = ${channel} and id = ${id} and user_id = ${user} and post_at > ${nowSeconds(session)}
  `;
  return rows.count === 1;
}

/** A page of the user's scheduled messages by time, with one extra row when there is another page. */
export async function listScheduled(
  session: ChatSession,
  user: string,
  wanted: {
    channel: string | null;
    oldest: number;
    latest: number;
    after: { postAt: number; id: string };
    limit: number;
  },
): Promise<ScheduledRow[]> {
  const { sql, t } = session;
  return await sql<ScheduledRow[]>`
    select id, channel_id, user_id, post_at, text, date_created from ${t.scheduled_messages}
    where user_id = ${user} and post_at > ${nowSeconds(session)}
      and channel_id = coalesce(${wanted.channel}, channel_id)
      and post_at between ${wanted.oldest} and ${wanted.latest}
      and (post_at, id) > (${wanted.after.postAt}, ${wanted.after.id})
    order by post_at, id limit ${wanted.limit + 1}
  `;
}

/** A message that was due. */
type Delivered = { readonly id: string; readonly isPosted: boolean };

/** Whether a channel has messages that are due and not posted yet. */
export const hasDue = (session: ChatSession, channel: Fragment): Fragment => session.sql`exists (
  select from ${session.t.scheduled_messages} s
  where s.channel_id = ${channel} and s.post_at <= ${nowSeconds(session)}
)`;

/** Throws DueFirst if the channel, which is read, has messages that are due. A person who reads between two calls sees none. */
export function requireNoneDue({ source }: ChatSession, channel: string, isDue: boolean): void {
  if (!isDue || source.isBetween) return;
  throw new DueFirst(source, { fire: (session: ChatSession) => deliverDue(session, channel) });
}

/**
 * Posts the due messages of one channel or of all. Those that cannot be posted any more (the channel is archived, the
 * author has left, the thread was deleted) are dropped.
 */
export async function deliverDue(
  session: ChatSession,
  channel: string | undefined,
): Promise<Delivered[]> {
  const { sql, t } = session;
  const inChannel = channel === undefined ? sql`` : sql`and channel_id = ${channel}`;
  // They get the first free timestamps of their second.
  const micros = sql`
    due.post_at * 1000000::bigint + coalesce((
      select right(max(m.ts), 6)::int from ${t.messages} m
      where m.channel_id = due.channel_id and m.ts between due.post_at || '.000000' and due.post_at || '.000999'
    ), 0) + row_number() over (partition by due.channel_id, due.post_at order by due.id)
  `;
  return await sql<Delivered[]>`
    with due as (
      delete from ${t.scheduled_messages} where post_at <= ${nowSeconds(session)} ${inChannel} returning *
    ), place as (
      select c.id from ${t.channels} c
      where c.id in (select channel_id from due) and not c.is_archived
      for no key update
    ), posting as (
      select due.id, due.channel_id, ${asTs(session, micros)} as ts, coalesce(root.thread_ts, root.ts) as thread_ts,
        case when due.reply_broadcast and root.ts is not null then 'thread_broadcast' end as subtype,
        u.id as user_id, due.text, u.bot_id, u.app_id, due.blocks, due.attachments, due.metadata
      from due
      join place on place.id = due.channel_id
      join ${t.channels} c on c.id = due.channel_id
      join ${t.users} u on u.id = due.user_id and not u.deleted
      left join ${messageAt(session, sql`due.channel_id`, sql`due.thread_ts`)} root on true
      where (due.thread_ts is null or root.ts is not null) and (
        exists (select from ${t.channel_members} m where m.channel_id = due.channel_id and m.user_id = u.id)
        or u.is_bot and not c.is_private
      )
    ), posted as (
      insert into ${t.messages} (
        channel_id, ts, thread_ts, subtype, user_id, text, bot_id, app_id, blocks, attachments, metadata
      )
      select channel_id, ts, thread_ts, subtype, user_id, text, bot_id, app_id, blocks, attachments, metadata
      from posting
    )
    select due.id, posting.id is not null as "isPosted"
    from due left join posting using (id) order by due.post_at, due.id
  `;
}
