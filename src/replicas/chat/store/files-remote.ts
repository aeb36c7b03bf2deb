/** Remote files: an address, and the app's description of it. */
import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros } from "~/replicas/chat/store/clock";
import { type FileRow, fileColumns, fileVisible } from "~/replicas/chat/store/files";
import { lockWorkspace } from "~/replicas/chat/store/team";

type RemoteFile = {
  readonly id: string;
  readonly user: string;
  readonly externalId: string;
  readonly url: string;
  readonly title: string;
  readonly filetype: string;
  readonly mimetype: string;
};

/** Inserts a file inside the caller's transaction. False when the external id belongs to another one. */
export async function insertRemote(
  session: ChatSession,
  { id, user, externalId, url, title, filetype, mimetype }: RemoteFile,
): Promise<boolean> {
  const { sql, t } = session;
  await lockWorkspace(session);
  const rows = await sql`
    insert into ${t.files} (
      id, user_id, name, title, mimetype, filetype, mode, size, external_id, external_url, public_url_shared, created_at
    )
    select ${id}, ${user}, ${title}, ${title}, ${mimetype}, ${filetype}, 'external', 0, ${externalId},
      ${url}, false, ${nowMicros(session)}
    where not exists (select from ${t.files} where external_id = ${externalId})
  `;
  return rows.count === 1;
}

/** Changes the given columns. */
export async function updateRemote(
  { sql, t }: ChatSession,
  id: string,
  change: {
    title: string | null;
    url: string | null;
    filetype: string | null;
    mimetype: string | null;
  },
): Promise<void> {
  await sql`
    update ${t.files} set title = coalesce(${change.title}, title), name = coalesce(${change.title}, name),
      external_url = coalesce(${change.url}, external_url), filetype = coalesce(${change.filetype}, filetype),
      mimetype = coalesce(${change.mimetype}, mimetype)
    where id = ${id}
  `;
}

/** Sets the preview of a file and its text for search; missing values stay. */
export async function putRemoteContent(
  { sql, t }: ChatSession,
  id: string,
  { preview, text }: { preview: Uint8Array | undefined; text: string | undefined },
): Promise<void> {
  const bytes = preview && Buffer.from(preview);
  await sql`
    insert into ${t.file_contents} as stored (file_id, content, plain_text)
    values (${id}, ${bytes ?? Buffer.alloc(0)}, ${text ?? null})
    on conflict (file_id) do update set
      content = case when ${bytes !== undefined} then excluded.content else stored.content end,
      plain_text = coalesce(excluded.plain_text, stored.plain_text)
  `;
}

/** The id of the file with this external id. */
export async function findByExternalId(
  { sql, t }: ChatSession,
  externalId: string,
): Promise<string | undefined> {
  const [file] = await sql<{ id: string }[]>`
    select id from ${t.files} where external_id = ${externalId}
  `;
  return file?.id;
}

/** A page of the files that the viewer can see, newest first, with one extra row when there is another page. */
export async function listRemote(
  session: ChatSession,
  viewer: string,
  wanted: { channel: string | null; from: number; to: number; offset: number; limit: number },
): Promise<FileRow[]> {
  const { sql, t } = session;
  return await sql<FileRow[]>`
    select ${fileColumns(session, viewer)} from ${t.files} f
    where f.mode = 'external' and ${fileVisible(session, viewer)}
      and f.created_at >= ${wanted.from}::bigint * 1000000 and f.created_at < (${wanted.to}::bigint + 1) * 1000000
      and (${wanted.channel}::text is null or exists (
        select from ${t.file_shares} s where s.file_id = f.id and s.channel_id = ${wanted.channel}
      ))
    order by f.created_at desc, f.id limit ${wanted.limit + 1} offset ${wanted.offset}
  `;
}
