import type { ChatSession } from "~/replicas/chat/method";
import { visible } from "~/replicas/chat/store/channels";
import { nowMicros } from "~/replicas/chat/store/clock";
import { type FileRow, fileColumns, fileVisible } from "~/replicas/chat/store/files";
import { memberOf, messageAt } from "~/replicas/chat/store/lookup";
import { type MessageRow, messageColumns } from "~/replicas/chat/store/messages";

/** A channel, a message of a channel, or a file; the fields that do not apply are ''. */
export type Starred = {
  readonly type: "channel" | "message" | "file";
  readonly channel: string;
  readonly ts: string;
  readonly file: string;
};

/** Returns false when the user has already starred it. */
export async function insertStar(
  session: ChatSession,
  user: string,
  item: Starred,
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    insert into ${t.stars} (user_id, type, channel_id, ts, file_id, created_at)
    values (${user}, ${item.type}, ${item.channel}, ${item.ts}, ${item.file}, ${nowMicros(session)})
    on conflict do nothing
  `;
  return rows.count === 1;
}

/** Returns false when the user has not starred it. */
export async function deleteStar(
  { sql, t }: ChatSession,
  user: string,
  item: Starred,
): Promise<boolean> {
  const rows = await sql`
    delete from ${t.stars} where user_id = ${user} and channel_id = ${item.channel} and ts = ${item.ts}
      and file_id = ${item.file}
  `;
  return rows.count === 1;
}

export type StarRow = {
  readonly type: Starred["type"];
  readonly channel_id: string;
  readonly created_at: string;
  readonly is_im: boolean | null;
  readonly is_private: boolean | null;
  readonly message: MessageRow | null;
  readonly file: FileRow | null;
  readonly total: number;
};

/** A page of a user's stars that are still visible to the user, newest first. */
export async function listStars(
  session: ChatSession,
  user: string,
  page: { limit: number; offset: number },
): Promise<StarRow[]> {
  const { sql, t } = session;
  return await sql<StarRow[]>`
    select s.*, to_json(x) as message, to_json(y) as file
    from (
      select s.*, c.is_im, c.is_private, count(*) over ()::int as total
      from ${t.stars} s
      left join ${t.channels} c on c.id = s.channel_id
      left join ${memberOf(session, sql`c.id`, user)} m on true
      left join ${t.files} f on f.id = s.file_id
      where s.user_id = ${user} and case when s.type = 'file'
        then f.mode <> 'tombstone' and ${fileVisible(session, user)} else ${visible(session)} end
      order by s.created_at desc, s.channel_id, s.ts, s.file_id limit ${page.limit} offset ${page.offset}
    ) s
    left join lateral (
      select ${messageColumns(session, user)}
      from ${messageAt(session, sql`s.channel_id`, sql`s.ts`)} m where s.type = 'message'
    ) x on true
    left join lateral (
      select ${fileColumns(session, user)} from ${t.files} f where s.type = 'file' and f.id = s.file_id
    ) y on true
    order by s.created_at desc, s.channel_id, s.ts, s.file_id
  `;
}
