/** Earlier ids of rows, and where arguments may have them. */
import { ALIAS, ALIASES_MAX, type Aliases } from "~/input/aliases";
import type { ChatSession } from "~/replicas/chat/method";

/** The type of the records that hold them: by the earlier id, the present one. */
export const ALIAS_RECORD = "alias";

/** Messages of a seed come first in their table. */
const SEED_MESSAGES_MAX = 10_000;

/**
 * Earlier ids, and the timestamps that moments of a seed had before their microseconds looked drawn (`asTs` in
 * seed-columns.ts).
 */
export async function listAliases({ sql, t }: ChatSession): Promise<Aliases> {
  const rows = await sql<{ id: string; present: string }[]>`
    (
      select id, data #>> '{}' as present from ${t.records}
      where type = ${ALIAS_RECORD} and id ~ ${ALIAS} and data #>> '{}' ~ ${ALIAS}
      order by id limit ${ALIASES_MAX}
    )
    union all
    (
      select left(ts, 10) || '.000100', ts
      from (select ts from ${t.messages} limit ${SEED_MESSAGES_MAX}) first
      where right(ts, 6)::int = ('x' || left(md5(left(ts, 10)), 8))::bit(32)::bigint % 1000000
      limit ${ALIASES_MAX}
    )
  `;
  return new Map(rows.map(({ id, present }) => [id, present]));
}

/** The present id of a user who has, or had, this id; or of an active one with this email. */
export async function findUserId(
  { sql, t }: ChatSession,
  by: { readonly id: string } | { readonly email: string },
): Promise<string | undefined> {
  const [user] =
    "id" in by
      ? await sql<{ id: string }[]>`
          select id from ${t.users} where id = ${by.id} or id = (
            select data #>> '{}' from ${t.records} where type = ${ALIAS_RECORD} and id = ${by.id}
          )
          order by id = ${by.id} desc limit 1
        `
      : await sql<{ id: string }[]>`
          select id from ${t.users} where lower(profile->>'email') = lower(${by.email}) and not deleted
          order by id limit 1
        `;
  return user?.id;
}
