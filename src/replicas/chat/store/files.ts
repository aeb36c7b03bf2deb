/** Files and where they are shared. Their bytes are in `contents.ts`. */

import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros } from "~/replicas/chat/store/clock";
import { memberOf, messageAt } from "~/replicas/chat/store/lookup";
import type { Rows } from "~/replicas/chat/store/rows";

export type Share = {
  readonly channel_id: string;
  readonly channel_name: string | null;
  readonly is_private: boolean;
  readonly is_im: boolean;
  readonly ts: string;
  readonly thread_ts: string | null;
  readonly user_id: string;
};

/** A file as one user sees it. */
export type FileRow = Omit<Rows["files"], "created_at"> & {
  readonly created_at: string | number;
  readonly team_id: string;
  readonly team_url: string;
  readonly is_starred: boolean;
  readonly shares: readonly Share[];
  /** Of a canvas that was changed. */
  readonly edited: { readonly by: string; readonly at: number } | null;
};

/** The columns of a FileRow of the file `f`. Shares in conversations that the viewer cannot see are left out. */
export function fileColumns(session: ChatSession, viewer: string): Fragment {
  const { sql, t } = session;
  return sql`
    f.*, (select id from ${t.teams} limit 1) as team_id, (select url from ${t.teams} limit 1) as team_url,
    case when f.mode = 'quip' then (
      select json_build_object('by', e.updated_by, 'at', e.updated_at) from ${t.canvases} e
      where e.file_id = f.id and e.updated_at is not null
    ) end as edited,
    exists (select from ${t.stars} z where z.user_id = ${viewer} and z.file_id = f.id) as is_starred,
    coalesce((
      select json_agg(json_build_object(
        'channel_id', c.id, 'channel_name', c.name, 'is_private', c.is_private, 'is_im', c.is_im,
        'ts', s.ts, 'thread_ts', m.thread_ts, 'user_id', m.user_id
      ) order by s.ts, c.id)
      from ${t.file_shares} s
      join ${t.channels} c on c.id = s.channel_id
      join ${messageAt(session, sql`s.channel_id`, sql`s.ts`)} m on true
      left join ${memberOf(session, sql`c.id`, viewer)} k on true
      where s.file_id = f.id and (not c.is_private or k.user_id is not null)
    ), '[]') as shares
  `;
}

/** Whether the viewer owns the file `f`, has access to it, or is in a conversation that shares it. */
export function fileVisible(session: ChatSession, viewer: string): Fragment {
  const { sql, t } = session;
  return sql`(
  f.user_id = ${viewer}
  or exists (
    select from ${t.file_shares} s
    join ${t.channels} c on c.id = s.channel_id
    left join ${memberOf(session, sql`c.id`, viewer)} k on true
    where s.file_id = f.id and (not c.is_private or k.user_id is not null)
  )
  or exists (
    select from (
      select entity_id from ${t.file_access} where file_id = f.id
      union all select channel_id from ${t.canvases} where file_id = f.id
    ) a
    left join ${memberOf(session, sql`a.entity_id`, viewer)} k on true
    where a.entity_id = ${viewer} or k.user_id is not null
  )
)`;
}

/** A file, whether or not the viewer may see it. */
export async function findFile(
  session: ChatSession,
  viewer: string,
  id: string,
): Promise<(FileRow & { readonly is_visible: boolean }) | undefined> {
  const { sql, t } = session;
  const [file] = await sql<(FileRow & { is_visible: boolean })[]>`
    select ${fileColumns(session, viewer)}, ${fileVisible(session, viewer)} as is_visible
    from ${t.files} f where f.id = ${id}
  `;
  return file;
}

