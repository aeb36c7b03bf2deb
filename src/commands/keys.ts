/** `diorama keys list`. */
import { table } from "~/commands/table";
import type { KeyRow } from "~/platform/keys/store";

const HEADS = ["Key id", "User", "Plan", "Created", "Expires", "State", "Name"];

export const keyTable = (keys: readonly KeyRow[]): string[] =>
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
