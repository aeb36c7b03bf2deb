/** Seeds of the chat service: validated, then written table by table. */
import { valueWithoutAliases } from "~/aliases";
import type { Tx } from "~/db/connect";
import type { Tables } from "~/db/session";
import { ChatSeed } from "~/replicas/chat/seed-model";
import { seedRows } from "~/replicas/chat/seed-rows";
import { requireShape } from "~/replicas/seed-mistakes";

export async function seedChat(tx: Tx, t: Tables, seed: unknown): Promise<readonly string[]> {
  requireShape(ChatSeed, seed);
  const { aliases = {}, ...content } = seed as ChatSeed;
  const present = valueWithoutAliases(content, new Map(Object.entries(aliases)));
  // Rows as JSON: Postgres knows the type of every column, and a missing column is null.
  for (const [table, rows] of Object.entries(seedRows({ ...present, aliases })))
    if (rows.length > 0)
      await tx`
        insert into ${t[table] as never}
        select * from jsonb_populate_recordset(null::${t[table] as never}, ${tx.json(rows as never)})
      `;
  return [];
}