/** How many of these the viewer can see, without deleted files and incomplete uploads. */
export async function countVisibleFiles(
  session: ChatSession,
  viewer: string,
  ids: readonly string[],
): Promise<number> {
  const { sql, t } = session;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${t.files} f
    where f.id = any(${[...ids]}) and f.mode <> 'tombstone' and f.upload_token is null
      and ${fileVisible(session, viewer)}
  `;
  return row?.count ?? 0;
}

type FileFilter = {
  readonly user: string | null;
  readonly channel: string | null;
  /** Seconds. */
  readonly from: number;
  readonly to: number;
  readonly filetypes: readonly string[] | null;
  readonly modes: readonly string[] | null;
};

/** A page of the files that the viewer can see, newest first, with their total count. */
export async function listFiles(
  session: ChatSession,
  viewer: string,
  filter: FileFilter,
  page: { limit: number; offset: number },
): Promise<{ files: FileRow[]; total: number }> {
  const { sql, t } = session;
  const rows = await sql<(FileRow & { total: number })[]>`
    select ${fileColumns(session, viewer)}, f.total from (
      select f.*, count(*) over ()::int as total from ${t.files} f
      where f.mode not in ('tombstone', 'external') and f.upload_token is null
        and f.user_id = coalesce(${filter.user}, f.user_id)
        and (${filter.channel}::text is null or exists (
          select from ${t.file_shares} s where s.file_id = f.id and s.channel_id = ${filter.channel}
        ))
        and f.created_at >= ${filter.from}::bigint * 1000000 and f.created_at < (${filter.to}::bigint + 1) * 1000000
        and (${filter.filetypes === null && filter.modes === null} or f.filetype = any(${[...(filter.filetypes ?? [])]})
          or f.mode = any(${[...(filter.modes ?? [])]}))
        and ${fileVisible(session, viewer)}
      order by f.created_at desc, f.id limit ${page.limit} offset ${page.offset}
    ) f order by f.created_at desc, f.id
  `;
  return { files: rows, total: rows[0]?.total ?? 0 };
}

type NewFile = Omit<
  Rows["files"],
  "external_id" | "external_url" | "preview" | "lines" | "public_url_shared" | "created_at"
>;

/** Announces a file. Returns false when it would exceed the workspace's storage. */
export async function insertFile(
  session: ChatSession,
  file: NewFile,
  storageMax: number,
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    insert into ${t.files} (
      id, user_id, name, title, mimetype, filetype, mode, size, alt_txt, public_url_shared, upload_token, created_at
    )
    select ${file.id}, ${file.user_id}, ${file.name}, ${file.title}, ${file.mimetype}, ${file.filetype}, ${file.mode},
      ${file.size}, ${file.alt_txt}, false, ${file.upload_token}, ${nowMicros(session)}
    where ${file.size} + coalesce((select sum(size) from ${t.files} where mode <> 'tombstone'), 0) <= ${storageMax}
  `;
  return rows.count === 1;
}

type UploadState = {
  readonly id: string;
  readonly is_own: boolean;
  readonly is_uploaded: boolean;
  readonly is_complete: boolean;
};

/** The upload states of the announced files among `ids`. */
export async function listUploads(
  { sql, t }: ChatSession,
  viewer: string,
  ids: readonly string[],
): Promise<UploadState[]> {
  return await sql<UploadState[]>`
    select f.id, f.user_id = ${viewer} as is_own, c.file_id is not null as is_uploaded,
      f.upload_token is null as is_complete
    from ${t.files} f left join ${t.file_contents} c on c.file_id = f.id
    where f.id = any(${[...ids]})
  `;
}

/** Completes uploads: closes their addresses, and sets the given titles. */
export async function completeUploads(
  { sql, t }: ChatSession,
  files: readonly { id: string; title: string | null }[],
): Promise<void> {
  await sql`
    update ${t.files} f set upload_token = null, title = coalesce(given.title, f.title)
    from unnest(${files.map(({ id }) => id)}::text[], ${files.map(({ title }) => title)}::text[]) as given (id, title)
    where f.id = given.id
  `;
}

export async function shareFiles(
  { sql, t }: ChatSession,
  ids: readonly string[],
  channel: string,
  ts: string,
): Promise<void> {
  await sql`
    insert into ${t.file_shares} (file_id, channel_id, ts, place)
    select f.id, ${channel}, ${ts}, f.place from unnest(${[...ids]}::text[]) with ordinality as f (id, place)
  `;
}

/** These files, in the order given. */
export async function findFiles(
  session: ChatSession,
  viewer: string,
  ids: readonly string[],
): Promise<FileRow[]> {
  const { sql, t } = session;
  return await sql<FileRow[]>`
    select ${fileColumns(session, viewer)}
    from unnest(${[...ids]}::text[]) with ordinality as w (id, place) join ${t.files} f on f.id = w.id
    order by w.place
  `;
}

export async function setPublicUrl(
  { sql, t }: ChatSession,
  id: string,
  shared: boolean,
): Promise<void> {
  await sql`
    update ${t.files} set public_url_shared = ${shared} where id = ${id} and public_url_shared <> ${shared}
  `;
}

/** Deletes a file. Only its place in messages remains. */
export async function buryFile({ sql, t }: ChatSession, id: string): Promise<void> {
  await sql`
    with contents as (delete from ${t.file_contents} where file_id = ${id}),
      canvas as (delete from ${t.canvases} where file_id = ${id}),
      access as (delete from ${t.file_access} where file_id = ${id}),
      stars as (delete from ${t.stars} where file_id = ${id})
    update ${t.files} set mode = 'tombstone', preview = null, lines = null, public_url_shared = false,
      external_id = null, external_url = null
    where id = ${id}
  `;
}
