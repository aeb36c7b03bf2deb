import type { ChatSession } from "~/replicas/chat/method";
import type { Json } from "~/replicas/chat/store/json";

export type TeamRow = {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly email_domain: string;
  readonly url: string;
  readonly plan: string;
  readonly who_can_post_general: string;
  readonly msg_edit_window_mins: number;
  readonly allow_message_deletion: boolean;
  readonly display_real_names: boolean;
  readonly disable_file_uploads: string;
  readonly message_limit: number | null;
  readonly restrict_bots: boolean;
  readonly profile: { readonly fields: readonly Json[]; readonly sections: readonly Json[] };
};

/** The workspace of the environment. */
export async function findTeam({ sql, t }: ChatSession): Promise<TeamRow> {
  const [team] = await sql<TeamRow[]>`select * from ${t.teams} limit 1`;
  if (!team) throw new Error("the environment has no workspace");
  return team;
}
