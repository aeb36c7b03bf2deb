import type { ChatSession } from "~/replicas/chat/method";
import { asTs, nowMicros } from "~/replicas/chat/store/clock";
import { type Json, json } from "~/replicas/chat/store/json";

type Ephemeral = {
  readonly author_id: string;
  readonly thread_ts: string | null;
  readonly blocks: readonly Json[] | null;
  readonly attachments: readonly Json[] | null;
};

type EphemeralPlace = { readonly channel: string; readonly ts: string; readonly user: string };

/** A message that only `user` sees. */
export async function findEphemeral(
  { sql, t }: ChatSession,
  { channel, ts, user }: EphemeralPlace,
): Promise<Ephemeral | undefined> {
  const [found] = await sql<Ephemeral[]>`
    select author_id, thread_ts, blocks, attachments from ${t.ephemeral_messages}
    where channel_id = ${channel} and message_ts = ${ts} and user_id = ${user}
  `;
  return found;
}

type EphemeralContent = Pick<NewEphemeral, "text" | "blocks" | "attachments">;

/** Replaces the content of a message that only `user` sees. Returns false if there is none. */
export async function updateEphemeral(
  session: ChatSession,
  { channel, ts, user }: EphemeralPlace,
  { text, blocks, attachments }: EphemeralContent,
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    update ${t.ephemeral_messages}
    set text = ${text}, blocks = ${json(session, blocks)}, attachments = ${json(session, attachments)}
    where channel_id = ${channel} and message_ts = ${ts} and user_id = ${user}
  `;
  return rows.count === 1;
}

/** Returns false if there is none. */
export async function deleteEphemeral(
  { sql, t }: ChatSession,
  { channel, ts, user }: EphemeralPlace,
): Promise<boolean> {
  const rows = await sql`
    delete from ${t.ephemeral_messages}
    where channel_id = ${channel} and message_ts = ${ts} and user_id = ${user}
  `;
  return rows.count === 1;
}

type NewEphemeral = {
  readonly channel: string;
  readonly user: string;
  readonly author: string;
  readonly text: string;
  readonly threadTs: string | null;
  readonly username: string | null;
  readonly icons: Json | null;
  readonly blocks: readonly Json[] | null;
  readonly attachments: readonly Json[] | null;
};

/** Stores a message that only `user` sees. Returns its timestamp, which is unique in the channel. */
export async function insertEphemeral(
  session: ChatSession,
  { channel, user, author, text, threadTs, username, icons, blocks, attachments }: NewEphemeral,
): Promise<string> {
  const { sql, t } = session;
  const micros = sql`greatest(${nowMicros(session)}, (
    select replace(max(message_ts), '.', '')::bigint + 1 from ${t.ephemeral_messages} where channel_id = ${channel}
  ))`;
  const [row] = await sql<{ ts: string }[]>`
    insert into ${t.ephemeral_messages} (
      channel_id, message_ts, user_id, author_id, text, thread_ts, username, icons, blocks, attachments
    )
    values (
      ${channel}, ${asTs(session, micros)}, ${user}, ${author}, ${text}, ${threadTs}, ${username},
      ${json(session, icons)}, ${json(session, blocks)}, ${json(session, attachments)}
    )
    returning message_ts as ts
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.ts;
}
