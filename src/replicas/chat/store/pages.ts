/** Pages of messages: the history of a channel, and the replies of a thread. */
import type { Fragment, Sql } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { columnsOf, type MessageRow, PARTS, type Parts } from "~/replicas/chat/store/messages";
import type { Rows } from "~/replicas/chat/store/rows";
import { hasDue } from "~/replicas/chat/store/scheduled";

/** A page of messages with facts about its channel. Undefined when the viewer cannot see the channel. */
export type Page = {
  readonly is_member: boolean;
  readonly viewer_is_bot: boolean;
  readonly pin_count: number;
  /** The channel has scheduled messages that are due and not posted yet. */
  readonly is_due: boolean;
  readonly messages: MessageRow[];
};

/** A reply that is also shown in the channel. */
const BROADCAST = "thread_broadcast";

/** The messages of a page without their parts: the values of each column. */
type Columns = {
  readonly [Column in Exclude<keyof Rows["messages"], "channel_id">]: readonly MessageRow[Column][];
};

/** A page before the parts of its messages are read. `occurs`: whether any message has them. */
type Outline = Omit<Page, "messages"> &
  Pick<MessageRow, "team_id" | "team_url"> & {
    readonly occurs: Readonly<Record<"files" | "stars" | "reactions" | "replies", boolean>>;
    /** Null in a page without messages. */
    readonly columns: Columns | null;
  };

/**
 * The messages of `select`, which sorts them, with facts about the channel. In most pages no message has a file, a star
 * or a reaction. The statement only finds out which parts occur, and another one reads those: Postgres would plan and set
 * up a subquery for each part in each page. One JSON array for each column takes half the time of an object for
 * each message.
 */
async function pageOf(
  session: ChatSession,
  viewer: string,
  channel: string,
  select: Fragment,
): Promise<Page | undefined> {
  const { sql, t } = session;
  const [outline] = await sql<Outline[]>`
    with page as materialized (${select})
    select m.user_id is not null as is_member, coalesce(u.is_bot, false) as viewer_is_bot,
      w.id as team_id, w.url as team_url,
      (select count(*)::int from ${t.pins} where channel_id = c.id) as pin_count,
      ${hasDue(session, sql`c.id`)} as is_due,
      (
        select json_build_object(
          'files', exists (
            select from ${t.file_shares} where channel_id = ${channel} and ts between span.first and span.last
          ),
          'stars', exists (
            select from ${t.stars}
            where user_id = ${viewer} and channel_id = ${channel} and ts between span.first and span.last
          ),
          'reactions', exists (
            select from ${t.reactions} where channel_id = ${channel} and ts between span.first and span.last
          ),
          'replies', exists (
            select from ${t.messages} where channel_id = ${channel} and thread_ts between span.first and span.last
          )
        )
        from (select min(ts) as first, max(ts) as last from page) span
      ) as occurs,
      (
        select json_build_object(
          'ts', json_agg(ts), 'thread_ts', json_agg(thread_ts), 'subtype', json_agg(subtype),
          'user_id', json_agg(user_id), 'text', json_agg(text), 'bot_id', json_agg(bot_id),
          'app_id', json_agg(app_id), 'username', json_agg(username), 'icons', json_agg(icons),
          'blocks', json_agg(blocks), 'attachments', json_agg(attachments), 'metadata', json_agg(metadata),
          'edited', json_agg(edited), 'extra', json_agg(extra)
        ) from page having count(*) > 0
      ) as columns
    from ${t.channels} c
    left join ${t.channel_members} m on m.channel_id = c.id and m.user_id = ${viewer}
    left join ${t.users} u on u.id = ${viewer}
    left join (select id, url from ${t.teams} limit 1) w on true
    where c.id = ${channel} and (not c.is_private or m.user_id is not null)
  `;
  return (
    outline && { ...outline, messages: await wholeMessages(session, viewer, channel, outline) }
  );
}

/** Adds the parts that occur, and the roots of broadcasts, in statements that are sent together. */
async function wholeMessages(
  session: ChatSession,
  viewer: string,
  channel: string,
  { columns, occurs, pin_count: pins, team_id, team_url }: Outline,
): Promise<MessageRow[]> {
  if (!columns) return [];
  const authors = new Map(columns.ts.map((ts, at) => [ts, columns.user_id[at]]));
  const needed: Record<keyof Parts, boolean> = {
    bot: columns.bot_id.some((bot) => bot !== null),
    parent_user_id: columns.thread_ts.some((root) => root !== null && !authors.has(root)),
    files: occurs.files,
    is_pinned: pins > 0,
    is_starred: occurs.stars,
    reactions: occurs.reactions,
    thread: occurs.replies,
  };
  const [parts, roots] = await Promise.all([
    partsOf(session, viewer, channel, columns.ts, needed),
    rootsOf(session, viewer, channel, columns),
  ]);
  // In one literal: to copy the parts of an object takes several times as long.
  return columns.ts.map((ts, at) => {
    const threadTs = valueAt(columns.thread_ts, at);
    const subtype = valueAt(columns.subtype, at);
    return {
      channel_id: channel,
      ts,
      thread_ts: threadTs,
      subtype,
      user_id: valueAt(columns.user_id, at),
      text: valueAt(columns.text, at),
      bot_id: valueAt(columns.bot_id, at),
      app_id: valueAt(columns.app_id, at),
      username: valueAt(columns.username, at),
      icons: valueAt(columns.icons, at),
      blocks: valueAt(columns.blocks, at),
      attachments: valueAt(columns.attachments, at),
      metadata: valueAt(columns.metadata, at),
      edited: valueAt(columns.edited, at),
      extra: valueAt(columns.extra, at),
      team_id,
      team_url,
      bot: null,
      parent_user_id: (threadTs !== null && authors.get(threadTs)) || null,
      files: null,
      is_pinned: false,
      is_starred: false,
      reactions: null,
      thread: null,
      ...parts.get(ts),
      root: (subtype === BROADCAST && threadTs !== null && roots.get(threadTs)) || null,
    };
  });
}

