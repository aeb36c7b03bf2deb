/** Pages of messages and threads that fit a query. */
import { invalid } from "~/replicas/mail/errors";
import { requireLabels } from "~/replicas/mail/labels";
import { parseMail } from "~/replicas/mail/mime/parse";
import type { MailCall, MailSession } from "~/replicas/mail/operation";
import { type Candidate, matches } from "~/replicas/mail/search/match";
import { planOf } from "~/replicas/mail/search/plan";
import { parseQuery, type Query } from "~/replicas/mail/search/query";
import { labelKey } from "~/replicas/mail/search/terms";
import { listLabels } from "~/replicas/mail/store/labels";
import {
  type Conditions,
  type Entry,
  listCandidates,
  listEntries,
  type Read,
} from "~/replicas/mail/store/search";
import { millisOf } from "~/source";

export type Search = {
  readonly q?: string | undefined;
  readonly labelIds?: readonly string[] | undefined;
  readonly includeSpamTrash?: boolean | undefined;
  readonly maxResults?: number | undefined;
  readonly pageToken?: string | undefined;
  /** One entry for each thread, that of its newest message which fits. */
  readonly byThread?: boolean;
  /** Queries may also name labels by their ids. */
  readonly byLabelId?: boolean;
  readonly withTrash?: boolean;
  readonly withoutDrafts?: boolean;
};

export type Page = {
  readonly entries: readonly Entry[];
  readonly nextPageToken?: string;
  /** Of all pages; above a limit it is the limit. */
  readonly resultSizeEstimate: number;
};

export const PAGE_DEFAULT = 100;
export const PAGE_MAX = 500;
const ESTIMATE_MAX = 201;
/** Messages that are read together. */
const BATCH = 500;
const QUERY_MAX = 10_000;

const tokenOf = (id: string) => BigInt(`0x${id}`).toString();

/** The id that a token names. */
function readToken(token: string | undefined): string | undefined {
  if (token === undefined || token === "") return undefined;
  const number = /^\d{1,20}$/.test(token) ? BigInt(token) : -1n;
  if (number < 0n || number >= 1n << 64n) throw invalid("Invalid pageToken");
  return number.toString(16).padStart(16, "0");
}

export async function searchMail(
  { session, mailbox }: Pick<MailCall, "session" | "mailbox">,
  search: Search,
): Promise<Page> {
  const { labelIds = [], maxResults = PAGE_DEFAULT, byThread = false } = search;
  const before = readToken(search.pageToken);
  const own = await listLabels(session, mailbox);
  requireLabels(labelIds, own);
  const labels = new Map(own.map(({ id, name }) => [labelKey(name), id]));
  if (search.byLabelId) for (const { id } of own) labels.set(labelKey(id), id);
  const q = (search.q ?? "").slice(0, QUERY_MAX);
  const query = parseQuery(q, { now: millisOf(session.source), labels });
  const size = Math.min(Math.max(maxResults, 1), PAGE_MAX);
  const wanted = Math.max(size + 1, ESTIMATE_MAX);
  const without = excluded(search, query);
  const found = await collect(session, mailbox, {
    ...{ query, labelIds, without, before, wanted, byThread },
  });
  const entries = found.slice(0, size);
  const last = found.length > size ? entries.at(-1) : undefined;
  return {
    entries,
    ...(last && { nextPageToken: tokenOf(last.id) }),
    resultSizeEstimate: Math.min(found.length, ESTIMATE_MAX),
  };
}

type Wanted = {
  readonly query: Query;
  readonly labelIds: readonly string[];
  /** Labels of messages that are left out. */
  readonly without: readonly string[];
  readonly before: string | undefined;
  readonly wanted: number;
  readonly byThread: boolean;
} & Partial<Pick<Conditions, "threads" | "since">>;

async function collect(session: MailSession, mailbox: string, given: Wanted): Promise<Entry[]> {
  const { query, wanted, byThread, without, threads, since } = given;
  const plan = planOf(query);
  const conditions: Conditions = {
    ...plan,
    labels: [...given.labelIds, ...plan.labels],
    ...{ without, threads, since },
  };
  const found = new Map<string, Entry>();
  let { before } = given;
  for (;;) {
    const limit = plan.isWhole && !byThread ? wanted : BATCH;
    const place = { before, limit };
    const rows = plan.isWhole
      ? await listEntries(session, mailbox, conditions, place)
      : await listCandidates(session, mailbox, conditions, {
          ...place,
          withBody: plan.withBody,
          withHeaders: plan.withHeaders,
        });
    const fitting = new Map<string, Entry>();
    for (const row of rows) {
      const { id, threadId } = row;
      const key = byThread ? threadId : id;
      if (found.has(key) || fitting.has(key)) continue;
      if (!plan.isWhole && !matches(query.root, await candidateOf(row as Read))) continue;
      fitting.set(key, { id, threadId });
    }
    const shown = byThread ? await shownThreads(session, mailbox, given, [...fitting.keys()]) : [];
    for (const [key, entry] of fitting) if (!shown.includes(key)) found.set(key, entry);
    before = rows.at(-1)?.id;
    if (rows.length < limit || found.size >= wanted) return [...found.values()];
  }
}

async function candidateOf({ head, attachments, ...row }: Read): Promise<Candidate> {
  const headers = head ? (await parseMail(head)).headers : [];
  return { ...row, attachments: attachments as Candidate["attachments"], headers };
}

/** Those of the threads that are on an earlier page: that of their newest message which fits. */
async function shownThreads(
  session: MailSession,
  mailbox: string,
  { before: since, ...given }: Wanted,
  threads: readonly string[],
): Promise<string[]> {
  if (since === undefined || threads.length === 0) return [];
  const wanted = threads.length;
  const earlier = await collect(session, mailbox, {
    ...{ ...given, before: undefined, since, threads, wanted },
  });
  return earlier.map(({ threadId }) => threadId);
}

function excluded(
  { labelIds = [], includeSpamTrash, withTrash, withoutDrafts }: Search,
  query: Query,
): string[] {
  const isShown = (label: string, isAsked: boolean) =>
    includeSpamTrash || isAsked || labelIds.includes(label);
  return [
    ...(isShown("SPAM", query.withSpam) ? [] : ["SPAM"]),
    ...(isShown("TRASH", query.withTrash || withTrash === true) ? [] : ["TRASH"]),
    ...(withoutDrafts ? ["DRAFT"] : []),
  ];
}
