/** One term of a query: an operator with its value, or words. */
import { readRange, readSize } from "~/replicas/mail/search/values";

export type Term =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "near"; readonly words: readonly [string, string]; readonly apart: number }
  | { readonly kind: "address"; readonly field: AddressField; readonly text: string }
  | {
      readonly kind: "subject" | "filename" | "messageId" | "list" | "deliveredTo";
      readonly text: string;
    }
  | { readonly kind: "label"; readonly id: string }
  | {
      readonly kind:
        | "read"
        | "archive"
        | "anywhere"
        | "attachment"
        | "userLabels"
        | "noUserLabels"
        | "nothing";
    }
  | { readonly kind: "link"; readonly form: RegExp }
  /** In milliseconds: from `from`, before `to`. */
  | { readonly kind: "date"; readonly from: number; readonly to: number }
  | { readonly kind: "size"; readonly from: number; readonly to: number };

type AddressField = "from" | "to" | "cc" | "bcc";

export type TermRules = {
  /** The time in milliseconds. */
  readonly now: number;
  /** Ids of user labels by their names as queries write them: see `labelKey`. */
  readonly labels: ReadonlyMap<string, string>;
};

/** A name of a label as queries compare it. */
export const labelKey = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s/-]+/g, "-");

/** A table by words that anyone writes: not an object, which has a `constructor`. */
const tableOf = <Value>(entries: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(entries));

const SYSTEM = tableOf({
  ...{
    inbox: "INBOX",
    sent: "SENT",
    draft: "DRAFT",
    drafts: "DRAFT",
    trash: "TRASH",
    spam: "SPAM",
  },
  ...{ chat: "CHAT", chats: "CHAT", unread: "UNREAD", starred: "STARRED", important: "IMPORTANT" },
});

const CATEGORIES = tableOf({
  ...{ primary: "CATEGORY_PERSONAL", personal: "CATEGORY_PERSONAL", social: "CATEGORY_SOCIAL" },
  ...{ promotions: "CATEGORY_PROMOTIONS", updates: "CATEGORY_UPDATES", forums: "CATEGORY_FORUMS" },
});

const LINKS = tableOf({
  drive: /\b(?:drive|docs)\.google\.com\//,
  document: /\bdocs\.google\.com\/document\//,
  spreadsheet: /\bdocs\.google\.com\/spreadsheets\//,
  presentation: /\bdocs\.google\.com\/presentation\//,
  youtube: /\b(?:youtube\.com|youtu\.be)\//,
});

const NOTHING: Term = { kind: "nothing" };
const labelTerm = (id: string | undefined): Term =>
  id === undefined ? NOTHING : { kind: "label", id };

type Written = { readonly operator: string; readonly text: string; readonly isPhrase: boolean };

export function readTerm({ operator, text }: Written, rules: TermRules): Term {
  const value = text.toLowerCase();
  switch (operator) {
    case "":
      return { kind: "words", text };
    case "from":
    case "to":
    case "cc":
    case "bcc":
      return { kind: "address", field: operator, text: value };
    case "subject":
    case "filename":
    case "list":
      return { kind: operator, text };
    case "deliveredto":
      return { kind: "deliveredTo", text };
    case "rfc822msgid":
      return { kind: "messageId", text: text.replace(/^<?([^>]*)>?$/, "<$1>") };
    case "label":
    case "l":
    case "in":
      return placeTerm(value, rules);
    case "is":
      return stateTerm(value);
    case "category":
      return labelTerm(CATEGORIES.get(value));
    case "has":
      return contentTerm(value);
    case "size":
    case "larger":
    case "smaller":
      return readSize(operator, value) ?? NOTHING;
    case "after":
    case "newer":
    case "before":
    case "older":
    case "newer_than":
    case "older_than":
      return readRange(operator, value, rules.now) ?? NOTHING;
    default:
      return { kind: "words", text: `${operator} ${text}` };
  }
}

function placeTerm(value: string, { labels }: TermRules): Term {
  if (value === "anywhere") return { kind: "anywhere" };
  if (value === "archive") return { kind: "archive" };
  return labelTerm(SYSTEM.get(value) ?? labels.get(labelKey(value)));
}

function stateTerm(value: string): Term {
  if (value === "read") return { kind: "read" };
  return labelTerm(SYSTEM.get(value));
}

function contentTerm(value: string): Term {
  if (value === "attachment") return { kind: "attachment" };
  if (value === "userlabels") return { kind: "userLabels" };
  if (value === "nouserlabels") return { kind: "noUserLabels" };
  if (value.endsWith("-star")) return labelTerm(value === "yellow-star" ? "STARRED" : undefined);
  const form = LINKS.get(value);
  return form ? { kind: "link", form } : NOTHING;
}
