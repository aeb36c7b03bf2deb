import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros } from "~/replicas/chat/store/clock";
import { memberOf, messageAt } from "~/replicas/chat/store/lookup";
import { type MessageRow, messageColumns } from "~/replicas/chat/store/messages";

/** Distinct emoji on one message; skin tones do not count as distinct. */
export const EMOJI_PER_MESSAGE_MAX = 23;
/** Reactions of one user to one message. */
export const REACTIONS_PER_USER_MAX = 50;

export type ReactionTarget = {
  readonly channel: string | null;
  readonly is_archived: boolean | null;
  readonly message: string | null;
  readonly subtype: string | null;
  readonly is_locked: boolean | null;
  readonly distinct_emoji: number;
  readonly own_reactions: number;
  /** The message already has this emoji. */
  readonly has_emoji: boolean;
  readonly has_reacted: boolean;
  readonly added: boolean;
};

/**
 * Adds a reaction in one statement. The result has the reason if it was not added: no such channel for this user, no
 * such message, too many emoji, or the same reaction again.
 */
export async function insertReaction(
  session: ChatSession,
  reaction: { channel: string; ts: string; user: string; name: string },
): Promise<ReactionTarget> {
  const { sql, t } = session;
  const { channel, ts, user, name } = reaction;
  const base = name.replace(/::.*/, "");
  const [target] = await sql<ReactionTarget[]>`
    with channel as (
      select c.id, c.is_archived from ${t.channels} c
      where c.id = ${channel} and (
        not c.is_private or exists (select from ${t.channel_members} m where m.channel_id = c.id and m.user_id = ${user})
      )
    ), message as (
      select m.ts, m.subtype, coalesce(root.extra, m.extra)->'is_locked' is not distinct from 'true' as is_locked
      from channel join ${messageAt(session, sql`channel.id`, sql`${ts}`)} m on true
      left join ${messageAt(session, sql`m.channel_id`, sql`m.thread_ts`)} root on true
    ), present as (
      select count(distinct split_part(name, '::', 1))::int as emoji,
        (count(*) filter (where user_id = ${user}))::int as own,
        coalesce(bool_or(split_part(name, '::', 1) = ${base}), false) as same,
        coalesce(bool_or(name = ${name} and user_id = ${user}), false) as reacted
      from ${t.reactions} where channel_id = ${channel} and ts = ${ts}
    ), added as (
      insert into ${t.reactions} (channel_id, ts, name, user_id, created_at)
      select ${channel}, message.ts, ${name}, ${user}, ${nowMicros(session)}
      from message, channel, present
      where not channel.is_archived and not message.is_locked and message.subtype is distinct from 'tombstone'
        and (present.same or present.emoji < ${EMOJI_PER_MESSAGE_MAX}) and present.own < ${REACTIONS_PER_USER_MAX}
      on conflict do nothing returning name
    )
    select (select id from channel) as channel, (select is_archived from channel) as is_archived,
      (select ts from message) as message, (select subtype from message) as subtype,
      (select is_locked from message) as is_locked, emoji as distinct_emoji, own as own_reactions,
      same as has_emoji, reacted as has_reacted, exists (select from added) as added
    from present
  `;
  if (!target) throw new Error("the reaction's statement returned no row");
  return target;
}

/** Returns false when the user has no such reaction on this message. */
export async function deleteReaction(
  { sql, t }: ChatSession,
  reaction: { channel: string; ts: string; user: string; name: string },
): Promise<boolean> {
  const rows = await sql`
    delete from ${t.reactions} where channel_id = ${reaction.channel} and ts = ${reaction.ts}
      and name = ${reaction.name} and user_id = ${reaction.user}
  `;
  return rows.count === 1;
}

/** Messages with a reaction of `user` that the viewer can see, newest first, with their total count. */
export async function listReactedMessages(
  session: ChatSession,
  viewer: string,
  wanted: { user: string; limit: number; offset: number },
): Promise<{ messages: MessageRow[]; total: number }> {
  const { sql, t } = session;
  const [found] = await sql<{ messages: MessageRow[]; total: number }[]>`
    with reacted as (
      select distinct r.channel_id, r.ts from ${t.reactions} r
      join ${t.channels} c on c.id = r.channel_id
      left join ${memberOf(session, sql`c.id`, viewer)} k on true
      where r.user_id = ${wanted.user} and (not c.is_private or k.user_id is not null)
    ), page as (
      select ${messageColumns(session, viewer)}
      from (
        select * from reacted order by ts desc, channel_id limit ${wanted.limit} offset ${wanted.offset}
      ) w
      join ${messageAt(session, sql`w.channel_id`, sql`w.ts`)} m on true
    )
    select (select count(*)::int from reacted) as total,
      coalesce((select json_agg(p order by p.ts desc, p.channel_id) from page p), '[]') as messages
  `;
  return found ?? { messages: [], total: 0 };
}
