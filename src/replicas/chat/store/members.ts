import type { ChatSession } from "~/replicas/chat/method";
import { UNREAD } from "~/replicas/chat/store/channels";
import { asTs, nowMicros } from "~/replicas/chat/store/clock";
import { lastRead } from "~/replicas/chat/store/messages";

/** Adds users who are not members yet, in the given order. Returns those who were added. */
export async function insertMembers(
  session: ChatSession,
  channel: string,
  users: readonly string[],
): Promise<string[]> {
  const { sql, t } = session;
  const rows = await sql<{ user_id: string }[]>`
    insert into ${t.channel_members} (channel_id, user_id, joined_at, last_read, is_open)
    select ${channel}, u.id, ${nowMicros(session)} + u.place, ${UNREAD}, false
    from unnest(${[...users]}::text[]) with ordinality as u (id, place)
    on conflict do nothing returning user_id
  `;
  return rows.map(({ user_id }) => user_id);
}

/** Returns false when the user was not a member. */
export async function deleteMember(
  { sql, t }: ChatSession,
  channel: string,
  user: string,
): Promise<boolean> {
  const rows = await sql`
    delete from ${t.channel_members} where channel_id = ${channel} and user_id = ${user}
  `;
  return rows.count === 1;
}

/** Shows a direct message among the user's conversations, or hides it. Returns false when nothing changed. */
export async function setOpen(
  { sql, t }: ChatSession,
  channel: string,
  user: string,
  open: boolean,
): Promise<boolean> {
  const rows = await sql`
    update ${t.channel_members} set is_open = ${open}
    where channel_id = ${channel} and user_id = ${user} and is_open <> ${open}
  `;
  return rows.count === 1;
}

/** Moves a member's read mark forward or back, also behind the member's own messages. */
export async function setLastRead(
  session: ChatSession,
  channel: string,
  user: string,
  ts: string,
): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.channel_members} set last_read = ${ts}, marked_at = ${asTs(session, nowMicros(session))}
    where channel_id = ${channel} and user_id = ${user} and (${lastRead(session, user, sql`${channel}`)}) <> ${ts}
  `;
}

type MemberRow = { readonly user_id: string; readonly joined_at: string };

/** A page of members in the order in which they joined, with one extra row when there is another page. */
export async function listMembers(
  { sql, t }: ChatSession,
  channel: string,
  page: { after: { joinedAt: string; user: string }; limit: number },
): Promise<MemberRow[]> {
  return await sql<MemberRow[]>`
    select user_id, joined_at from ${t.channel_members}
    where channel_id = ${channel} and (joined_at, user_id) > (${page.after.joinedAt}, ${page.after.user})
    order by joined_at, user_id limit ${page.limit + 1}
  `;
}

export async function countMembers({ sql, t }: ChatSession, channel: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${t.channel_members} where channel_id = ${channel}
  `;
  return row?.count ?? 0;
}

export type MemberState = {
  readonly id: string;
  /** Null for an unknown user. */
  readonly deleted: boolean | null;
  readonly restricted: boolean | null;
  readonly name: string | null;
  readonly member: boolean;
};

/** Whether each of `users` exists and is in the channel, in the given order. */
export async function memberStates(
  { sql, t }: ChatSession,
  channel: string,
  users: readonly string[],
): Promise<MemberState[]> {
  return await sql<MemberState[]>`
    select w.id, u.deleted, u.is_ultra_restricted as restricted, u.name, m.user_id is not null as member
    from unnest(${[...users]}::text[]) with ordinality as w (id, place)
    left join ${t.users} u on u.id = w.id
    left join ${t.channel_members} m on m.channel_id = ${channel} and m.user_id = w.id
    order by w.place
  `;
}

/** The members of each of these conversations, in the order in which they joined. */
export async function listParticipants(
  { sql, t }: ChatSession,
  channels: readonly string[],
): Promise<Map<string, string[]>> {
  if (channels.length === 0) return new Map();
  const rows = await sql<{ id: string; users: string[] }[]>`
    select channel_id as id, array_agg(user_id::text order by joined_at, user_id) as users
    from ${t.channel_members} where channel_id = any(${[...new Set(channels)]}) group by channel_id
  `;
  return new Map(rows.map(({ id, users }) => [id, users]));
}
