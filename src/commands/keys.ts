/** `diorama keys`: manages keys in the database, with or without a running server. */
import { type Environment, UsageError } from "~/commands/client";
import { withDatabase } from "~/commands/database";
import { table } from "~/commands/table";
import type { Pool } from "~/db/connect";
import { migrate } from "~/db/migrate";
import { notice, print } from "~/log";
import { createKey, type NewKey } from "~/platform/keys/keys";
import { type KeyRow, listKeys, revokeKey } from "~/platform/keys/store";

export const PLANS = ["free", "pro", "enterprise"] as const;

export const keys = (env: Environment) => ({
  create: (key: NewKey) =>
    onKeys(env, async (pool) => {
      const made = await createKey(pool, key);
      notice(`key ${made.keyId} of ${key.userId}; it cannot be shown again:`);
      print(made.key);
    }),

  list: () =>
    onKeys(env, async (pool) => {
      for (const line of keyTable(await listKeys(pool))) print(line);
    }),

  revoke: (keyId: string) =>
    onKeys(env, async (pool) => {
      if (!(await revokeKey(pool, keyId))) throw new UsageError(`there is no key ${keyId}`);
      notice(`key ${keyId} is revoked`);
    }),
});

const onKeys = (env: Environment, work: (pool: Pool) => Promise<void>) =>
  withDatabase(env, "keys", async (pool) => {
    await migrate(pool);
    await work(pool);
  });

const HEADS = ["Key id", "User", "Plan", "Created", "Expires", "State", "Name"];

const keyTable = (keys: readonly KeyRow[]): string[] =>
  table(
    HEADS,
    keys.map((key) => [
      key.keyId,
      key.userId,
      key.plan,
      key.createdAt.toISOString(),
      key.expiresAt?.toISOString() ?? "never",
      stateOf(key),
      key.name,
    ]),
  );

function stateOf({ usable, revokedAt }: KeyRow): "usable" | "revoked" | "expired" {
  if (usable) return "usable";
  return revokedAt ? "revoked" : "expired";
}
