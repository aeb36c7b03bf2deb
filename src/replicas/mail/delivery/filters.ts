/** Filters of a mailbox, applied to a message that arrives. */
import type { Content } from "~/replicas/mail/delivery/content";
import { changedLabels } from "~/replicas/mail/labels";
import { type Candidate, matches } from "~/replicas/mail/search/match";
import { parseQuery } from "~/replicas/mail/search/query";
import type { Criteria, FilterRow } from "~/replicas/mail/store/filters";

type Arriving = { readonly mailbox: string; readonly labelIds: readonly string[] };

type Effect = { readonly labelIds: readonly string[]; readonly forwardTo: readonly string[] };

/** The labels that a message gets, and the addresses that it is forwarded to. */
export function effectOf(
  filters: readonly FilterRow[],
  content: Content,
  { mailbox, labelIds }: Arriving,
): Effect {
  if (filters.length === 0) return { labelIds, forwardTo: [] };
  const candidate: Candidate = {
    ...content,
    ...{ mailbox, labelIds, internalDate: "0" },
    attachments: content.attachments as Candidate["attachments"],
    headers: content.root.headers,
  };
  const hits = filters.filter(({ criteria }) => isMet(criteria, candidate));
  return {
    labelIds: hits.reduce((labels, { action }) => changedLabels(labels, action), [...labelIds]),
    forwardTo: hits.flatMap(({ action }) => (action.forward ? [action.forward] : [])),
  };
}

/** Filters act on messages that are new, and know no labels of the user. */
const RULES = { now: 0, labels: new Map<string, string>() };

/** Parts of criteria that are queries of their own. */
const quoted = (operator: string, text: string) => `${operator}:(${text})`;

function isMet(criteria: Criteria, message: Candidate): boolean {
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
  return queries.every((text) => matches(parseQuery(`${text}`, RULES).root, message));
}
