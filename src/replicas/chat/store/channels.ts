import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";

export type Note = { readonly value: string; readonly creator: string; readonly last_set: number };

/** A channel as one user sees it. */
export type ChannelRow = {
  readonly id: string;
  readonly name: string | null;
  readonly is_channel: boolean;
  readonly is_group: boolean;
  readonly is_im: boolean;
  readonly is_mpim: boolean;
  readonly is_private: boolean;
  readonly is_general: boolean;
  readonly is_archived: boolean;
  readonly creator: string;
  readonly created: number;
  readonly updated: string;
  readonly topic: Note;
  readonly purpose: Note;
  readonly previous_names: readonly string[];
  readonly team_id: string;
  readonly is_member: boolean;
  readonly last_read: string | null;
  readonly is_open: boolean | null;
  readonly num_members: number | null;
  /** The other one of a direct message; oneself in a conversation with oneself. */
  readonly other_user: string | null;
  readonly other_deleted: boolean | null;
};

/** What `c`, joined with the viewer's membership `m`, shows of itself. */
function channelColumns({ sql, t }: ChatSession, viewer: string, count: boolean): Fragment {
  const members = sql`(select count(*)::int from ${t.channel_members} n where n.channel_id = c.id)`;
  return sql`
    c.*, (select id from ${t.teams} limit 1) as team_id,
    m.user_id is not null as is_member, m.last_read, m.is_open,
    ${count ? members : sql`null::int`} as num_members,
    other.id as other_user, other.deleted as other_deleted
    from ${t.channels} c
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
    left join lateral (
      select u.id, u.deleted from ${t.channel_members} o join ${t.users} u on u.id = o.user_id
      where c.is_im and o.channel_id = c.id order by o.user_id = ${viewer} limit 1
    ) other on true
  `;
}

/** Private conversations exist for their members only. */
const visible = ({ sql }: ChatSession): Fragment =>
  sql`(not c.is_private and not c.is_im or m.user_id is not null)`;

/** A channel that the viewer can see, by id. */
export async function findChannel(
  session: ChatSession,
  viewer: string,
  id: string,
  count = false,
): Promise<ChannelRow | undefined> {
  const { sql } = session;
  const [channel] = await sql<ChannelRow[]>`
    select ${channelColumns(session, viewer, count)} where c.id = ${id} and ${visible(session)}
  `;
  return channel;
}

export type ChannelType = "public_channel" | "private_channel" | "mpim" | "im";

/** A page of channels in the order of their ids, one more than asked for when there is another page. */
export async function listChannels(
  session: ChatSession,
  viewer: string,
  wanted: { types: readonly ChannelType[]; excludeArchived: boolean; after: string; limit: number },
): Promise<ChannelRow[]> {
  const { sql } = session;
  const type = sql`
    case when c.is_im then 'im' when c.is_mpim then 'mpim' when c.is_private then 'private_channel'
      else 'public_channel' end
  `;
  return await sql<ChannelRow[]>`
    select ${channelColumns(session, viewer, true)}
    where ${visible(session)} and ${type} = any(${[...wanted.types]})
      and not (${wanted.excludeArchived} and c.is_archived) and c.id > ${wanted.after}
    order by c.id limit ${wanted.limit + 1}
  `;
}

/** Creates a channel with its creator as first member. Returns false when the name is taken. */
export async function insertChannel(
  { sql, t }: ChatSession,
  channel: { id: string; name: string; isPrivate: boolean; creator: string },
): Promise<boolean> {
  const empty = { value: "", creator: "", last_set: 0 };
  const rows = await sql`
    with created as (
      insert into ${t.channels} (
        id, name, is_channel, is_group, is_im, is_mpim, is_private, is_general, is_archived, creator, created, updated,
        topic, purpose, previous_names
      )
      values (
        ${channel.id}, ${channel.name}, true, false, false, false, ${channel.isPrivate}, false, false,
        ${channel.creator}, extract(epoch from now())::int, (extract(epoch from now()) * 1000)::bigint,
        ${sql.json(empty)}, ${sql.json(empty)}, ${sql.json([])}
      )
      on conflict (name) do nothing returning id, creator
    )
    insert into ${t.channel_members} (channel_id, user_id, joined_at, last_read, is_open)
    select id, creator, (extract(epoch from now()) * 1000000)::bigint, '0000000000.000000', false from created
  `;
  return rows.count === 1;
}