/** All columns have as many values. */
const valueAt = <T>(values: readonly T[], at: number) => values[at] as T;

/** The parts of messages that are needed, by the message's timestamp. */
async function partsOf(
  session: ChatSession,
  viewer: string,
  channel: string,
  timestamps: readonly string[],
  needed: Readonly<Record<keyof Parts, boolean>>,
): Promise<ReadonlyMap<string, Partial<Parts>>> {
  const names = (Object.keys(PARTS) as (keyof Parts)[]).filter((name) => needed[name]);
  if (names.length === 0) return new Map();
  const { sql, t } = session;
  const values = names.map(
    (name) => sql`, ${PARTS[name](session, viewer, sql`m`)} as ${sql(name)}`,
  );
  const found = await sql<(Partial<Parts> & { ts: string })[]>`
    select m.ts ${values} from ${t.messages} m
    where m.channel_id = ${channel} and m.ts = any(${[...timestamps]}::text[])
  `;
  return new Map(found.map((parts) => [parts.ts, parts]));
}

/** The roots of the broadcasts on a page, by their timestamp. */
async function rootsOf(
  session: ChatSession,
  viewer: string,
  channel: string,
  { subtype, thread_ts }: Columns,
): Promise<ReadonlyMap<string, MessageRow>> {
  const wanted = new Set(thread_ts.filter((_, at) => subtype[at] === BROADCAST));
  if (wanted.size === 0) return new Map();
  const { sql, t } = session;
  const [found] = await sql<{ roots: MessageRow[] }[]>`
    select coalesce(json_agg(r), '[]') as roots from (
      select ${columnsOf(session, viewer, sql`o`)} from ${t.messages} o
      where o.channel_id = ${channel} and o.ts = any(${[...wanted]}::text[])
    ) r
  `;
  return new Map(found?.roots.map((root) => [root.ts, root]));
}

export type Window = {
  readonly oldest: string | undefined;
  readonly latest: string | undefined;
  readonly inclusive: boolean;
  readonly limit: number;
};

/** Only the given bounds become part of the statement, so that each form has its own plan. */
function within(sql: Sql, { oldest, latest, inclusive }: Window): Fragment {
  const lower =
    oldest === undefined ? sql`` : sql`and m.ts ${inclusive ? sql`>=` : sql`>`} ${oldest}`;
  const upper =
    latest === undefined ? sql`` : sql`and m.ts ${inclusive ? sql`<=` : sql`<`} ${latest}`;
  return sql`${lower} ${upper}`;
}

/** Newest first, roots and broadcasts only, with one extra row when there is another page. */
export async function listHistory(
  session: ChatSession,
  viewer: string,
  channel: string,
  window: Window & { readonly before: string | undefined },
): Promise<Page | undefined> {
  const { sql, t } = session;
  const older = window.before === undefined ? sql`` : sql`and m.ts < ${window.before}`;
  return await pageOf(
    session,
    viewer,
    channel,
    sql`
      select m.* from ${t.messages} m
      where m.channel_id = ${channel} and (m.thread_ts is null or m.subtype = 'thread_broadcast')
        ${within(sql, window)} ${older}
      order by m.ts desc limit ${window.limit + 1}
    `,
  );
}

/**
 * The root of a thread, then its replies, oldest first; `ts` is that of any message in it. The first page has the root
 * regardless of the window. There is one extra row when there is another page.
 */
export async function listReplies(
  session: ChatSession,
  viewer: string,
  channel: string,
  ts: string,
  window: Window & { readonly after: string | undefined },
): Promise<Page | undefined> {
  const { sql, t } = session;
  const root = sql`(
    select coalesce(thread_ts, ts) from ${t.messages} where channel_id = ${channel} and ts = ${ts}
  )`;
  const first = sql`select * from ${t.messages} where channel_id = ${channel} and ts = ${root} union all`;
  const newer = window.after === undefined ? sql`` : sql`and m.ts > ${window.after}`;
  // In two parts, so that each is read by its own index: a condition with `or` reads the whole channel.
  return await pageOf(
    session,
    viewer,
    channel,
    sql`
      select m.* from (
        ${window.after === undefined ? first : sql``}
        (
          select m.* from ${t.messages} m
          where m.channel_id = ${channel} and m.thread_ts = ${root} ${within(sql, window)} ${newer}
          order by m.ts limit ${window.limit + 1}
        )
      ) m
      order by m.ts limit ${window.limit + 1}
    `,
  );
}
