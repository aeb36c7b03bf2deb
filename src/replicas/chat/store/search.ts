/** Search in messages and files. There is no index: environments are small enough to scan. */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import type { Condition, FileClass } from "~/replicas/chat/search-query";
import { visible } from "~/replicas/chat/store/channels";
import { type FileRow, fileColumns, fileVisible } from "~/replicas/chat/store/files";
import { messageAt } from "~/replicas/chat/store/lookup";
import { type MessageRow, messageColumns } from "~/replicas/chat/store/messages";
import { SYSTEM_SUBTYPES } from "~/replicas/chat/store/posting";
import {
  all,
  documentOf,
  matches,
  messageMeets,
  type Names,
  orderOf,
  placeInScope,
  type Search,
  scoreOf,
  timeInScope,
  within,
} from "~/replicas/chat/store/search-conditions";

export type Found<Row> = { readonly rows: (Row & { score: number })[]; readonly total: number };

/**
 * Finds people by id, handle or display name (handles take precedence), and conversations by id, by name or as the
 * direct message with a user.
 */
export async function findNames(
  session: ChatSession,
  viewer: string,
  wanted: readonly string[],
): Promise<Names> {
  const { sql, t } = session;
  const names = [...wanted];
  const rows = await sql<{ kind: "users" | "channels"; name: string; id: string }[]>`
    with people as (
      select w.name, u.id, rank() over (
        partition by w.name order by case when w.name in (lower(u.id), u.name) then 0 else 1 end
      ) as place
      from unnest(${names}::text[]) as w (name)
      join ${t.users} u on w.name = 'me' and u.id = ${viewer} or w.name in (
        lower(u.id), u.name, lower(u.profile->>'display_name'), lower(u.real_name)
      )
    )
    select 'users' as kind, name, id from people where place = 1
    union all
    select 'channels', w.name, c.id from unnest(${names}::text[]) as w (name)
    join ${t.channels} c on w.name in (lower(c.id), c.name)
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
    where ${visible(session)}
    union all
    select 'channels', p.name, c.id from people p
    join ${t.channels} c on c.is_im
      and c.member_key = case when p.id = ${viewer} then ${viewer}
        else least(p.id collate "C", ${viewer}) || ',' || greatest(p.id collate "C", ${viewer}) end
    where p.place = 1
  `;
  const of = (kind: string) => {
    const ids = new Map<string, string[]>();
    for (const row of rows)
      if (row.kind === kind) ids.set(row.name, [...(ids.get(row.name) ?? []), row.id]);
    return ids;
  };
  return { users: of("users"), channels: of("channels") };
}

/** A page of the messages that match a query and that the viewer can read, with their total count. */
export async function searchMessages(
  session: ChatSession,
  search: Search,
): Promise<Found<MessageRow & { readonly channel: ChannelOf }>> {
  const { sql, t } = session;
  const { viewer, terms } = search;
  const text = sql`concat_ws(' ', m.text, m.username,
    jsonb_path_query_array(m.attachments, '$[*].keyvalue() ? (@.key like_regex "^(pretext|title|text|fallback)$").value'),
    jsonb_path_query_array(m.blocks, 'lax $.**.text ? (@.type() == "string")')
  )`;
  const order = orderOf(session, search, {
    score: sql`score`,
    time: sql`m.ts`,
    id: sql`m.channel_id`,
  });
  const rows = await sql<(MessageRow & { channel: ChannelOf; score: number; total: number })[]>`
    select ${messageColumns(session, viewer)}, f.score, f.total, json_build_object(
      'id', c.id, 'name', c.name, 'is_private', c.is_private, 'is_im', c.is_im, 'is_mpim', c.is_mpim,
      'is_channel', c.is_channel, 'is_group', c.is_group,
      'user', (
        select o.user_id from ${t.channel_members} o
        where c.is_im and o.channel_id = c.id order by o.user_id = ${viewer} limit 1
      ),
      'author', (select u.name from ${t.users} u where u.id = m.user_id)
    ) as channel
    from (
      select m.channel_id, m.ts, ${scoreOf(session, terms)} as score, count(*) over ()::int as total
      from ${t.messages} m
      join ${t.channels} c on c.id = m.channel_id
      left join ${t.channel_members} k on k.channel_id = c.id and k.user_id = ${viewer}
      cross join ${documentOf(session, text)}
      where (not c.is_private or k.user_id is not null)
        and (m.subtype is null or m.subtype <> all(${["tombstone", ...SYSTEM_SUBTYPES]}::text[]))
        and ${all(session, terms, (condition) => messageMeets(session, search, condition))}
        ${messageScope(session, search)}
      order by ${order} limit ${search.limit} offset ${search.offset}
    ) f
    join ${messageAt(session, sql`f.channel_id`, sql`f.ts`)} m on true
    join ${t.channels} c on c.id = m.channel_id
    order by ${orderOf(session, search, { score: sql`f.score`, time: sql`m.ts`, id: sql`m.channel_id` })}
  `;
  return { rows, total: rows[0]?.total ?? 0 };
}

export type ChannelOf = {
  readonly id: string;
  readonly name: string | null;
  readonly is_private: boolean;
  readonly is_im: boolean;
  readonly is_mpim: boolean;
  readonly is_channel: boolean;
  readonly is_group: boolean;
  readonly user: string | null;
  readonly author: string | null;
};

/** The restrictions of a search on the message `m` in the conversation `c`. */
function messageScope(session: ChatSession, { scope }: Search): Fragment {
  const { sql } = session;
  if (!scope) return sql``;
  return sql`and ${placeInScope(session, scope)} and (${scope.withBots} or m.bot_id is null)
    and ${timeInScope(session, scope, sql`m.ts::numeric`)}`;
}

