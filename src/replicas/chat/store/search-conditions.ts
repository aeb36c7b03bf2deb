/** The conditions of a search on messages and files, as parts of a statement. */
import type { Fragment } from "~/db/connect";
import { searchable } from "~/db/searchable";
import type { ChatSession } from "~/replicas/chat/method";
import type { Condition, Term } from "~/replicas/chat/search-query";
import { type ChannelType, typeOf } from "~/replicas/chat/store/channels";

/** The ids that the names of a query refer to; a name may have several. */
export type Names = {
  readonly users: ReadonlyMap<string, readonly string[]>;
  readonly channels: ReadonlyMap<string, readonly string[]>;
};
export type Search = {
  readonly viewer: string;
  readonly terms: readonly Term[];
  readonly names: Names;
  readonly byTime: boolean;
  readonly ascending: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Restrictions beside the query. */
  readonly scope?: Scope;
};

export type Scope = {
  /** Of conversations. */
  readonly types: readonly ChannelType[];
  /** Only conversations that the viewer is a member of. */
  readonly ownOnly: boolean;
  readonly withBots: boolean;
  /** Seconds, both inclusive; null: no bound. */
  readonly from: number | null;
  readonly to: number | null;
  /** Hits in this conversation come first. */
  readonly preferred: string | null;
};

/** Whether a scope has the conversation `c`, where `k` is the viewer's membership. */
export const placeInScope = (session: ChatSession, { types, ownOnly }: Scope): Fragment =>
  session.sql`${typeOf(session)} = any(${[...types]}) and (not ${ownOnly} or k.user_id is not null)`;

/** Whether a scope has a time. */
export const timeInScope = (
  { sql }: ChatSession,
  { from, to }: Scope,
  seconds: Fragment,
): Fragment =>
  sql`${seconds} >= ${from ?? 0} and (${to}::bigint is null or ${seconds} <= ${to}::bigint)`;

/** A text in a regular expression, of Postgres too. */
export const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The words of a document `d`: as they are, and by their stems. */
export function matches({ sql }: ChatSession, { users }: Names, condition: Condition): Fragment {
  if (condition.kind === "prefix")
    return sql`d.words @@ to_tsquery('simple', ${`${condition.text}:*`})`;
  if (condition.kind === "phrase")
    return sql`(d.words @@ phraseto_tsquery('simple', ${condition.text}))`;
  const { text } = condition as { text: string };
  // A part of an address, or a word with marks in it, is not a word to Postgres.
  const inside = /[^\p{L}\p{N}]/u.test(text)
    ? sql`or position(lower(${text}) in lower(d.text)) > 0`
    : sql``;
  // A mention is kept as an id, and read as a name.
  const ids = (condition.kind === "mention" && users.get(condition.name)) || [];
  // Imported rows can have any text as an id.
  const mention =
    ids.length > 0 ? sql`or d.text ~ ${`<@(${ids.map(escaped).join("|")})[|>]`}` : sql``;
  return sql`(d.words @@ plainto_tsquery('simple', ${text}) or d.stems @@ plainto_tsquery('english', ${text}) ${inside} ${mention})`;
}

/** Of a message `m` in the conversation `c`. */
export function messageMeets(
  session: ChatSession,
  { viewer, names }: Search,
  condition: Condition,
): Fragment {
  const { sql, t } = session;
  const users = (name: string) => [...(names.users.get(name) ?? [])];
  switch (condition.kind) {
    case "in":
      return sql`c.id = any(${[...(names.channels.get(condition.name) ?? [])]}::text[])`;
    case "from":
      return sql`m.user_id = any(${users(condition.name)}::text[])`;
    case "to":
      return sql`(c.is_im and case when ${viewer} = any(${users(condition.name)}::text[])
        then m.user_id <> ${viewer} or c.member_key = ${viewer}
        else m.user_id = ${viewer} and exists (
          select from ${t.channel_members} o
          where o.channel_id = c.id and o.user_id = any(${users(condition.name)}::text[])
        ) end)`;
    case "with":
      return sql`((c.is_im or c.is_mpim) and exists (
        select from ${t.channel_members} o
        where o.channel_id = c.id and o.user_id = any(${users(condition.name)}::text[])
      ) or exists (
        select from ${t.messages} o
        where o.channel_id = m.channel_id and o.user_id = any(${users(condition.name)}::text[])
          and (o.thread_ts = coalesce(m.thread_ts, m.ts) or o.ts = m.thread_ts)
      ) or m.user_id = any(${users(condition.name)}::text[]) and (m.thread_ts is not null or exists (
        select from ${t.messages} o where o.channel_id = m.channel_id and o.thread_ts = m.ts
      )))`;
    case "before":
    case "after":
    case "on":
      return within(session, condition, sql`m.ts::numeric`);
    case "emoji":
      return sql`exists (
        select from ${t.reactions} x where x.channel_id = m.channel_id and x.ts = m.ts
          and split_part(x.name, '::', 1) = split_part(${condition.name}, '::', 1)
          and (x.user_id = ${viewer} or not ${condition.own})
      )`;
    case "has":
      return messageHas(session, condition.what);
    case "is":
      return messageIs(session, viewer, condition.what);
    case "type":
      return sql`false`;
    default:
      return matches(session, names, condition);
  }
}

