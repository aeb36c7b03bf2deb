import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";

export type UsergroupRow = {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
  readonly description: string;
  readonly prefs: { readonly channels: readonly string[]; readonly groups: readonly string[] };
  readonly date_create: number;
  readonly date_update: number;
  readonly date_delete: number;
  readonly created_by: string;
  readonly updated_by: string;
  readonly deleted_by: string | null;
  readonly team_id: string;
  readonly users: readonly string[];
};

/** A group `g` with its team and its users. */
const usergroupColumns = ({ sql, t }: ChatSession): Fragment => sql`
  g.*, (select id from ${t.teams} limit 1) as team_id,
  array(select user_id from ${t.usergroup_users} where usergroup_id = g.id order by user_id) as users
`;

export async function listUsergroups(
  session: ChatSession,
  withDisabled: boolean,
): Promise<UsergroupRow[]> {
  const { sql, t } = session;
  return await sql<UsergroupRow[]>`
    select ${usergroupColumns(session)} from ${t.usergroups} g
    where ${withDisabled} or g.date_delete = 0 order by g.name
  `;
}

export async function findUsergroup(
  session: ChatSession,
  id: string,
): Promise<UsergroupRow | undefined> {
  const { sql, t } = session;
  const [group] = await sql<UsergroupRow[]>`
    select ${usergroupColumns(session)} from ${t.usergroups} g where g.id = ${id}
  `;
  return group;
}
