import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros } from "~/replicas/chat/store/clock";
import { lockWorkspace } from "~/replicas/chat/store/team";

/** Keeps one draft for each conversation and thread of a user. Returns false when it replaces the text of one. */
export async function saveDraft(
  session: ChatSession,
  draft: { id: string; user: string; channel: string; threadTs: string; text: string },
): Promise<boolean> {
  const { id, user, channel, threadTs, text } = draft;
  return await session.transaction(async (inside) => {
    const { sql, t } = inside;
    await lockWorkspace(inside);
    const kept = await sql`
      update ${t.drafts} set text = ${text}
      where user_id = ${user} and channel_id = ${channel} and thread_ts = ${threadTs}
    `;
    if (kept.count > 0) return false;
    await sql`
      insert into ${t.drafts} (id, user_id, channel_id, thread_ts, text, created_at)
      values (${id}, ${user}, ${channel}, ${threadTs}, ${text}, ${nowMicros(inside)})
    `;
    return true;
  });
}

export async function deleteDraft(
  { sql, t }: ChatSession,
  user: string,
  id: string,
): Promise<void> {
  await sql`delete from ${t.drafts} where id = ${id} and user_id = ${user}`;
}