/** The same for the file `f`. A file that is shared nowhere is its owner's, and in no public place. */
function fileScope(
  session: ChatSession,
  { scope }: Search,
  shared: (meets: Fragment) => Fragment,
): Fragment {
  const { sql, t } = session;
  if (!scope) return sql``;
  const isUnshared = sql`not exists (select from ${t.file_shares} s where s.file_id = f.id)`;
  return sql`and (
      ${scope.types.includes("im") && !scope.ownOnly} and ${isUnshared}
      or ${shared(placeInScope(session, scope))}
    ) and (${scope.withBots} or not exists (
      select from ${t.users} b where b.id = f.user_id and b.is_bot
    )) and ${timeInScope(session, scope, sql`f.created_at / 1000000`)}`;
}

/** The media types of each class of files. */
const CLASSES: { readonly [what in FileClass]: string } = {
  images: "^image/",
  documents: "wordprocessing|msword|opendocument.text|^text/|rtf",
  pdfs: "^application/pdf$",
  spreadsheets: "spreadsheet|excel|^text/csv$",
  presentations: "presentation|powerpoint",
  canvases: "^application/vnd.slack-docs$",
  lists: "^application/vnd.slack-list",
  emails: "^message/rfc822$|^text/eml$",
  audio: "^audio/",
  videos: "^video/",
};

const ofClass = ({ sql }: ChatSession, what: FileClass): Fragment =>
  sql`f.mimetype ~ ${CLASSES[what]}`;

export type Neighbour = {
  /** Of the hit, from 1. */
  readonly place: number;
  readonly is_before: boolean;
  readonly channel_id: string;
  readonly ts: string;
} & Pick<MessageRow, "user_id" | "username" | "bot_id" | "text">;

/** The messages around each hit, by time: in its thread for a reply, in the channel for any other. */
export async function listNeighbours(
  { sql, t }: ChatSession,
  hits: readonly { readonly channel: string; readonly ts: string }[],
  count: number,
): Promise<Neighbour[]> {
  const around = (isBefore: boolean) => sql`(
    select ${isBefore}::boolean as is_before, m.* from ${t.messages} m
    where m.channel_id = w.channel and m.ts ${isBefore ? sql`<` : sql`>`} w.ts
      and (m.thread_ts is not distinct from h.thread_ts or m.ts = h.thread_ts)
      and m.subtype is distinct from 'tombstone'
    order by m.ts ${isBefore ? sql`desc` : sql``} limit ${count}
  )`;
  return await sql<Neighbour[]>`
    select w.place::int, n.is_before, n.channel_id, n.ts, n.user_id, n.username, n.bot_id, n.text
    from unnest(${hits.map(({ channel }) => channel)}::text[], ${hits.map(({ ts }) => ts)}::text[])
      with ordinality as w (channel, ts, place)
    join ${t.messages} h on h.channel_id = w.channel and h.ts = w.ts
    cross join lateral (${around(true)} union all ${around(false)}) n
    order by w.place, n.ts
  `;
}

/** The same for files, by title, name and content. Conditions on messages apply to those that share the file. */
export async function searchFiles(session: ChatSession, search: Search): Promise<Found<FileRow>> {
  const { sql, t } = session;
  const { viewer, terms } = search;
  const text = sql`concat_ws(' ', f.title, f.name, (
    select p.plain_text from ${t.file_contents} p where p.file_id = f.id
  ), (
    select jsonb_path_query_array(v.sections, '$[*].markdown')::text from ${t.canvases} v where v.file_id = f.id
  ))`;
  const shared = (meets: Fragment) => sql`exists (
    select from ${t.file_shares} s
    join ${messageAt(session, sql`s.channel_id`, sql`s.ts`)} m on true
    join ${t.channels} c on c.id = s.channel_id
    left join ${t.channel_members} k on k.channel_id = c.id and k.user_id = ${viewer}
    where s.file_id = f.id and (not c.is_private or k.user_id is not null) and ${meets}
  )`;
  const meets = (condition: Condition): Fragment => {
    if ("text" in condition) return matches(session, search.names, condition);
    if ("span" in condition) return within(session, condition, sql`f.created_at / 1000000.0`);
    if (condition.kind === "from")
      return sql`f.user_id = any(${[...(search.names.users.get(condition.name) ?? [])]}::text[])`;
    if (condition.kind === "has" && condition.what === "file") return sql`true`;
    if (condition.kind === "type") return ofClass(session, condition.what);
    if (condition.kind === "is" && condition.what === "saved")
      return sql`exists (select from ${t.stars} z where z.user_id = ${viewer} and z.file_id = f.id)`;
    return shared(messageMeets(session, search, condition));
  };
  const order = orderOf(session, search, { score: sql`score`, time: sql`created_at`, id: sql`id` });
  const rows = await sql<(FileRow & { score: number; total: number })[]>`
    select ${fileColumns(session, viewer)} from (
      select f.*, ${scoreOf(session, terms)} as score, count(*) over ()::int as total
      from ${t.files} f cross join ${documentOf(session, text)}
      where f.mode <> 'tombstone' and f.upload_token is null and ${fileVisible(session, viewer)}
        and ${all(session, terms, meets)} ${fileScope(session, search, shared)}
      order by ${order} limit ${search.limit} offset ${search.offset}
    ) f
    order by ${orderOf(session, search, { score: sql`f.score`, time: sql`f.created_at`, id: sql`f.id` })}
  `;
  return { rows, total: rows[0]?.total ?? 0 };
}
