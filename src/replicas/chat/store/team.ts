import type { ChatSession } from "~/replicas/chat/method";
import type { Json } from "~/replicas/chat/store/json";
import type { Rows } from "~/replicas/chat/store/rows";

export type TeamRow = Omit<Rows["teams"], "profile"> & {
  readonly profile: { readonly fields: readonly Json[]; readonly sections: readonly Json[] };
};

/** Serializes changes that must keep something unique without an index, until the transaction ends. */
export const lockWorkspace = async ({ sql, t }: ChatSession): Promise<void> => {
  await sql`select from ${t.teams} for update`;
};

/** The workspace of the environment. */
export async function findTeam({ sql, t }: ChatSession): Promise<TeamRow> {
  const [team] = await sql<TeamRow[]>`select * from ${t.teams} limit 1`;
  if (!team) throw new Error("the environment has no workspace");
  return team;
}
