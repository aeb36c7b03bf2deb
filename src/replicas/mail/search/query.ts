/**
 * The query language: white space is AND, `OR` and `|` bind tighter, `{a b}` is OR, `-` negates, and an operator stands
 * before a word, a phrase or a group. Any text is a query: what fits no rule is a word.
 */
import { readTerm, type Term, type TermRules } from "~/replicas/mail/search/terms";

export type QueryNode =
  | { readonly kind: "and" | "or"; readonly parts: readonly QueryNode[] }
  | { readonly kind: "not"; readonly part: QueryNode }
  | { readonly kind: "term"; readonly term: Term };

export type Query = {
  readonly root: QueryNode;
  /** It asks for messages that a search leaves out otherwise. */
  readonly withSpam: boolean;
  readonly withTrash: boolean;
};

const TOKENS =
  /\s*(?:([(){}|])|(-(?=\S))|([a-z_]+:)(?=[({])|([a-z_]+:)?(?:"([^"]*)"?|([^\s(){}"|]+)))/giy;

type Token =
  | { readonly sign: string }
  | { readonly operator: string; readonly text: string; readonly isPhrase: boolean };

/** Of one query. What follows is left out. */
const TOKENS_MAX = 1_000;
const DEPTH_MAX = 30;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, sign, minus, before, operator = "", phrase, word] of text.matchAll(TOKENS)) {
    if (tokens.length === TOKENS_MAX) break;
    if (before !== undefined) tokens.push({ sign: before.toLowerCase() });
    else if (sign !== undefined || minus !== undefined) tokens.push({ sign: sign ?? "-" });
    else if (word === undefined && operator === "" && phrase === "") continue;
    else
      tokens.push({
        operator: operator.toLowerCase().slice(0, -1),
        text: phrase ?? word ?? "",
        isPhrase: phrase !== undefined,
      });
  }
  return tokens;
}

const isWord = (token: Token | undefined, word: string): boolean =>
  token !== undefined &&
  "text" in token &&
  !token.isPhrase &&
  token.operator === "" &&
  token.text === word;
const isSign = (token: Token | undefined, sign: string): boolean =>
  token !== undefined && "sign" in token && token.sign === sign;

export function parseQuery(text: string, rules: TermRules): Query {
  const tokens = tokensOf(text);
  let at = 0;
  let withSpam = false;
  let withTrash = false;

  const all = (end: string, operator: string, depth: number): QueryNode => {
    const parts: QueryNode[] = [];
    while (at < tokens.length && !isSign(tokens[at], end)) {
      const part = either(operator, depth);
      if (part) parts.push(part);
    }
    at++;
    return end === "}" ? { kind: "or", parts } : { kind: "and", parts };
  };
  const either = (operator: string, depth: number): QueryNode | undefined => {
    const parts = [one(operator, depth)];
    while (isWord(tokens[at], "OR") || isSign(tokens[at], "|")) {
      at++;
      parts.push(one(operator, depth));
    }
    const found = parts.filter((part) => part !== undefined);
    return found.length > 1 ? { kind: "or", parts: found } : found[0];
  };
  const one = (operator: string, depth: number): QueryNode | undefined => {
    const token = tokens[at++];
    if (token === undefined || depth > DEPTH_MAX) return undefined;
    if ("sign" in token) return group(token.sign, operator, depth + 1);
    if (isWord(token, "AND")) return undefined;
    if (isWord(token, "NOT")) return negated(one(operator, depth + 1));
    const near = around(token);
    if (near) return near;
    const term = readTerm({ ...token, operator: token.operator || operator }, rules);
    withSpam ||= term.kind === "anywhere" || (term.kind === "label" && term.id === "SPAM");
    withTrash ||= term.kind === "anywhere" || (term.kind === "label" && term.id === "TRASH");
    return { kind: "term", term };
  };
  const group = (sign: string, operator: string, depth: number): QueryNode | undefined => {
    switch (sign) {
      case "(":
        return all(")", operator, depth);
      case "{":
        return all("}", operator, depth);
      case "-":
        return negated(one(operator, depth));
      case ")":
      case "}":
      case "|":
        return undefined;
      default:
        return one(sign.slice(0, -1), depth);
    }
  };
  /** `word AROUND 5 word` */
  const around = (first: Token): QueryNode | undefined => {
    const [word, count, second] = tokens.slice(at, at + 3);
    if (!isWord(word, "AROUND") || !count || !second) return undefined;
    if (!("text" in first) || !("text" in count) || !("text" in second)) return undefined;
    if (!/^\d{1,3}$/.test(count.text)) return undefined;
    at += 3;
    const term: Term = {
      kind: "near",
      words: [first.text, second.text],
      apart: Number(count.text),
    };
    return { kind: "term", term };
  };
  const root = all("", "", 0);
  return { root, withSpam, withTrash };
}

const negated = (part: QueryNode | undefined): QueryNode | undefined =>
  part && { kind: "not", part };
