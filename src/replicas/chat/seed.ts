/** Seeds of the chat service: validated, then written table by table. */
import { Value } from "@sinclair/typebox/value";
import type { Tx } from "~/db/connect";
import type { Tables } from "~/db/session";
import { ChatSeed } from "~/replicas/chat/seed-model";
import { seedRows } from "~/replicas/chat/seed-rows";
import { SeedError, seedPath } from "~/replicas/replica";
import { findMisfit } from "~/shape";

export async function seedChat(tx: Tx, t: Tables, seed: unknown): Promise<readonly string[]> {
  const misfit = findMisfit(ChatSeed, seed);
  if (misfit) throw new SeedError(misfit.path, misfit.problem);
  const first = Value.Errors(ChatSeed, seed).First();
  if (first) throw new SeedError(seedPath(first.path), problem(first));
  // Rows as JSON: Postgres knows the type of every column, and a missing column is null.
  for (const [table, rows] of Object.entries(seedRows(seed as ChatSeed)))
    if (rows.length > 0)
      await tx`
        insert into ${t[table] as never}
        select * from jsonb_populate_recordset(null::${t[table] as never}, ${tx.json(rows as never)})
      `;
  return [];
}

/** Describes the expected value by the shape's description if it has one, which is clearer than a pattern. */
const problem = ({ message, schema }: { message: string; schema: { description?: string } }) =>
  schema.description === undefined ? message : `expected ${schema.description}`;
