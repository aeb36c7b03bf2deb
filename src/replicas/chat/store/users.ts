import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";

export type Profile = { readonly [field: string]: unknown };

export type UserRow = {
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly deleted: boolean;
  readonly color: string;
  readonly real_name: string;
  readonly tz: string;
  readonly locale: string;
  readonly profile: Profile;
  readonly is_admin: boolean;
  readonly is_owner: boolean;
  readonly is_primary_owner: boolean;
  readonly is_restricted: boolean;
  readonly is_ultra_restricted: boolean;
  readonly is_bot: boolean;
  readonly bot_id: string | null;
  readonly app_id: string | null;
  readonly updated: number;
  /** Where pictures would be. */
  readonly avatar_base: string;
};

/** A user `u` with what views need of the team. */
const userColumns = ({ sql, t }: ChatSession): Fragment =>
  sql`u.*, (select url || 'avatars' from ${t.teams} limit 1) as avatar_base`;

export async function findUser(session: ChatSession, id: string): Promise<UserRow | undefined> {
  const { sql, t } = session;
  const [user] = await sql<UserRow[]>`
    select ${userColumns(session)} from ${t.users} u where u.id = ${id}
  `;
  return user;
}

/** A page of users in the order of their ids, one more than asked for when there is another page. */
export async function listUsers(
  session: ChatSession,
  page: { after: string; limit: number | undefined },
): Promise<UserRow[]> {
  const { sql, t } = session;
  return await sql<UserRow[]>`
    select ${userColumns(session)} from ${t.users} u
    where u.id > ${page.after} order by u.id limit ${page.limit === undefined ? null : page.limit + 1}
  `;
}

export type TeamRow = {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly email_domain: string;
  readonly url: string;
};

/** The acting user with their team. Undefined when the environment has no such user. */
export async function findActor(
  session: ChatSession,
  id: string,
): Promise<{ user: UserRow; team: TeamRow } | undefined> {
  const { sql, t } = session;
  const [row] = await sql<{ user: UserRow; team: TeamRow }[]>`
    select to_json(t) as team, to_jsonb(u) || jsonb_build_object('avatar_base', t.url || 'avatars') as user
    from ${t.users} u join ${t.teams} t on t.id = u.team_id where u.id = ${id}
  `;
  return row;
}
