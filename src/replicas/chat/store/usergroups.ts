import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { nowSeconds } from "~/replicas/chat/store/clock";
import { json } from "~/replicas/chat/store/json";
import type { Rows } from "~/replicas/chat/store/rows";

export type UsergroupRow = Omit<Rows["usergroups"], "prefs" | "users"> & {
  readonly prefs: { readonly channels: readonly string[]; readonly groups: readonly string[] };
  readonly team_id: string;
  readonly users: readonly string[];
};

/** A group `g` with its team. */
const usergroupColumns = ({ sql, t }: ChatSession): Fragment =>
  sql`g.*, (select id from ${t.teams} limit 1) as team_id`;

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

/** The name or handle that is taken; undefined when neither is. Users and channels share the handles. */
export async function findTaken(
  { sql, t }: ChatSession,
  group: { id: string; name: string | null; handle: string | null },
): Promise<"name" | "handle" | undefined> {
  const { id, name, handle } = group;
  const [found] = await sql<{ name: boolean; handle: boolean }[]>`
    select exists (select from ${t.usergroups} where id <> ${id} and lower(name) = lower(${name})) as name,
      exists (
        select from ${t.usergroups} where id <> ${id} and handle = ${handle}
        union all select from ${t.users} where name = ${handle}
        union all select from ${t.channels} where name = ${handle}
      ) as handle
  `;
  if (found?.name) return "name";
  return found?.handle ? "handle" : undefined;
}

export async function insertUsergroup(
  session: ChatSession,
  {
    id,
    name,
    handle,
    description,
    prefs,
    user,
  }: {
    id: string;
    name: string;
    handle: string;
    description: string;
    prefs: UsergroupRow["prefs"];
    user: string;
  },
): Promise<void> {
  const { sql, t } = session;
  const now = nowSeconds(session);
  await sql`
    insert into ${t.usergroups} (
      id, name, handle, description, prefs, users, date_create, date_update, date_delete, created_by, updated_by
    )
    values (${id}, ${name}, ${handle}, ${description}, ${json(session, prefs)}, '[]', ${now}, ${now}, 0,
      ${user}, ${user})
  `;
}

/** Changes the given columns. */
export async function updateUsergroup(
  session: ChatSession,
  id: string,
  {
    name,
    handle,
    description,
    prefs,
    user,
  }: {
    name: string | null;
    handle: string | null;
    description: string | null;
    prefs: UsergroupRow["prefs"] | null;
    user: string;
  },
): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.usergroups} set name = coalesce(${name}, name), handle = coalesce(${handle}, handle),
      description = coalesce(${description}, description), prefs = coalesce(${json(session, prefs)}, prefs),
      date_update = ${nowSeconds(session)}, updated_by = ${user}
    where id = ${id}
  `;
}

/** Returns false when the group is already in that state. */
export async function setDisabled(
  session: ChatSession,
  id: string,
  disabled: boolean,
  user: string,
): Promise<boolean> {
  const { sql, t } = session;
  const now = nowSeconds(session);
  const rows = await sql`
    update ${t.usergroups} set date_update = ${now}, updated_by = ${user},
      date_delete = ${disabled ? now : sql`0`}, deleted_by = ${disabled ? user : null}
    where id = ${id} and (date_delete = 0) = ${disabled}
  `;
  return rows.count === 1;
}

/** Replaces the members of a group. */
export async function replaceUsers(
  session: ChatSession,
  id: string,
  users: readonly string[],
  by: string,
): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.usergroups} set users = ${json(session, users.toSorted())}, date_update = ${nowSeconds(session)},
      updated_by = ${by}
    where id = ${id}
  `;
}
