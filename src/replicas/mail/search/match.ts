/** Whether a message fits a query. */
import { isSystemLabel } from "~/replicas/mail/labels";
import { canonicalAddress, readAddresses } from "~/replicas/mail/mime/addresses";
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

export function matches(node: QueryNode, message: Candidate): boolean {
  switch (node.kind) {
    case "and":
      return node.parts.every((part) => matches(part, message));
    case "or":
      return node.parts.some((part) => matches(part, message));
    case "not":
      return !matches(node.part, message);
    default:
      return fits(node.term, message);
  }
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

const hasWords = (text: string | null, words: string): boolean =>
  text !== null && words !== " " && wordsOf(text).includes(words);

function fits(term: Term, message: Candidate): boolean {
  const { labelIds, attachments, subject, body } = message;
  switch (term.kind) {
    case "words":
      return anywhere(message, wordsOf(term.text.replace(/^\+/, "")));
    case "near":
      return [subject, body].some((text) => areNear(text, term.words, term.apart));
    case "subject":
      return hasWords(subject, wordsOf(term.text));
    case "address":
      return addressesOf(message, term.field).some((text) => isFrom(text, term.text, message));
    case "filename":
      return attachments.some(({ filename }) => isFile(filename, term.text));
    case "messageId":
      return message.messageId === term.text;
    case "list":
      return hasHeader(message, "list-id", term.text);
    case "deliveredTo":
      return hasHeader(message, "delivered-to", term.text);
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

const anywhere = ({ subject, from, to, cc, bcc, body, attachments }: Candidate, words: string) =>
  [subject, from, to, cc, bcc, body].some((text) => hasWords(text, words)) ||
  attachments.some(({ filename }) => hasWords(filename, words));

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

function isFrom(text: string | null, wanted: string, { mailbox }: Candidate): boolean {
  if (text === null) return false;
  const whole = wanted === "me" ? mailbox : wanted;
  if (/^[^\s@]*@[^\s@]+$/.test(whole))
    return readAddresses(text).some(({ address }) =>
      whole.startsWith("@")
        ? address.toLowerCase().endsWith(whole)
        : address.toLowerCase() === whole ||
          (address.includes("@") && canonicalAddress(address) === whole),
    );
  return hasWords(text, wordsOf(whole));
}

const isFile = (filename: string, wanted: string) =>
  filename.toLowerCase().endsWith(`.${wanted.toLowerCase().replace(/^\./, "")}`) ||
  hasWords(filename, wordsOf(wanted));

const hasHeader = ({ headers }: Candidate, name: string, wanted: string) =>
  headers.some(
    (header) => header.name.toLowerCase() === name && hasWords(header.value, wordsOf(wanted)),
  );

function areNear(text: string, [one, other]: readonly [string, string], apart: number): boolean {
  const words = wordsOf(text).trim().split(" ");
  const places = (word: string) => {
    const wanted = wordsOf(word).trim();
    return words.flatMap((each, at) => (each === wanted ? [at] : []));
  };
  const others = places(other);
  return places(one).some((a) => others.some((b) => a !== b && Math.abs(a - b) <= apart + 1));
}