export function within(
  { sql }: ChatSession,
  { kind, span }: Extract<Condition, { span: unknown }>,
  seconds: Fragment,
): Fragment {
  if (!span) return sql`false`;
  if (kind === "before") return sql`${seconds} < ${span.from}`;
  if (kind === "after") return sql`${seconds} >= ${span.to}`;
  return sql`(${seconds} >= ${span.from} and ${seconds} < ${span.to})`;
}

function messageHas({ sql, t }: ChatSession, what: "link" | "pin" | "reaction" | "file"): Fragment {
  const at = (table: "pins" | "reactions" | "file_shares") =>
    sql`exists (select from ${t[table]} x where x.channel_id = m.channel_id and x.ts = m.ts)`;
  if (what === "link") return sql`m.text ~ '<(https?:|mailto:)'`;
  if (what === "pin") return at("pins");
  return what === "reaction" ? at("reactions") : at("file_shares");
}

function messageIs(
  { sql, t }: ChatSession,
  viewer: string,
  what: "thread" | "saved" | "dm",
): Fragment {
  if (what === "dm") return sql`c.is_im`;
  if (what === "saved")
    return sql`exists (
      select from ${t.stars} x
      where x.user_id = ${viewer} and x.channel_id = m.channel_id and x.ts = m.ts and x.file_id = ''
    )`;
  return sql`(m.thread_ts is not null or exists (
    select from ${t.messages} o where o.channel_id = m.channel_id and o.thread_ts = m.ts
  ))`;
}

/** All conditions must hold; of several conversations or authors, any one. */
export function all(
  { sql }: ChatSession,
  terms: readonly Term[],
  meets: (condition: Condition) => Fragment,
): Fragment {
  const either = (kind: string) => {
    const chosen = terms.filter(({ condition, negated }) => condition.kind === kind && !negated);
    return chosen
      .map(({ condition }) => meets(condition))
      .reduce((some, one) => sql`${some} or ${one}`, sql`${chosen.length === 0}`);
  };
  return terms
    .filter(({ condition: { kind }, negated }) => negated || (kind !== "in" && kind !== "from"))
    .map(({ condition, negated }) => (negated ? sql`not ${meets(condition)}` : meets(condition)))
    .reduce(
      (every, one) => sql`${every} and ${one}`,
      sql`(${either("in")}) and (${either("from")})`,
    );
}

/** The score of a text for the words of a query: higher for more matches in a shorter text. */
export function scoreOf({ sql }: ChatSession, terms: readonly Term[]): Fragment {
  const words = terms.flatMap(({ negated, condition }) =>
    !negated && "text" in condition ? [condition.text] : [],
  );
  if (words.length === 0) return sql`0::real`;
  return words.reduce(
    (sum, word) =>
      sql`${sum} + 2 * ts_rank(d.words, plainto_tsquery('simple', ${word}), 1)
        + ts_rank(d.stems, plainto_tsquery('english', ${word}), 1)`,
    sql`0::real`,
  );
}

/** A text `d` with its words; computed once for each row. */
export const documentOf = ({ sql }: ChatSession, text: Fragment): Fragment => sql`
  lateral (
    select x.text, to_tsvector('simple', x.part) as words, to_tsvector('english', x.part) as stems
    from (
      select whole.text, ${searchable({ sql }, sql`whole.text`)} as part
      from (select ${text} as text) whole
    ) x offset 0
  ) d
`;

export const orderOf = (
  { sql }: ChatSession,
  { byTime, ascending, scope }: Search,
  columns: { score: Fragment; time: Fragment; id: Fragment },
): Fragment => {
  const { score, time, id } = columns;
  const direction = ascending ? sql`asc` : sql`desc`;
  if (byTime) return sql`${time} ${direction}, ${id}`;
  const preferred = scope?.preferred ? sql`(${id} = ${scope.preferred}) desc,` : sql``;
  return sql`${preferred} ${score} ${direction}, ${time} desc, ${id}`;
};
