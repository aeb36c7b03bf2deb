/** Values in words: with names for ids, and on one line. */
import {
  type At,
  type ColumnWords,
  onOneLine,
  quoteText,
  type RowWords,
  type Say,
} from "~/replicas/row-words";

/** All that sentences need of an environment: how its services call their rows, and the rows' names. */
export type Words = { readonly tables: RowWords; readonly say: Say };

const LIST_MAX = 5;
const JSON_MAX = 120;
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/;

/** "dueDate" and "due_date" → "due date"; "profile.email" → "profile email". */
export const plainName = (name: string) =>
  onOneLine(name, JSON_MAX)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_.]/g, " ")
    .toLowerCase();

/** The words of a column, or of a path into one. */
export function columnWords({ tables }: Words, table: string, path: string): ColumnWords {
  const { columns = {} } = tables[table] ?? {};
  if (Object.hasOwn(columns, path)) return columns[path] ?? {};
  const [first = ""] = path.split(".");
  return first !== path && Object.hasOwn(columns, first) && columns[first]?.none === ""
    ? { none: "" }
    : {};
}

export const labelOf = (words: Words, table: string, path: string) =>
  columnWords(words, table, path).label ?? plainName(path);

/** Values that stand beside one: of the same row, or expected of it. */
export type Beside = { readonly [column: string]: unknown };

/** A value of a column; "nothing" for null. */
export function sayValue(
  words: Words,
  column: ColumnWords,
  value: unknown,
  beside: Beside = {},
): string {
  const { of, values = {}, read, part } = column;
  if (part !== undefined && typeof value === "object" && value !== null && part in value) {
    const { [part]: inside } = value as Beside;
    return sayValue(words, { ...column, part: undefined }, inside, beside);
  }
  if (value === null || value === undefined || value === "") return "nothing";
  const plain = String(value);
  if (typeof value !== "object" && Object.hasOwn(values, plain)) return values[plain] ?? plain;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return plain;
  if (Array.isArray(value))
    return list(
      value.map((each) => sayValue(words, column, each, beside)),
      "and",
    );
  if (typeof value !== "string") return onOneLine(JSON.stringify(value), JSON_MAX);
  if (of) return words.say(of.table, value, atOf(of, beside));
  if (MOMENT.test(value)) return onOneLine(value, JSON_MAX);
  return quoteText(read ? read(value, words.say) : value);
}

function atOf({ by, within }: NonNullable<ColumnWords["of"]>, beside: Beside): At | undefined {
  if (by === undefined) return undefined;
  const other = within === undefined ? undefined : beside[within];
  if (within === undefined || typeof other !== "string") return { by };
  return { by, within: [within, other] };
}

/** "a, b or c", and how many more. */
export function list(all: readonly string[], word: "and" | "or"): string {
  if (all.length === 0) return "nothing";
  const shown = all.slice(0, LIST_MAX);
  const more = all.length - shown.length;
  const parts = more > 0 ? [...shown, `${more} more`] : shown;
  const last = parts.at(-1) ?? "";
  return parts.length === 1 ? last : `${parts.slice(0, -1).join(", ")} ${word} ${last}`;
}
