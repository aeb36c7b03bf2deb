/** Editing and deleting messages. */
import type { ChatSession } from "~/replicas/chat/method";
import { nowSeconds } from "~/replicas/chat/store/clock";
import { type Json, json } from "~/replicas/chat/store/json";

export type Edit = {
  readonly text: string | undefined;
  readonly blocks: readonly Json[] | null | undefined;
  readonly attachments: readonly Json[] | null | undefined;
  readonly metadata: Json | null | undefined;
  readonly broadcast: boolean;
};

/** Changes the given columns and keeps the rest. `undefined`: not given. A new text sets the edited mark. */
export async function updateMessage(
  session: ChatSession,
  channel: string,
  ts: string,
  editor: string,
  edit: Edit,
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    update ${t.messages} set
      text = coalesce(${edit.text ?? null}, text),
      blocks = case when ${edit.blocks !== undefined} then ${json(session, edit.blocks)}::jsonb else blocks end,
      attachments = case when ${edit.attachments !== undefined} then ${json(session, edit.attachments)}::jsonb
        else attachments end,
      metadata = case when ${edit.metadata !== undefined} then ${json(session, edit.metadata)}::jsonb
        else metadata end,
      subtype = case when ${edit.broadcast} and thread_ts is not null then 'thread_broadcast' else subtype end,
      edited = case when ${edit.text !== undefined} then jsonb_build_object(
        'user', ${editor}::text, 'ts', ${nowSeconds(session)}::text || '.000000'
      ) else edited end
    where channel_id = ${channel} and ts = ${ts}
  `;
  return rows.count === 1;
}

/** A message that is being streamed, locked until the caller's transaction ends. */
export async function lockStream(
  { sql, t }: ChatSession,
  channel: string,
  ts: string,
): Promise<Stream | undefined> {
  const [stream] = await sql<Stream[]>`
    select user_id, text, coalesce(blocks, '[]') as blocks, extra->>'streaming_state' as state from ${t.messages}
    where channel_id = ${channel} and ts = ${ts} for update
  `;
  return stream;
}

export type Stream = {
  readonly user_id: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly state: string | null;
};

/** Writes the streamed content so far to a message, and adds to `extra`. */
export async function updateStream(
  session: ChatSession,
  channel: string,
  ts: string,
  {
    text,
    blocks,
    metadata,
    extra,
  }: Pick<Edit, "blocks" | "metadata"> & { text: string; extra: Json },
): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.messages} set text = ${text}, blocks = ${json(session, blocks?.length ? blocks : null)},
      metadata = coalesce(${json(session, metadata)}, metadata), extra = extra || ${json(session, extra)}
    where channel_id = ${channel} and ts = ${ts}
  `;
}

/** Replaces the files of a message. */
export async function replaceFiles(
  { sql, t }: ChatSession,
  channel: string,
  ts: string,
  files: readonly string[],
): Promise<void> {
  await sql`
    with removed as (
      delete from ${t.file_shares}
      where channel_id = ${channel} and ts = ${ts} and file_id <> all(${[...files]})
    )
    insert into ${t.file_shares} (file_id, channel_id, ts, place)
    select f.id, ${channel}, ${ts}, f.place from unnest(${[...files]}::text[]) with ordinality as f (id, place)
    on conflict (channel_id, ts, file_id) do update set place = excluded.place
      where ${t.file_shares}.place <> excluded.place
  `;
}

const DELETED_TEXT = "This message was deleted.";

/**
 * Removes a message with its reactions, pin, stars and shares, inside the caller's transaction. A root that has replies
 * stays as a tombstone, so that they can still be read; a tombstone is removed with its last reply.
 */
export async function deleteMessage(
  { sql, t }: ChatSession,
  channel: string,
  ts: string,
  slackbot: string,
): Promise<void> {
  // The lock blocks replies, which would lose their root.
  await sql`
    with locked as (select from ${t.channels} where id = ${channel} for no key update),
      reactions as (delete from ${t.reactions} where channel_id = ${channel} and ts = ${ts}),
      pins as (delete from ${t.pins} where channel_id = ${channel} and ts = ${ts}),
      shares as (delete from ${t.file_shares} where channel_id = ${channel} and ts = ${ts})
    delete from ${t.stars} using locked where channel_id = ${channel} and ts = ${ts}
  `;
  const buried = await sql`
    update ${t.messages} m set subtype = 'tombstone', text = ${DELETED_TEXT}, user_id = ${slackbot},
      bot_id = null, app_id = null, username = null, icons = null, blocks = null, attachments = null,
      metadata = null, edited = null, extra = null
    where m.channel_id = ${channel} and m.ts = ${ts}
      and exists (select from ${t.messages} r where r.channel_id = m.channel_id and r.thread_ts = m.ts)
  `;
  if (buried.count > 0) return;
  const [gone] = await sql<{ thread_ts: string | null }[]>`
    delete from ${t.messages} where channel_id = ${channel} and ts = ${ts} returning thread_ts
  `;
  if (!gone?.thread_ts) return;
  await sql`
    delete from ${t.messages} m where m.channel_id = ${channel} and m.ts = ${gone.thread_ts}
      and m.subtype = 'tombstone'
      and not exists (select from ${t.messages} r where r.channel_id = m.channel_id and r.thread_ts = m.ts)
  `;
}
