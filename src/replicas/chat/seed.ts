/** Seeds of the chat service: validated, then written table by table. */
import { Value } from "@sinclair/typebox/value";
import type { Tx } from "~/db/connect";
import type { Tables } from "~/db/session";
import { ChatSeed } from "~/replicas/chat/seed-model";
import { seedRows } from "~/replicas/chat/seed-rows";
import { SeedError, seedPath } from "~/replicas/replica";

export async function seedChat(tx: Tx, t: Tables, seed: unknown): Promise<readonly string[]> {
  const first = Value.Errors(ChatSeed, seed).First();
  if (first) throw new SeedError(seedPath(first.path), problem(first));
  // Rows as JSON: Postgres knows the type of every column, and a column that is not named is null.
  for (const [table, rows] of Object.entries(seedRows(seed as ChatSeed)))
    if (rows.length > 0)
      await tx`
        insert into ${t[table] as never}
        select * from jsonb_populate_recordset(null::${t[table] as never}, ${tx.json(rows as never)})
      `;
  return [];
}

/** What was expected, in the words of the shape where it has some: a pattern tells nobody anything. */
const problem = ({ message, schema }: { message: string; schema: { description?: string } }) =>
  schema.description === undefined ? message : `expected ${schema.description}`;
