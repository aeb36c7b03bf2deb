import type { ChatSession } from "~/replicas/chat/method";

type EmojiRow = { readonly name: string; readonly url: string };

/** The workspace's own emoji, by name. */
export async function listEmoji({ sql, t }: ChatSession): Promise<EmojiRow[]> {
  return await sql<EmojiRow[]>`select name, url from ${t.emoji} order by name`;
}

export async function hasEmoji({ sql, t }: ChatSession, name: string): Promise<boolean> {
  const rows = await sql`select from ${t.emoji} where name = ${name}`;
  return rows.length > 0;
}
