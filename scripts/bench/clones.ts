/** Schemas of a template that are used and recycled. */
import type { Blueprint } from "~/db/blueprint";
import { inTransaction, type Pool } from "~/db/connect";
import { refreshClone } from "~/db/recycling";
import type { Built } from "~/db/schemas";
import { timed } from "./measure";

export type Clone = { readonly schema: string; readonly built: Built };

/** Recycles a used schema. Returns it as it is then, and how long it took. */
export async function recycled(sql: Pool, of: Blueprint, { schema, built }: Clone) {
  let fresh: Built | undefined;
  const took = await timed(async () => {
    fresh = await inTransaction(sql, (tx) => refreshClone(tx, of, { schema, ...built }));
  });
  if (!fresh) throw new Error("the schema could not be refreshed");
  return { took, clone: { schema, built: fresh } };
}
