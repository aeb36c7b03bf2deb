import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros, nowMillis, nowSeconds } from "~/replicas/chat/store/clock";
import { json } from "~/replicas/chat/store/json";
import { memberOf } from "~/replicas/chat/store/lookup";
import { lastRead } from "~/replicas/chat/store/messages";
import type { Rows } from "~/replicas/chat/store/rows";

export type Note = { readonly value: string; readonly creator: string; readonly last_set: number };
export const EMPTY_NOTE: Note = { value: "", creator: "", last_set: 0 };
/** A member who has read nothing yet. */
export const UNREAD = "0000000000.000000";
/** Previous names of a channel that are kept. */
const PREVIOUS_NAMES_MAX = 100;

/** A channel as one user sees it. */
export type ChannelRow = Omit<
  Rows["channels"],
  "topic" | "purpose" | "previous_names" | "member_key"
> & {
  readonly topic: Note;
  readonly purpose: Note;
  readonly previous_names: readonly string[];
  readonly team_id: string;
  readonly is_member: boolean;
  readonly last_read: string | null;
  readonly is_open: boolean | null;
  readonly num_members: number | null;
  /** The other user of a direct message; the viewer in a conversation with themselves. */
  readonly other_user: string | null;
  readonly other_deleted: boolean | null;
};

type Counting = { readonly countMembers?: boolean | undefined };

/** The columns of a ChannelRow of `c`, joined with the viewer's membership `m`. */
function channelColumns(
  session: ChatSession,
  viewer: string,
  { countMembers }: Counting,
): Fragment {
  const { sql, t } = session;
  const members = sql`(select count(*)::int from ${t.channel_members} n where n.channel_id = c.id)`;
  return sql`
    c.*, (select id from ${t.teams} limit 1) as team_id,
    m.user_id is not null as is_member, m.is_open,
    case when c.is_im then (${lastRead(session, viewer, sql`c.id`)}) else m.last_read end as last_read,
    ${countMembers ? members : sql`null::int`} as num_members,
    other.id as other_user, other.deleted as other_deleted
    from ${t.channels} c
    left join ${memberOf(session, sql`c.id`, viewer)} m on true
    left join lateral (
      select u.id, u.deleted from ${t.channel_members} o join ${t.users} u on u.id = o.user_id
      where c.is_im and o.channel_id = c.id order by o.user_id = ${viewer} limit 1
    ) other on true
  `;
}

/** Private conversations exist for their members only. `c`: the channel; `m`: the viewer's membership, outer joined. */
export const visible = ({ sql }: ChatSession): Fragment =>
  sql`(not c.is_private or m.user_id is not null)`;

/** A channel that the viewer can see, by id. */
export async function findChannel(
  session: ChatSession,
  viewer: string,
  id: string,
  counting: Counting = {},
): Promise<ChannelRow | undefined> {
  const { sql } = session;
  const [channel] = await sql<ChannelRow[]>`
    select ${channelColumns(session, viewer, counting)} where c.id = ${id} and ${visible(session)}
  `;
  return channel;
}

export type ChannelType = "public_channel" | "private_channel" | "mpim" | "im";

/** The type of the conversation `c`. */
export const typeOf = ({ sql }: ChatSession): Fragment => sql`
  case when c.is_im then 'im' when c.is_mpim then 'mpim' when c.is_private then 'private_channel'
    else 'public_channel' end
`;

/**
 * A page of channels by id, with one extra row when there is another page. With `member`, only those that this user is
 * in.
 */
export async function listChannels(
  session: ChatSession,
  viewer: string,
  wanted: {
    types: readonly ChannelType[];
    excludeArchived: boolean;
    after: string;
    limit: number;
    member?: string;
  },
): Promise<ChannelRow[]> {
  const { sql, t } = session;
  const ofMember =
    wanted.member === undefined
      ? sql``
      : sql`and exists (
          select from ${t.channel_members} k where k.channel_id = c.id and k.user_id = ${wanted.member}
        )`;
  return await sql<ChannelRow[]>`
    select ${channelColumns(session, viewer, { countMembers: true })}
    where ${visible(session)} and ${typeOf(session)} = any(${[...wanted.types]}) ${ofMember}
      and not (${wanted.excludeArchived} and c.is_archived) and c.id > ${wanted.after}
    order by c.id limit ${wanted.limit + 1}
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

/** Creates a channel with its creator as first member. Returns false when the name is taken. */
export async function insertChannel(
  session: ChatSession,
  channel: { id: string; name: string; isPrivate: boolean; creator: string },
): Promise<boolean> {
  const { sql, t } = session;
  const empty = json(session, EMPTY_NOTE);
  const rows = await sql`
    with created as (
      insert into ${t.channels} (
        id, name, is_channel, is_group, is_im, is_mpim, is_private, is_general, is_archived, creator, created, updated,
        topic, purpose, previous_names
      )
      values (
        ${channel.id}, ${channel.name}, true, false, false, false, ${channel.isPrivate}, false, false,
        ${channel.creator}, ${nowSeconds(session)}, ${nowMillis(session)}, ${empty}, ${empty}, '[]'
      )
      on conflict do nothing returning id, creator
    )
    insert into ${t.channel_members} (channel_id, user_id, joined_at, last_read, is_open)
    select id, creator, ${nowMicros(session)}, ${UNREAD}, false from created
  `;
  return rows.count === 1;
}

/** Gives a channel another name and keeps the old one. Returns false when the name is taken. */
export async function renameChannel(
  session: ChatSession,
  id: string,
  name: string,
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    update ${t.channels} set name = ${name},
      previous_names = jsonb_path_query_array(
        jsonb_build_array(name) || previous_names, ${`$[0 to ${PREVIOUS_NAMES_MAX - 1}]`}::text::jsonpath
      ),
      updated = ${nowMillis(session)}
    where id = ${id} and not exists (select from ${t.channels} where name = ${name})
  `;
  return rows.count === 1;
}

/** Returns false when the channel is already in that state. */
export async function setArchived(
  session: ChatSession,
  id: string,
  archived: boolean,
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    update ${t.channels} set is_archived = ${archived}, updated = ${nowMillis(session)}
    where id = ${id} and is_archived <> ${archived}
  `;
  return rows.count === 1;
}

/** Sets topic or purpose. */
export async function setNote(
  session: ChatSession,
  id: string,
  which: "topic" | "purpose",
  value: string,
  creator: string,
): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.channels} set updated = ${nowMillis(session)}, ${sql(which)} = jsonb_build_object(
      'value', ${value}::text, 'creator', ${creator}::text, 'last_set', ${nowSeconds(session)}
    )
    where id = ${id}
  `;
}

type ChannelKind = {
  readonly id: string;
  readonly name: string | null;
  readonly is_private: boolean;
  readonly is_direct: boolean;
};

/** The channels among these that the viewer can see, in the given order. */
export async function findChannels(
  session: ChatSession,
  viewer: string,
  ids: readonly string[],
): Promise<ChannelKind[]> {
  const { sql, t } = session;
  return await sql<ChannelKind[]>`
    select c.id, c.name, c.is_private, c.is_im or c.is_mpim as is_direct
    from unnest(${[...ids]}::text[]) with ordinality as w (id, place)
    join ${t.channels} c on c.id = w.id
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
    where ${visible(session)} order by w.place
  `;
}
