/** Direct messages: conversations that are identified by their members. */
import type { ChatSession } from "~/replicas/chat/method";
import { EMPTY_NOTE, UNREAD } from "~/replicas/chat/store/channels";
import { nowMicros, nowMillis, nowSeconds } from "~/replicas/chat/store/clock";
import { json } from "~/replicas/chat/store/json";

/** The members as one value: the same people always get the same conversation. */
export const memberKey = (users: readonly string[]) => [...new Set(users)].sort().join(",");

/** The id of the direct message between exactly these users. */
export async function findDirect(
  { sql, t }: ChatSession,
  users: readonly string[],
): Promise<string | undefined> {
  const [direct] = await sql<{ id: string }[]>`
    select id from ${t.channels} where coalesce(member_key, name) = ${memberKey(users)}
  `;
  return direct?.id;
}

/**
 * The direct message between these users, the first of whom is the caller. Created with the id `fresh` if needed.
 * Undefined when one of them does not exist.
 */
export async function openDirect(
  session: ChatSession,
  fresh: string,
  users: readonly string[],
): Promise<string | undefined> {
  const { sql, t } = session;
  const key = memberKey(users);
  const people = [...new Set(users)];
  const isGroup = people.length > 2;
  const note = json(session, EMPTY_NOTE);
  const [direct] = await sql<{ id: string }[]>`
    with people as (
      select w.id, u.name, w.place
      from unnest(${people}::text[]) with ordinality as w (id, place) join ${t.users} u on u.id = w.id
    ), created as (
      insert into ${t.channels} (
        id, name, is_channel, is_group, is_im, is_mpim, is_private, is_general, is_archived, creator, created, updated,
        topic, purpose, previous_names, member_key
      )
      select ${fresh}, case when ${isGroup} then 'mpdm-' || string_agg(name, '--' order by place) || '-1' end,
        false, false, ${!isGroup}, ${isGroup}, true, false, false, ${people[0] ?? ""}, ${nowSeconds(session)},
        ${nowMillis(session)}, ${note}, case when ${isGroup} then jsonb_build_object(
          'value', 'Group messaging with: ' || string_agg('@' || name, ' ' order by place),
          'creator', ${people[0] ?? ""}::text, 'last_set', ${nowSeconds(session)}
        ) else ${note}::jsonb end, '[]', ${key}
      from people having count(*) = ${people.length}
        and not exists (select from ${t.channels} where coalesce(member_key, name) = ${key})
      on conflict do nothing returning id
    ), joined as (
      insert into ${t.channel_members} (channel_id, user_id, joined_at, last_read, is_open)
      select created.id, people.id, ${nowMicros(session)} + people.place, ${UNREAD}, true from created, people
    )
    select id from created
    union all select id from ${t.channels} where coalesce(member_key, name) = ${key}
  `;
  // Another call may have created it after this statement began.
  return direct?.id ?? (await findDirect(session, users));
}
