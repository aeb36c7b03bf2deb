/** Mutants of texts, and of columns that the solution leaves alone. */

import type { JsonValue } from "~/capture/value";
import { setColumns, withValues } from "~/evaluation/audit/changes";
import { type Mutant, type MutationInput, replaced, shown } from "~/evaluation/audit/mutant";
import { type AuditRow, same } from "~/evaluation/audit/rows";
import { isObject } from "~/input/json";

/** Times: of Postgres, and numbers with a fraction. */
const MOMENT = /^\d{4}-\d\d-\d\dT|^\d{10}\.\d+$/;
const LEAVES_MAX = 10;

/** A text of a row: the whole column, or a field of its JSON. */
type Text = {
  readonly column: string;
  readonly field: string | undefined;
  readonly text: string;
};

/** Texts that the solution has set: no ids of other rows, and no times. */
function textsOf(input: MutationInput, row: AuditRow): Text[] {
  const { templateRows, created } = input;
  const { after = {}, before = {}, table } = row;
  const isText = (value: unknown): value is string =>
    typeof value === "string" && value !== "" && !MOMENT.test(value);
  return setColumns(input, row).flatMap((column): Text[] => {
    const value = after[column];
    if (isText(value)) {
      const isId =
        templateRows.reference(table, after, column, created) || isOfKey(input, table, column);
      return isId ? [] : [{ column, field: undefined, text: value }];
    }
    if (!isObject(value)) return [];
    const old = before[column];
    return Object.entries(value)
      .filter(
        ([field, text]) =>
          isText(text) &&
          !templateRows.reference(table, value as never, field, created) &&
          !(isObject(old) && old[field] === text),
      )
      .slice(0, LEAVES_MAX)
      .map(([field, text]) => ({ column, field, text: text as string }));
  });
}

/** Parts of keys are ids and times, unless the template uses their values again and again. */
const isOfKey = ({ keys, templateRows }: MutationInput, table: string, column: string) =>
  keys[table]?.includes(column) === true &&
  new Set(templateRows.rowsOf(table).map((row) => row[column])).size >=
    templateRows.rowsOf(table).length;

const nameOf = ({ column, field }: Text) => (field === undefined ? column : `${column}.${field}`);

function withText(row: AuditRow, { column, field }: Text, text: JsonValue): AuditRow | undefined {
  const value = field === undefined ? text : { ...(row.after?.[column] as object), [field]: text };
  return withValues(row, { [column]: value });
}

/** The text with its first word, and with its last one, changed. */
export function alterations(text: string): string[] {
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)];
  const places = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return places.flatMap((word) => {
    if (!word) return [`${text} other`];
    const [old] = word;
    const made = text.slice(0, word.index) + otherWord(old) + text.slice(word.index + old.length);
    return [made];
  });
}

function otherWord(word: string): string {
  if (/^\d+$/.test(word)) return String(BigInt(word) + 1n).padStart(word.length, "0");
  return word.toLowerCase() === "other" ? "another" : "other";
}

export function* textMutants(input: MutationInput): Generator<Mutant> {
  for (const row of input.subjects)
    for (const text of textsOf(input, row)) {
      const path = `${row.name}.${nameOf(text)}`;
      const of = { row, column: nameOf(text) };
      const mutant = (kind: "altered" | "emptied" | "swapped", by: JsonValue, end = "") => ({
        class: kind,
        name: `${kind} ${path}${end}`,
        change: `${nameOf(text)} of ${row.name} is ${shown(by)}`,
        expected: "less" as const,
        rows: replaced(input, row, withText(row, text, by)),
        of,
      });
      for (const [index, other] of alterations(text.text).entries())
        yield mutant("altered", other, ` ${index + 1}`);
      yield mutant("emptied", "");
      const other = textOfAnother(input, row, text);
      if (other !== undefined) yield mutant("swapped", other);
    }
  yield* exchangedMutants(input);
}

/** The text that a row of the template has there. */
function textOfAnother(
  { templateRows }: MutationInput,
  { table }: AuditRow,
  { column, field, text }: Text,
) {
  for (const row of templateRows.rowsOf(table)) {
    const value = row[column];
    const other = field !== undefined && isObject(value) ? value[field] : value;
    if (typeof other === "string" && other !== "" && other !== text) return other;
  }
  return undefined;
}

/** Two rows of the solution have each other's texts. */
function* exchangedMutants(input: MutationInput): Generator<Mutant> {
  const { subjects } = input;
  for (const [index, row] of subjects.entries()) {
    const next = subjects
      .slice(index + 1)
      .find(({ table, change }) => table === row.table && change === row.change);
    if (!next) continue;
    for (const text of textsOf(input, row)) {
      const column = nameOf(text);
      const other = textsOf(input, next).find((each) => nameOf(each) === column);
      if (!other || other.text === text.text) continue;
      const rows = replaced(input, row, withText(row, text, other.text));
      const swapped = withText(next, other, text.text);
      yield {
        class: "swapped",
        name: `swapped ${row.name}.${column} ${next.name}`,
        change: `${row.name} and ${next.name} have each other's ${column}`,
        expected: "less",
        rows: rows.flatMap((each) => (each === next ? (swapped ?? []) : each)),
        of: { row, column },
      };
    }
  }
}

/** Of a changed row, the columns that did not change; of an added row, those without a text or an id. */
export function* columnMutants(
  input: MutationInput,
  ignored: (row: AuditRow) => ReadonlySet<string>,
): Generator<Mutant> {
  const { templateRows, keys, spec, created } = input;
  for (const row of input.subjects) {
    const { table, after, change, changed } = row;
    if (!after) continue;
    const texts = new Set(textsOf(input, row).map(({ column }) => column));
    const isOther = (column: string) =>
      change === "changed"
        ? !changed.includes(column)
        : !texts.has(column) && !templateRows.reference(table, after, column, created);
    for (const [column, value] of Object.entries(after)) {
      const isKept =
        keys[table]?.includes(column) ||
        spec.free.get(table)?.has(column) ||
        ignored(row).has(column) ||
        !isOther(column);
      const other = isKept ? undefined : templateRows.otherValue(table, column, value);
      if (other === undefined || same(other, value)) continue;
      yield {
        class: "extra_column",
        name: `extra_column ${row.name}.${column}`,
        change: `${column} of ${row.name} is ${shown(other)}`,
        expected: "less",
        rows: replaced(input, row, withValues(row, { [column]: other })),
        of: { row, column },
      };
    }
  }
}
