import type { ChatSession } from "~/replicas/chat/method";
import { nowSeconds } from "~/replicas/chat/store/clock";
import type { Rows } from "~/replicas/chat/store/rows";

export type BookmarkRow = Rows["bookmarks"] & { readonly team_id: string };

const BOOKMARKS_MAX = 100;

/** The bookmarks of a channel by rank. There are at most 100. */
export async function listBookmarks(
  { sql, t }: ChatSession,
  channel: string,
): Promise<BookmarkRow[]> {
  return await sql<BookmarkRow[]>`
    select b.*, w.id as team_id from ${t.bookmarks} b cross join ${t.teams} w
    where b.channel_id = ${channel} order by b.rank, b.id
  `;
}

export async function findBookmark(
  { sql, t }: ChatSession,
  channel: string,
  id: string,
): Promise<BookmarkRow | undefined> {
  const [bookmark] = await sql<BookmarkRow[]>`
    select b.*, w.id as team_id from ${t.bookmarks} b cross join ${t.teams} w
    where b.channel_id = ${channel} and b.id = ${id}
  `;
  return bookmark;
}

type NewBookmark = {
  readonly id: string;
  readonly channel: string;
  readonly title: string;
  readonly link: string;
  readonly emoji: string | null;
  readonly entityId: string | null;
  readonly parentId: string | null;
  readonly accessLevel: string | null;
  readonly user: string;
};

/** Adds a bookmark after the others of its channel. False when the channel has the maximum. */
export async function insertBookmark(
  session: ChatSession,
  { id, channel, title, link, emoji, entityId, parentId, accessLevel, user }: NewBookmark,
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    insert into ${t.bookmarks} (
      id, channel_id, title, link, emoji, type, entity_id, parent_id, access_level, rank, date_created, date_updated,
      last_updated_by_user_id
    )
    select ${id}, ${channel}, ${title}, ${link}, ${emoji}, 'link', ${entityId}, ${parentId},
      ${accessLevel}, '0|' || lpad((coalesce(max(split_part(rank, '|', 2)::int), -1) + 1)::text, 6, '0'),
      ${nowSeconds(session)}, 0, ${user}
    from ${t.bookmarks} where channel_id = ${channel} having count(*) < ${BOOKMARKS_MAX}
  `;
  return rows.count === 1;
}

/** Changes the given columns; an empty emoji removes it. False when there is no such bookmark. */
export async function updateBookmark(
  session: ChatSession,
  channel: string,
  id: string,
  change: { title: string | null; link: string | null; emoji: string | null; user: string },
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    update ${t.bookmarks} set title = coalesce(${change.title}, title), link = coalesce(${change.link}, link),
      emoji = nullif(coalesce(${change.emoji}, emoji), ''), date_updated = ${nowSeconds(session)},
      last_updated_by_user_id = ${change.user}
    where channel_id = ${channel} and id = ${id}
  `;
  return rows.count === 1;
}

/** False when there is no such bookmark. */
export async function deleteBookmark(
  { sql, t }: ChatSession,
  channel: string,
  id: string,
): Promise<boolean> {
  const rows = await sql`delete from ${t.bookmarks} where channel_id = ${channel} and id = ${id}`;
  return rows.count === 1;
}
