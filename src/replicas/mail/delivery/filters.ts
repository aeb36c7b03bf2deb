/** Filters of a mailbox, applied to a message that arrives. */
import type { Content } from "~/replicas/mail/delivery/content";
import { changedLabels } from "~/replicas/mail/labels";
import { type Candidate, matches } from "~/replicas/mail/search/match";
import { parseQuery } from "~/replicas/mail/search/query";
import type { Criteria, FilterRow } from "~/replicas/mail/store/filters";

type Arriving = {
  readonly mailbox: string;
  readonly labelIds: readonly string[];
  /** In milliseconds. */
  readonly at: number;
};

type Effect = { readonly labelIds: readonly string[]; readonly forwardTo: readonly string[] };

/** The labels that a message gets, and the addresses that it is forwarded to. */
export function effectOf(
  filters: readonly FilterRow[],
  content: Content,
  { mailbox, labelIds, at }: Arriving,
): Effect {
  if (filters.length === 0) return { labelIds, forwardTo: [] };
  const candidate: Candidate = {
    ...content,
    ...{ mailbox, labelIds, internalDate: String(at) },
    attachments: content.attachments as Candidate["attachments"],
    headers: [{ name: "Delivered-To", value: mailbox }, ...content.root.headers],
  };
  const hits = filters.filter(({ criteria }) => isMet(criteria, candidate, at));
  return {
    labelIds: hits.reduce((labels, { action }) => changedLabels(labels, action), [...labelIds]),
    forwardTo: hits.flatMap(({ action }) => (action.forward ? [action.forward] : [])),
  };
}

/** Filters act on messages that are new, and have no labels of the user. */
const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** Parts of criteria that are queries of their own. */
const quoted = (operator: string, text: string) => `${operator}:(${text})`;

function isMet(criteria: Criteria, message: Candidate, now: number): boolean {
  const { from, to, subject, query, negatedQuery, hasAttachment, size, sizeComparison } = criteria;
  const queries = [
    from && quoted("from", from),
    to && quoted("to", to),
    subject && quoted("subject", subject),
    query,
    negatedQuery && `-(${negatedQuery})`,
    hasAttachment && "has:attachment",
  ].filter((text) => typeof text === "string" && text !== "");
  if (size !== undefined && sizeComparison === "larger" && message.sizeEstimate <= size)
    return false;
  if (size !== undefined && sizeComparison === "smaller" && message.sizeEstimate >= size)
    return false;
  const rules = { now, labels: NO_LABELS };
  return queries.every((text) => matches(parseQuery(`${text}`, rules).root, message));
}
