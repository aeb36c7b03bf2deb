import type { ChatSession } from "~/replicas/chat/method";
import { visible } from "~/replicas/chat/store/channels";

/** The ids behind handles of user groups and names of channels that the viewer can see. */
export async function findLinks(
  session: ChatSession,
  viewer: string,
  wanted: { handles: readonly string[]; channels: readonly string[] },
): Promise<{ groups: Map<string, string>; channels: Map<string, string> }> {
  const { sql, t } = session;
  const rows = await sql<{ kind: "group" | "channel"; name: string; id: string }[]>`
    select 'group' as kind, handle as name, id from ${t.usergroups}
    where handle = any(${[...wanted.handles]}) and date_delete = 0
    union all
    select 'channel', c.name, c.id from ${t.channels} c
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
    where c.name = any(${[...wanted.channels]}) and not c.is_mpim and ${visible(session)}
  `;
  const of = (kind: string) =>
    new Map(rows.filter((row) => row.kind === kind).map(({ name, id }) => [name, id]));
  return { groups: of("group"), channels: of("channel") };
}
