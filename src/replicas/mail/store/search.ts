/** Lists of messages, newest first. Ids sort by date, so the primary key gives the order. */
import { firstIdOf } from "~/replicas/mail/ids";
import type { MailSession } from "~/replicas/mail/operation";
import type { Letters } from "~/replicas/mail/search/plan";
import type { MessageRow } from "~/replicas/mail/store/messages";

export type Conditions = {
  /** Each message has all of them. */
  readonly labels: readonly string[];
  /** No message has any of them. */
  readonly without: readonly string[];
  /** In milliseconds: from `from`, before `to`. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Runs of ASCII letters in the text. A text with other letters passes: it may have them with accents. */
  readonly letters: readonly Letters[];
  /** Each message is of one of them, if there are any. */
  readonly threads: readonly string[] | undefined;
  /** An id: each message is this one or a newer one. */
  readonly since: string | undefined;
};

export type Entry = { readonly id: string; readonly threadId: string };

/** Bytes of a message that are read for its header. */
const HEAD_BYTES = 32_768;

function conditionsOf(
  { sql }: MailSession,
  mailbox: string,
  { labels, without, from, to, letters, threads, since }: Conditions,
  before: string | undefined,
) {
  const text = sql`concat_ws(' ', m.subject, m."from", m."to", m.cc, m.bcc, m.body, m.attachments::text)`;
  const conditions = [
    before === undefined ? sql`` : sql`and m.id < ${before}`,
    labels.length === 0 ? sql`` : sql`and m."labelIds" @> ${[...labels]}::text[]`,
    without.length === 0 ? sql`` : sql`and not m."labelIds" && ${[...without]}::text[]`,
    from === undefined ? sql`` : sql`and m.id >= ${firstIdOf(from)}`,
    to === undefined ? sql`` : sql`and m.id < ${firstIdOf(to)}`,
    since === undefined ? sql`` : sql`and m.id >= ${since}`,
    threads === undefined ? sql`` : sql`and m."threadId" = any(${[...threads]}::text[])`,
    ...letters.map(({ run, isOfSubject }) => {
      const place = isOfSubject ? sql`m.subject` : text;
      return sql`and (${place} ilike ${`%${run}%`} or octet_length(${place}) <> length(${place}))`;
    }),
  ];
  return sql`m.mailbox = ${mailbox} ${conditions}`;
}

/** The newest messages before `before`, which is an id. */
export async function listEntries(
  session: MailSession,
  mailbox: string,
  conditions: Conditions,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Entry[]> {
  const { sql, t } = session;
  return await sql<Entry[]>`
    select m.id, m."threadId" from ${t.messages} m
    where ${conditionsOf(session, mailbox, conditions, before)} order by m.id desc limit ${limit}
  `;
}

/** A message with all that queries ask for. */
export type Read = Pick<
  MessageRow,
  | "mailbox"
  | "id"
  | "threadId"
  | "labelIds"
  | "internalDate"
  | "sizeEstimate"
  | "from"
  | "to"
  | "cc"
  | "bcc"
  | "subject"
  | "messageId"
  | "body"
  | "attachments"
> & { readonly head?: Uint8Array };

/** As above, with the columns that queries are matched against. `withBody`: or else an empty one; `withHeaders`: the beginning of the bytes. */
export async function listCandidates(
  session: MailSession,
  mailbox: string,
  conditions: Conditions,
  {
    before,
    limit,
    withBody,
    withHeaders,
  }: { before: string | undefined; limit: number; withBody: boolean; withHeaders: boolean },
): Promise<Read[]> {
  const { sql, t } = session;
  return await sql<Read[]>`
    select m.mailbox, m.id, m."threadId", m."labelIds", m."internalDate", m."sizeEstimate", m."from", m."to", m.cc, m.bcc,
      m.subject, m."messageId", ${withBody ? sql`m.body` : sql`'' as body`}, m.attachments
      ${withHeaders ? sql`, substring(m.raw for ${HEAD_BYTES}) as head` : sql``}
    from ${t.messages} m
    where ${conditionsOf(session, mailbox, conditions, before)} order by m.id desc limit ${limit}
  `;
}
