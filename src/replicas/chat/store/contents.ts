/** The bytes of files. */
import type { ChatSession } from "~/replicas/chat/method";
import type { StoredFile } from "~/replicas/kit/stored-file";

export type Upload = {
  readonly id: string;
  readonly mimetype: string;
  readonly mode: string;
};

/** The announced file of an upload address, until its upload is complete. */
export async function findUpload(
  { sql, t }: ChatSession,
  id: string,
  token: string,
): Promise<Upload | undefined> {
  const [upload] = await sql<Upload[]>`
    select id, mimetype, mode from ${t.files} where id = ${id} and upload_token = ${token}
  `;
  return upload;
}

/** Stores uploaded bytes; a second upload to the same address replaces the first. */
export async function putContent(
  { sql, t }: ChatSession,
  id: string,
  content: {
    bytes: Uint8Array;
    mode: string;
    plainText: string | null;
    preview: string | null;
    lines: number | null;
  },
): Promise<void> {
  const bytes = Buffer.from(content.bytes);
  await sql`
    with described as (
      update ${t.files} set size = ${bytes.byteLength}, mode = ${content.mode}, preview = ${content.preview},
        lines = ${content.lines}
      where id = ${id}
    )
    insert into ${t.file_contents} (file_id, content, plain_text) values (${id}, ${bytes}, ${content.plainText})
    on conflict (file_id) do update set content = excluded.content, plain_text = excluded.plain_text
  `;
}

export async function findContent(
  { sql, t }: ChatSession,
  id: string,
): Promise<StoredFile | undefined> {
  const [found] = await sql<StoredFile[]>`
    select f.name, f.mimetype, c.content from ${t.files} f join ${t.file_contents} c on c.file_id = f.id
    where f.id = ${id}
  `;
  return found;
}

/** The text of a text file. */
export async function findPlainText(
  { sql, t }: ChatSession,
  id: string,
): Promise<string | undefined> {
  const [found] = await sql<{ plain_text: string | null }[]>`
    select plain_text from ${t.file_contents} where file_id = ${id}
  `;
  return found?.plain_text ?? undefined;
}
