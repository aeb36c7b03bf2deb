import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros } from "~/replicas/chat/store/clock";

/** Keeps one draft for each conversation and thread of a user. Returns false when it replaces the text of one. */
export async function saveDraft(
  session: ChatSession,
  draft: { id: string; user: string; channel: string; threadTs: string; text: string },
): Promise<boolean> {
  const { sql, t } = session;
  const [saved] = await sql<{ id: string }[]>`
    insert into ${t.drafts} (id, user_id, channel_id, thread_ts, text, created_at)
    values (${draft.id}, ${draft.user}, ${draft.channel}, ${draft.threadTs}, ${draft.text}, ${nowMicros(session)})
    on conflict (user_id, channel_id, thread_ts) do update set text = excluded.text returning id
  `;
  return saved?.id === draft.id;
}

export async function deleteDraft(
  { sql, t }: ChatSession,
  user: string,
  id: string,
): Promise<void> {
  await sql`delete from ${t.drafts} where id = ${id} and user_id = ${user}`;
}
