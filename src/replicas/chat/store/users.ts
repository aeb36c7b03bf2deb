import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { nowSeconds } from "~/replicas/chat/store/clock";
import { json } from "~/replicas/chat/store/json";
import type { Rows } from "~/replicas/chat/store/rows";
import type { TeamRow } from "~/replicas/chat/store/team";
import type { DirectoryEntry, Person } from "~/replicas/replica";

export type Profile = { readonly [field: string]: unknown };

export type UserRow = Omit<Rows["users"], "profile" | "presence"> & {
  readonly profile: Profile;
  readonly presence: "auto" | "away";
  /** Base address of pictures. */
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

/** A page of users by id, with one extra row when there is another page. */
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

export async function listPeople({ sql, t }: ChatSession, limit: number): Promise<Person[]> {
  return await sql<Person[]>`
    select id, name, profile->>'email' as email from ${t.users} where not deleted order by id limit ${limit}
  `;
}

export async function listDirectory({ sql, t }: ChatSession): Promise<DirectoryEntry[]> {
  return await sql<DirectoryEntry[]>`
    select profile->>'email' as email, real_name as name, tz as zone, not deleted as "isActive"
    from ${t.users} where profile->>'email' is not null and not is_bot order by id
  `;
}

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

/** The users among `ids` who exist. */
export async function findUsers(
  session: ChatSession,
  ids: readonly string[],
): Promise<Map<string, UserRow>> {
  const { sql, t } = session;
  const rows = await sql<UserRow[]>`
    select ${userColumns(session)} from ${t.users} u where u.id = any(${[...ids]})
    order by array_position(${[...ids]}::text[], u.id::text)
  `;
  return new Map(rows.map((user) => [user.id, user]));
}

/** An active user. The address is compared ignoring case. */
export async function findUserByEmail(
  session: ChatSession,
  email: string,
): Promise<UserRow | undefined> {
  const { sql, t } = session;
  const [user] = await sql<UserRow[]>`
    select ${userColumns(session)} from ${t.users} u
    where lower(u.profile->>'email') = lower(${email}) and not u.deleted
    order by u.id limit 1
  `;
  return user;
}

/** A bot by the id under which it posts; without one, the bot that is this user. */
export async function findBot(
  session: ChatSession,
  by: { bot: string } | { user: string },
): Promise<UserRow | undefined> {
  const { sql, t } = session;
  const [user] = await sql<UserRow[]>`
    select ${userColumns(session)} from ${t.users} u
    where u.is_bot and ${"bot" in by ? sql`u.bot_id = ${by.bot}` : sql`u.id = ${by.user}`}
  `;
  return user;
}

/** A user, and whether the viewer can see them: guests see the users with whom they share a conversation. */
export async function findUserFor(
  session: ChatSession,
  viewer: string,
  id: string,
): Promise<(UserRow & { readonly is_visible: boolean }) | undefined> {
  const { sql, t } = session;
  const [user] = await sql<(UserRow & { is_visible: boolean })[]>`
    select ${userColumns(session)}, u.id = ${viewer} or not exists (
      select from ${t.users} v where v.id = ${viewer} and (v.is_restricted or v.is_ultra_restricted)
    ) or exists (
      select from ${t.channel_members} mine join ${t.channel_members} theirs using (channel_id)
      where mine.user_id = ${viewer} and theirs.user_id = u.id
    ) as is_visible
    from ${t.users} u where u.id = ${id}
  `;
  return user;
}

type UserChange = Partial<
  Pick<UserRow, "real_name" | "profile" | "presence" | "dnd_ended_ts" | "snooze_endtime">
>;

/** Sets the given columns of a user. */
export async function updateUser(
  session: ChatSession,
  id: string,
  { profile, ...change }: UserChange,
): Promise<void> {
  const { sql, t } = session;
  const columns = { ...change, ...(profile ? { profile: json(session, profile) } : {}) };
  await sql`update ${t.users} set ${sql(columns as never)}, updated = ${nowSeconds(session)} where id = ${id}`;
}