/** Adds users who are not members yet. Returns those who were added. */
export async function insertMembers(
  { sql, t }: ChatSession,
  channel: string,
  users: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ user_id: string }[]>`
    insert into ${t.channel_members} (channel_id, user_id, joined_at, last_read, is_open)
    select ${channel}, u.id, (extract(epoch from now()) * 1000000)::bigint + u.place, '0000000000.000000', false
    from unnest(${[...users]}::text[]) with ordinality as u (id, place)
    on conflict do nothing returning user_id
  `;
  return rows.map(({ user_id }) => user_id);
}

export type MemberRow = { readonly user_id: string; readonly joined_at: string };

/** A page of members in the order in which they joined, one more than asked for when there is another page. */
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

export type MemberState = {
  readonly id: string;
  readonly deleted: boolean | null;
  readonly restricted: boolean | null;
  readonly member: boolean;
};

/** For each of `users` whether they exist and are in the channel, in the order given. */
export async function memberStates(
  { sql, t }: ChatSession,
  channel: string,
  users: readonly string[],
): Promise<MemberState[]> {
  return await sql<MemberState[]>`
    select w.id, u.deleted, u.is_ultra_restricted as restricted, m.user_id is not null as member
    from unnest(${[...users]}::text[]) with ordinality as w (id, place)
    left join ${t.users} u on u.id = w.id
    left join ${t.channel_members} m on m.channel_id = ${channel} and m.user_id = w.id
    order by w.place
  `;
}

/** The id of a channel that the viewer can see, by name. */
export async function findChannelByName(
  session: ChatSession,
  viewer: string,
  name: string,
): Promise<string | undefined> {
  const { sql, t } = session;
  const [channel] = await sql<{ id: string }[]>`
    select c.id from ${t.channels} c
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
    where c.name = ${name} and ${visible(session)}
  `;
  return channel?.id;
}

/** Of direct messages: who is in them. */
export const memberKey = (users: readonly string[]) => [...new Set(users)].sort().join(",");

/** The direct message of two users, made with the id `fresh` when there is none. Undefined: no such user. */
export async function openDirect(
  session: ChatSession,
  fresh: string,
  user: string,
  other: string,
): Promise<string | undefined> {
  const { sql, t } = session;
  const key = memberKey([user, other]);
  const note = sql.json({ value: "", creator: "", last_set: 0 });
  const [direct] = await sql<{ id: string }[]>`
    with people as (
      select id from ${t.users} where id in (${user}, ${other})
    ), created as (
      insert into ${t.channels} (
        id, name, is_channel, is_group, is_im, is_mpim, is_private, is_general, is_archived, creator, created, updated,
        topic, purpose, previous_names, member_key
      )
      select ${fresh}, null, false, false, true, false, true, false, false, ${user}, extract(epoch from now())::int,
        (extract(epoch from now()) * 1000)::bigint, ${note}, ${note}, '[]', ${key}
      where exists (select from people where id = ${other})
        and not exists (select from ${t.channels} where member_key = ${key})
      on conflict (member_key) do nothing returning id
    ), joined as (
      insert into ${t.channel_members} (channel_id, user_id, joined_at, last_read, is_open)
      select created.id, people.id, (extract(epoch from now()) * 1000000)::bigint, '0000000000.000000', true
      from created, people
    )
    select id from created
    union all select id from ${t.channels} where member_key = ${key}
  `;
  return direct?.id;
}
