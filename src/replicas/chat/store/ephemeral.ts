import type { ChatSession } from "~/replicas/chat/method";
import { asTs, nowMicros } from "~/replicas/chat/store/clock";
import { type Json, json } from "~/replicas/chat/store/json";

/** Stores a message that only `user` sees. Returns its timestamp, which is unique in the channel. */
export async function insertEphemeral(
  session: ChatSession,
  message: {
    channel: string;
    user: string;
    author: string;
    text: string;
    threadTs: string | null;
    username: string | null;
    icons: Json | null;
    blocks: readonly Json[] | null;
    attachments: readonly Json[] | null;
  },
): Promise<string> {
  const { sql, t } = session;
  const m = message;
  const micros = sql`greatest(${nowMicros(session)}, (
    select replace(max(message_ts), '.', '')::bigint + 1 from ${t.ephemeral_messages} where channel_id = ${m.channel}
  ))`;
  const [row] = await sql<{ ts: string }[]>`
    insert into ${t.ephemeral_messages} (
      channel_id, message_ts, user_id, author_id, text, thread_ts, username, icons, blocks, attachments
    )
    values (
      ${m.channel}, ${asTs(session, micros)}, ${m.user}, ${m.author}, ${m.text}, ${m.threadTs}, ${m.username},
      ${json(session, m.icons)}, ${json(session, m.blocks)}, ${json(session, m.attachments)}
    )
    returning message_ts as ts
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.ts;
}
