/** The part of a query that the database checks itself, so that it reads few messages. */
import type { Query, QueryNode } from "~/replicas/mail/search/query";
import type { Term } from "~/replicas/mail/search/terms";

/** Each message has this run of letters: in its subject, or anywhere in its text. */
export type Letters = { readonly run: string; readonly isOfSubject: boolean };

export type Plan = {
  /** Each message has them. */
  readonly labels: readonly string[];
  /** In milliseconds: from `from`, before `to`. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly letters: readonly Letters[];
  /** The database has checked everything. */
  readonly isWhole: boolean;
  /** The query asks for words of the body. */
  readonly withBody: boolean;
  /** It asks for headers that are no columns. */
  readonly withHeaders: boolean;
};

/** Conditions on the text in one query: the first ones exclude most messages. */
const LETTERS_MAX = 4;

export function planOf({ root }: Pick<Query, "root">): Plan {
  const parts = root.kind === "and" ? root.parts.flatMap(flat) : [root];
  const terms = parts.flatMap((part) => (part.kind === "term" ? [part.term] : []));
  const dates = terms.filter((term) => term.kind === "date");
  const from = Math.max(...dates.map((term) => term.from));
  const to = Math.min(...dates.map((term) => term.to));
  return {
    labels: terms.flatMap((term) => (term.kind === "label" ? [term.id] : [])),
    from: Number.isFinite(from) ? from : undefined,
    to: Number.isFinite(to) ? to : undefined,
    letters: terms.flatMap(lettersOf).slice(0, LETTERS_MAX),
    isWhole: parts.every(
      (part) => part.kind === "term" && ["label", "date", "anywhere"].includes(part.term.kind),
    ),
    withBody: hasKind(root, ["words", "near", "link"]),
    withHeaders: hasKind(root, ["list", "deliveredTo"]),
  };
}

const flat = (node: QueryNode): readonly QueryNode[] =>
  node.kind === "and" ? node.parts.flatMap(flat) : [node];

/** Runs of letters without accents that the words contain, the longest first. */
function lettersOf(term: Term): Letters[] {
  if (term.kind !== "words" && term.kind !== "subject") return [];
  return (term.text.match(/[a-z0-9]{2,}/gi) ?? [])
    .toSorted((a, b) => b.length - a.length)
    .map((run) => ({ run, isOfSubject: term.kind === "subject" }));
}

/** True of a query with a term of one of these kinds. */
function hasKind(node: QueryNode, kinds: readonly Term["kind"][]): boolean {
  if (node.kind === "not") return hasKind(node.part, kinds);
  if (node.kind === "term") return kinds.includes(node.term.kind);
  return node.parts.some((part) => hasKind(part, kinds));
}
