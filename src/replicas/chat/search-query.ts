/** Search queries: words, "phrases", pre*, -not, and modifiers such as in:#general and has::tada:. */
import { addDays, type Day, dayAt, isDay, momentOf, weekdayOf } from "~/replicas/chat/zones";

/** Seconds; `to` is not included. */
export type Span = { readonly from: number; readonly to: number };

export type Condition =
  | { readonly kind: "word" | "phrase" | "prefix"; readonly text: string }
  | { readonly kind: "mention"; readonly text: string; readonly name: string }
  | { readonly kind: "in" | "from" | "to" | "with"; readonly name: string }
  | { readonly kind: "before" | "after" | "on"; readonly span: Span | undefined }
  | { readonly kind: "emoji"; readonly name: string; readonly own: boolean }
  | { readonly kind: "type"; readonly what: FileClass }
  | { readonly kind: "has"; readonly what: "link" | "pin" | "reaction" | "file" }
  | { readonly kind: "is"; readonly what: "thread" | "saved" | "dm" };
export type Term = { readonly negated: boolean; readonly condition: Condition };

/** Classes of files, for `type:`. */
const FILE_CLASSES = [
  "images",
  "documents",
  "pdfs",
  "spreadsheets",
  "presentations",
  "canvases",
  "lists",
  "emails",
  "audio",
  "videos",
] as const;
export type FileClass = (typeof FILE_CLASSES)[number];

const TERMS_MAX = 50;
const PREFIX_MIN = 3;
const TOKEN =
  /(-?)(?:(in|from|creator|to|with|before|after|on|during|hasmy|has|is|type):)?("[^"]*"|\S+)/gi;
const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );

export function parseQuery(query: string, tz: string, now: number): Term[] {
  const terms: Term[] = [];
  for (const [, minus, modifier, value = ""] of query.matchAll(TOKEN)) {
    const condition = modifier
      ? (readModifier(modifier.toLowerCase(), unquoted(value), tz, now) ??
        readWord(`${modifier}:${value}`))
      : readWord(value);
    if (condition && terms.length < TERMS_MAX) terms.push({ negated: minus === "-", condition });
  }
  return terms;
}

const unquoted = (value: string) => value.replace(/^"(.*)"$/, "$1");

function readWord(value: string): Condition | undefined {
  const text = unquoted(value);
  if (!/[\p{L}\p{N}\p{S}]/u.test(text)) return undefined;
  if (value.startsWith('"')) return { kind: "phrase", text };
  const prefix = /^([\p{L}\p{N}]+)\*$/u.exec(text)?.[1];
  if (prefix && prefix.length >= PREFIX_MIN) return { kind: "prefix", text: prefix };
  return /^@\w/.test(text) ? { kind: "mention", text, name: nameOf(text) } : { kind: "word", text };
}

/** The name in `#general`, `<#C1|general>`, `@maya` or `<@U1>`. */
const nameOf = (value: string) =>
  (/^<[#@]([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(value)?.[1] ?? value.replace(/^[#@]/, "")).toLowerCase();

/** Undefined for a modifier without a meaning: it is searched for as a word. */
function readModifier(
  modifier: string,
  value: string,
  tz: string,
  now: number,
): Condition | undefined {
  switch (modifier) {
    case "in":
    case "from":
    case "to":
    case "with":
      return { kind: modifier, name: nameOf(value) };
    case "creator":
      return { kind: "from", name: nameOf(value) };
    case "type":
      return readType(value.toLowerCase());
    case "before":
    case "after":
    case "on":
      return { kind: modifier, span: readSpan(value.toLowerCase(), tz, now) };
    case "during":
      return { kind: "on", span: readSpan(value.toLowerCase(), tz, now) };
    case "is":
      return readIs(value.toLowerCase());
    default:
      return readHas(value.toLowerCase(), modifier === "hasmy");
  }
}

function readType(value: string): Condition | undefined {
  const what = FILE_CLASSES.find((known) => known === value);
  return what && { kind: "type", what };
}

function readIs(value: string): Condition | undefined {
  if (value === "starred") return { kind: "is", what: "saved" };
  return value === "thread" || value === "saved" || value === "dm"
    ? { kind: "is", what: value }
    : undefined;
}

function readHas(value: string, own: boolean): Condition | undefined {
  const emoji = /^:(.+):$/.exec(value)?.[1];
  if (emoji) return { kind: "emoji", name: emoji, own };
  if (value === "star") return { kind: "is", what: "saved" };
  return value === "link" || value === "pin" || value === "reaction" || value === "file"
    ? { kind: "has", what: value }
    : undefined;
}

/** A day, month, year or week in the user's zone. Undefined for anything else, which matches nothing. */
function readSpan(value: string, tz: string, now: number): Span | undefined {
  const today = dayAt(tz, now);
  const between = (from: Day, to: Day) => ({ from: momentOf(tz, from), to: momentOf(tz, to) });
  const oneDay = (day: Day) => between(day, addDays(day, 1));
  const month = (year: number, at: number) =>
    between({ year, month: at, day: 1 }, { year, month: at + 1, day: 1 });
  if (value === "today") return oneDay(today);
  if (value === "yesterday") return oneDay(addDays(today, -1));
  if (value === "week") {
    const monday = addDays(today, -((weekdayOf(today) + 6) % 7));
    return between(monday, addDays(monday, 7));
  }
  if (value === "month") return month(today.year, today.month);
  const named = MONTHS.findIndex((name) => name === value || name.slice(0, 3) === value) + 1;
  if (named > 0) return month(named > today.month ? today.year - 1 : today.year, named);
  if (/^\d{4}$/.test(value)) {
    const year = Number(value);
    return between({ year, month: 1, day: 1 }, { year: year + 1, month: 1, day: 1 });
  }
  const iso = /^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?$/.exec(value);
  if (iso && iso[3] === undefined)
    return Number(iso[2]) >= 1 && Number(iso[2]) <= 12
      ? month(Number(iso[1]), Number(iso[2]))
      : undefined;
  const us = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(value);
  const [year, at, day] = us ? [us[3], us[1], us[2]] : [iso?.[1], iso?.[2], iso?.[3]];
  const date = { year: Number(year), month: Number(at), day: Number(day) };
  return isDay(date) ? oneDay(date) : undefined;
}
