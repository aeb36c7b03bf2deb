/** Values that methods only store and read back. */
import type { ChatSession } from "~/replicas/chat/method";
import { type Json, json } from "~/replicas/chat/store/json";

type RecordRow = { readonly id: string; readonly data: Json };

export async function findRecord(
  { sql, t }: ChatSession,
  type: string,
  id: string,
): Promise<Json | undefined> {
  const [record] = await sql<RecordRow[]>`
    select id, data from ${t.records} where type = ${type} and id = ${id}
  `;
  return record?.data;
}

/** By id. */
export async function listRecords(
  { sql, t }: ChatSession,
  type: string,
  idPrefix = "",
): Promise<RecordRow[]> {
  return await sql<RecordRow[]>`
    select id, data from ${t.records} where type = ${type} and starts_with(id, ${idPrefix}) order by id
  `;
}

/** Merges these fields into a record; a null field is removed. */
export async function mergeRecord(
  session: ChatSession,
  type: string,
  id: string,
  data: Json,
): Promise<void> {
  const { sql, t } = session;
  await sql`
    insert into ${t.records} as r (type, id, data)
    values (${type}, ${id}, jsonb_strip_nulls(${json(session, data)}))
    on conflict (type, id) do update set data = jsonb_strip_nulls(r.data || ${json(session, data)}::jsonb)
  `;
}

/** Returns false when there is no such record. */
export async function deleteRecord(
  { sql, t }: ChatSession,
  type: string,
  id: string,
): Promise<boolean> {
  const rows = await sql`delete from ${t.records} where type = ${type} and id = ${id}`;
  return rows.count === 1;
}
