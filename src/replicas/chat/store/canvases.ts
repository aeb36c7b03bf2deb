/** Canvases: files whose content is Markdown in sections, and who may read or write them. */
import type { Section } from "~/replicas/chat/canvas";
import type { ChatSession } from "~/replicas/chat/method";
import { visible } from "~/replicas/chat/store/channels";
import { nowMicros } from "~/replicas/chat/store/clock";
import { json } from "~/replicas/chat/store/json";
import { lockWorkspace } from "~/replicas/chat/store/team";

export type CanvasRow = {
  readonly id: string;
  readonly title: string;
  readonly user_id: string;
  readonly channel_id: string | null;
  readonly sections: readonly Section[];
  readonly is_deleted: boolean;
  /** The viewer's level of access; null: none. */
  readonly access: "read" | "write" | "owner" | null;
};

const CANVAS_MIMETYPE = "application/vnd.slack-docs";

/**
 * A canvas or a list, by the id of its file, whether or not the viewer may see it. The members of a channel can write
 * its own canvas; otherwise the viewer's highest level of access applies, granted directly or by a channel.
 */
export async function findCanvas(
  { sql, t }: ChatSession,
  viewer: string,
  id: string,
): Promise<CanvasRow | undefined> {
  const [canvas] = await sql<CanvasRow[]>`
    select f.id, f.title, f.user_id, c.channel_id, coalesce(c.sections, '[]') as sections,
      f.mode = 'tombstone' as is_deleted,
      case when f.user_id = ${viewer} then 'owner'
        when k.user_id is not null then 'write'
        else (
          select (array['read', 'write', 'owner'])[max(array_position(array['read', 'write', 'owner'], a.access_level))]
          from ${t.file_access} a
          left join ${t.channel_members} m on m.channel_id = a.entity_id and m.user_id = ${viewer}
          where a.file_id = f.id and (a.entity_id = ${viewer} or m.user_id is not null)
        )
      end as access
    from ${t.files} f
    left join ${t.canvases} c on c.file_id = f.id
    left join ${t.channel_members} k on k.channel_id = c.channel_id and k.user_id = ${viewer}
    where f.id = ${id} and f.filetype = 'quip'
  `;
  return canvas;
}

/** The channel's own canvas. */
export async function findChannelCanvas(
  { sql, t }: ChatSession,
  channel: string,
): Promise<{ file_id: string; is_empty: boolean } | undefined> {
  const [canvas] = await sql<{ file_id: string; is_empty: boolean }[]>`
    select c.file_id, jsonb_array_length(c.sections) = 0 as is_empty
    from ${t.canvases} c join ${t.files} f on f.id = c.file_id
    where c.channel_id = ${channel} and f.mode <> 'tombstone'
  `;
  return canvas;
}

/** Keeps other calls from changing a canvas until the caller's transaction ends. */
export async function lockCanvas({ sql, t }: ChatSession, id: string): Promise<void> {
  await sql`select from ${t.canvases} where file_id = ${id} for update`;
}

/** Creates a canvas inside the caller's transaction; false when the channel already has its own. */
export async function insertCanvas(
  session: ChatSession,
  canvas: {
    id: string;
    user: string;
    title: string;
    channel: string | null;
    sections: readonly Section[];
    size: number;
  },
): Promise<boolean> {
  const { sql, t } = session;
  if (canvas.channel !== null) await lockWorkspace(session);
  const rows = await sql`
    with made as (
      insert into ${t.canvases} (file_id, channel_id, sections)
      select ${canvas.id}, ${canvas.channel}, ${json(session, canvas.sections)}
      where not exists (select from ${t.canvases} where channel_id = ${canvas.channel}) returning file_id
    )
    insert into ${t.files} (
      id, user_id, name, title, mimetype, filetype, mode, size, public_url_shared, created_at
    )
    select file_id, ${canvas.user}, ${canvas.title}, ${canvas.title}, ${CANVAS_MIMETYPE}, 'quip', 'quip',
      ${canvas.size}, false, ${nowMicros(session)}
    from made
  `;
  return rows.count === 1;
}

export async function updateSections(
  session: ChatSession,
  id: string,
  { sections, size, user }: { sections: readonly Section[]; size: number; user: string },
): Promise<void> {
  const { sql, t } = session;
  await sql`
    with sized as (update ${t.files} set size = ${size} where id = ${id})
    update ${t.canvases} set sections = ${json(session, sections)}, updated_by = ${user},
      updated_at = ${nowMicros(session)}
    where file_id = ${id}
  `;
}

export async function renameCanvas(
  { sql, t }: ChatSession,
  id: string,
  title: string,
): Promise<void> {
  await sql`update ${t.files} set title = ${title}, name = ${title} where id = ${id}`;
}

export type Entity = {
  readonly id: string;
  readonly exists: boolean;
  readonly has_access: boolean;
};

/** For these channels and users: whether each exists (and is visible to the viewer), and has access to a file. */
export async function findEntities(
  session: ChatSession,
  viewer: string,
  file: string,
  { channels, users }: { channels: readonly string[]; users: readonly string[] },
): Promise<Entity[]> {
  const { sql, t } = session;
  return await sql<Entity[]>`
    select w.id, coalesce(c.id, u.id) is not null as exists, a.file_id is not null as has_access
    from (
      select unnest(${[...channels]}::text[]) as id, true as is_channel
      union all select unnest(${[...users]}::text[]), false
    ) w
    left join (
      select c.id from ${t.channels} c
      left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
      where ${visible(session)}
    ) c on w.is_channel and c.id = w.id
    left join ${t.users} u on not w.is_channel and u.id = w.id
    left join ${t.file_access} a on a.file_id = ${file} and a.entity_id = w.id
  `;
}

export async function setAccess(
  session: ChatSession,
  file: string,
  entities: readonly string[],
  level: string,
): Promise<void> {
  await session.transaction(async (inside) => {
    const { sql, t } = inside;
    await lockWorkspace(inside);
    await sql`
      with given as (select distinct e as id from unnest(${[...entities]}::text[]) e), changed as (
        update ${t.file_access} a set access_level = ${level} from given
        where a.file_id = ${file} and a.entity_id = given.id and a.access_level <> ${level}
      )
      insert into ${t.file_access} (file_id, entity_id, access_level)
      select ${file}, id, ${level} from given
      where not exists (select from ${t.file_access} a where a.file_id = ${file} and a.entity_id = given.id)
    `;
  });
}

export async function deleteAccess(
  { sql, t }: ChatSession,
  file: string,
  entities: readonly string[],
): Promise<void> {
  await sql`
    delete from ${t.file_access} where file_id = ${file} and entity_id = any(${[...entities]})
  `;
}
