/** Files that clients upload. */
import type { StoredFile } from "~/replicas/kit/stored-file";
import type { Rows } from "~/replicas/tracker/store/rows";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

type NewUpload = Omit<Rows["uploads"], "content">;
export type Announced = Pick<NewUpload, "contentType" | "size">;

export async function insertUpload({ sql, t }: TrackerSession, upload: NewUpload): Promise<void> {
  await sql`insert into ${t.uploads} ${sql(upload)}`;
}

/** The pending file of this address. */
export async function findAnnounced(
  { sql, t }: TrackerSession,
  id: string,
  signature: string,
): Promise<Announced | undefined> {
  const [row] = await sql<Announced[]>`
    select "contentType", size from ${t.uploads} where id = ${id} and signature = ${signature}
  `;
  return row;
}

/** Stores the bytes; the address accepts no more. */
export async function putUpload(
  { sql, t }: TrackerSession,
  id: string,
  content: Uint8Array,
): Promise<void> {
  await sql`
    update ${t.uploads} set content = ${Buffer.from(content)}, signature = null where id = ${id}
  `;
}

export async function findUploaded(
  { sql, t }: TrackerSession,
  id: string,
): Promise<StoredFile | undefined> {
  const [row] = await sql<StoredFile[]>`
    select filename as name, "contentType" as mimetype, content from ${t.uploads}
    where id = ${id} and content is not null
  `;
  return row;
}
