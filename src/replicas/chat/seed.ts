/** Seeds of the chat service: validated, then written table by table. */

import type { Tx } from "~/db/connect";
import type { Tables } from "~/db/session";
import { valueWithoutAliases } from "~/input/aliases";
import { seedRows } from "~/replicas/chat/seed-rows";
import { ChatSeed } from "~/replicas/chat/seed-shape";
import { insertRows } from "~/replicas/kit/seed";
import { requireShape } from "~/replicas/kit/seed-mistakes";

export async function seedChat(tx: Tx, t: Tables, seed: unknown): Promise<readonly string[]> {
  requireShape(ChatSeed, seed);
  const { aliases = {}, ...content } = seed as ChatSeed;
  const present = valueWithoutAliases(content, new Map(Object.entries(aliases)));
  for (const [table, rows] of Object.entries(seedRows({ ...present, aliases })))
    await insertRows(tx, t, table, rows);
  return [];
}
