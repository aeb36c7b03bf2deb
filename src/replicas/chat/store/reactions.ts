import type { ChatSession } from "~/replicas/chat/method";

/** Distinct emoji on one message. */
export const EMOJI_PER_MESSAGE_MAX = 23;
/** Distinct emoji of one user on one message. */
export const EMOJI_PER_USER_MAX = 23;

export type ReactionTarget = {
  readonly channel: string | null;
  readonly is_archived: boolean | null;
  readonly message: string | null;
  readonly subtype: string | null;
  readonly distinct_emoji: number;
  readonly has_emoji: boolean;
  readonly added: boolean;
};

/**
 * Adds a reaction in one statement. What it found on the way tells why it was not added: no such channel for this
 * user, no such message, too many emoji, or the same reaction again.
 */
export async function insertReaction(
  { sql, t }: ChatSession,
  reaction: { channel: string; ts: string; user: string; name: string },
): Promise<ReactionTarget> {
  const { channel, ts, user, name } = reaction;
  const [target] = await sql<ReactionTarget[]>`
    with channel as (
      select c.id, c.is_archived from ${t.channels} c
      where c.id = ${channel} and (
        not c.is_private and not c.is_im
        or exists (select from ${t.channel_members} m where m.channel_id = c.id and m.user_id = ${user})
      )
    ), message as (
      select m.ts, m.subtype from ${t.messages} m, channel where m.channel_id = channel.id and m.ts = ${ts}
    ), present as (
      select count(distinct name)::int as emoji, coalesce(bool_or(name = ${name}), false) as same
      from ${t.reactions} where channel_id = ${channel} and ts = ${ts}
    ), added as (
      insert into ${t.reactions} (channel_id, ts, name, user_id, created_at)
      select ${channel}, message.ts, ${name}, ${user}, (extract(epoch from clock_timestamp()) * 1000000)::bigint
      from message, channel, present
      where not channel.is_archived and message.subtype is distinct from 'tombstone'
        and (present.same or present.emoji < ${EMOJI_PER_MESSAGE_MAX})
      on conflict do nothing returning name
    )
    select (select id from channel) as channel, (select is_archived from channel) as is_archived,
      (select ts from message) as message, (select subtype from message) as subtype,
      emoji as distinct_emoji, same as has_emoji, exists (select from added) as added
    from present
  `;
  if (!target) throw new Error("the reaction's statement returned no row");
  return target;
}

/** Returns false when the user has not put this emoji on this message. */
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
