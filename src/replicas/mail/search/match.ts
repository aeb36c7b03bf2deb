/** Whether a message fits a query. */
import { isSystemLabel } from "~/replicas/mail/labels";
import { type Address, canonicalAddress, readAddresses } from "~/replicas/mail/mime/addresses";
import type { Header } from "~/replicas/mail/mime/parse";
import type { Attachment } from "~/replicas/mail/mime/text";
import type { QueryNode } from "~/replicas/mail/search/query";
import type { Term } from "~/replicas/mail/search/terms";
import type { MessageRow } from "~/replicas/mail/store/messages";

export type Candidate = Pick<
  MessageRow,
  | "mailbox"
  | "from"
  | "to"
  | "cc"
  | "bcc"
  | "subject"
  | "body"
  | "labelIds"
  | "internalDate"
  | "sizeEstimate"
  | "messageId"
> & {
  readonly attachments: readonly Attachment[];
  /** Those of the message; empty unless the query asks for one. */
  readonly headers: readonly Header[];
};

/** Forms of the texts of one message. A query may have a thousand terms, so that each form is computed once. */
type Forms = {
  readonly words: (text: string) => string;
  readonly list: (text: string) => readonly string[];
  readonly addresses: (text: string) => readonly Address[];
};

function remembering<Form>(read: (text: string) => Form): (text: string) => Form {
  const known = new Map<string, Form>();
  return (text) => {
    const found = known.get(text) ?? read(text);
    known.set(text, found);
    return found;
  };
}

function formsOf(): Forms {
  const words = remembering(wordsOf);
  return {
    words,
    list: remembering((text) => words(text).trim().split(" ")),
    addresses: remembering(readAddresses),
  };
}

export function matches(root: QueryNode, message: Candidate): boolean {
  const forms = formsOf();
  const isMet = (node: QueryNode): boolean => {
    switch (node.kind) {
      case "and":
        return node.parts.every(isMet);
      case "or":
        return node.parts.some(isMet);
      case "not":
        return !isMet(node.part);
      default:
        return fits(node.term, message, forms);
    }
  };
  return isMet(root);
}

const MARKS = /\p{M}/gu;
const APART = /[^\p{L}\p{N}]+/gu;
/** Scripts without spaces: each letter is a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const PLAIN = /^[\0-\x7f]*$/;

/** The words of a text, without case and accents, each between two spaces. */
export function wordsOf(text: string): string {
  const lower = text.toLowerCase();
  if (PLAIN.test(lower)) return ` ${lower.replace(/[^a-z0-9]+/g, " ")} `.replace(/ {2,}/g, " ");
  const folded = lower.normalize("NFD").replace(MARKS, "").normalize("NFC");
  return ` ${folded.replace(UNSPACED, " $& ").replace(APART, " ")} `.replace(/ +/g, " ");
}

/** True of a text that has these words in a row. `words`: as `wordsOf` returns them. */
const hasWords = (text: string | null, words: string, forms: Forms): boolean =>
  text !== null && words !== " " && forms.words(text).includes(words);

function fits(term: Term, message: Candidate, forms: Forms): boolean {
  const { labelIds, attachments, subject, body } = message;
  switch (term.kind) {
    case "words":
      return anywhere(message, wordsOf(term.text.replace(/^\+/, "")), forms);
    case "near":
      return [subject, body].some((text) => areNear(forms.list(text), term.words, term.apart));
    case "subject":
      return hasWords(subject, wordsOf(term.text), forms);
    case "address":
      return addressesOf(message, term.field).some((text) =>
        isFrom(text, term.text, message, forms),
      );
    case "filename":
      return attachments.some(({ filename }) => isFile(filename, term.text, forms));
    case "messageId":
      return message.messageId === term.text;
    case "list":
      return hasHeader(message, "list-id", term.text, forms);
    case "deliveredTo":
      return hasHeader(message, "delivered-to", term.text, forms);
    case "label":
      return labelIds.includes(term.id);
    case "read":
      return !labelIds.includes("UNREAD");
    case "archive":
      return !labelIds.some((id) => ["INBOX", "SENT", "DRAFT", "TRASH", "SPAM"].includes(id));
    case "anywhere":
      return true;
    case "attachment":
      return attachments.length > 0;
    case "userLabels":
      return labelIds.some((id) => !isSystemLabel(id));
    case "noUserLabels":
      return labelIds.every(isSystemLabel);
    case "link":
      return term.form.test(body);
    case "date":
      return isWithin(Number(message.internalDate), term);
    case "size":
      return isWithin(message.sizeEstimate, term);
    default:
      return false;
  }
}

const isWithin = (value: number, { from, to }: { from: number; to: number }) =>
  value >= from && value < to;

function anywhere(
  { subject, from, to, cc, bcc, body, attachments }: Candidate,
  words: string,
  forms: Forms,
): boolean {
  return (
    [subject, from, to, cc, bcc, body].some((text) => hasWords(text, words, forms)) ||
    attachments.some(({ filename }) => hasWords(filename, words, forms))
  );
}

function addressesOf({ from, to, cc, bcc }: Candidate, field: "from" | "to" | "cc" | "bcc") {
  switch (field) {
    case "from":
      return [from];
    case "to":
      return [to, cc, bcc];
    default:
      return [field === "cc" ? cc : bcc];
  }
}

function isFrom(
  text: string | null,
  wanted: string,
  { mailbox }: Candidate,
  forms: Forms,
): boolean {
  if (text === null) return false;
  const whole = wanted === "me" ? mailbox : wanted;
  if (/^[^\s@]*@[^\s@]+$/.test(whole))
    return forms
      .addresses(text)
      .some(({ address }) =>
        whole.startsWith("@")
          ? address.toLowerCase().endsWith(whole)
          : address.toLowerCase() === whole ||
            (address.includes("@") && canonicalAddress(address) === whole),
      );
  return hasWords(text, wordsOf(whole), forms);
}

const isFile = (filename: string, wanted: string, forms: Forms) =>
  filename.toLowerCase().endsWith(`.${wanted.toLowerCase().replace(/^\./, "")}`) ||
  hasWords(filename, wordsOf(wanted), forms);

const hasHeader = ({ headers }: Candidate, name: string, wanted: string, forms: Forms) =>
  headers.some(
    (header) =>
      header.name.toLowerCase() === name && hasWords(header.value, wordsOf(wanted), forms),
  );

/** True if both words are in the text with at most `apart` others between them. */
function areNear(
  list: readonly string[],
  words: readonly [string, string],
  apart: number,
): boolean {
  const [one, other] = words.map((word) => wordsOf(word).trim());
  let lastOne = Number.NEGATIVE_INFINITY;
  let lastOther = Number.NEGATIVE_INFINITY;
  for (const [at, word] of list.entries()) {
    const earliest = at - apart - 1;
    if ((word === one && lastOther >= earliest) || (word === other && lastOne >= earliest))
      return true;
    if (word === one) lastOne = at;
    if (word === other) lastOther = at;
  }
  return false;
}
