/** Earlier ids of rows, and where arguments may have them. */
import { ALIAS, ALIASES_MAX, type Aliases } from "~/aliases";
import type { ChatSession } from "~/replicas/chat/method";

/** The type of the records that hold them: by the earlier id, the present one. */
export const ALIAS_RECORD = "alias";

export async function listAliases({ sql, t }: ChatSession): Promise<Aliases> {
  const rows = await sql<{ id: string; present: string }[]>`
    select id, data #>> '{}' as present from ${t.records}
    where type = ${ALIAS_RECORD} and id ~ ${ALIAS} and data #>> '{}' ~ ${ALIAS}
    order by id limit ${ALIASES_MAX}
  `;
  return new Map(rows.map(({ id, present }) => [id, present]));
}

/** The present id of a user who has, or had, this one. */
export async function findUserId({ sql, t }: ChatSession, id: string): Promise<string | undefined> {
  const [user] = await sql<{ id: string }[]>`
    select id from ${t.users} where id = ${id} or id = (
      select data #>> '{}' from ${t.records} where type = ${ALIAS_RECORD} and id = ${id}
    )
    order by id = ${id} desc limit 1
  `;
  return user?.id;
}
