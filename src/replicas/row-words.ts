/**
 * How a service calls its rows, for sentences about them. All of it is optional: a table without an entry, and a column
 * without one, are called by their own names.
 */

type Row = { readonly [column: string]: unknown };

/** Which column of a table has the value, by default `id`, and what another one has, if that one alone names no row. */
export type At = {
  readonly by: string;
  readonly within?: readonly [column: string, value: string];
};
/** The name of the row of a table that has a value; the value itself if there is none. */
export type Say = (table: string, value: string, at?: At) => string;

export type ColumnWords = {
  /** "due date" */
  readonly label?: string;
  /** The row that the column names: by its `id` unless another column is given, and by one that both tables have. */
  readonly of?: { readonly table: string; readonly by?: string; readonly within?: string };
  /** Before the value: "in", "by"; empty: nothing is needed. Otherwise: "whose due date is". */
  readonly is?: string;
  /** For null: "outside threads". Empty: not worth a word. Otherwise: "without a due date". */
  readonly none?: string;
  /** For these values: "also sent to the channel". */
  readonly says?: { readonly [value: string]: string };
  /** For true and for false. */
  readonly yes?: string;
  readonly no?: string;
  /** A text that people write: "that says". */
  readonly isText?: boolean;
  /** The names of values. */
  readonly values?: { readonly [value: string]: string };
  /** Of a value in JSON: the field that people know it by. */
  readonly part?: string | undefined;
  /** Presents a text: with names for the ids in it. */
  readonly read?: (text: string, say: Say) => string;
};

export type TableWords = {
  /** One row, and several: "message", "messages". */
  readonly one?: string;
  readonly many?: string;
  /** The name of a row, wherever it is mentioned: "#general". */
  readonly name?: (row: Row, say: Say) => string;
  /** The columns that `name` reads. */
  readonly named?: readonly string[];
  /** Follows the noun where the row is the subject: "in #general: “Hello”". Otherwise its name. */
  readonly tells?: (row: Row, say: Say) => string;
  readonly columns?: { readonly [path: string]: ColumnWords };
  /** Where a reader looks for it: a table, and the id of a row in it. */
  readonly place?: (row: Row) => { readonly table: string; readonly id: unknown };
};

export type RowWords = { readonly [table: string]: TableWords };

const QUOTE_MAX = 160;
/** Control characters, and those that change the direction of what follows. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A text from a row on one line, which cannot change how the rest of the line is read. */
export const onOneLine = (text: string, max: number) => {
  const line = text
    .slice(0, 4 * max)
    .replace(UNSEEN, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  const letters = [...line];
  return letters.length > max ? `${letters.slice(0, max).join("")}…` : line;
};

/** A text from a row, in quotation marks that it cannot close. */
export const quoteText = (text: string, max = QUOTE_MAX) =>
  `“${onOneLine(text, max).replace(/[“”]/g, '"')}”`;

/** One row and several of a table that has an entry: "message", "messages". */
export const nounsOf = (table: string, { one, many }: TableWords) => {
  const name = table.replaceAll("_", " ");
  return { one: one ?? name.replace(/s$/, ""), many: many ?? name };
};

/** The words of a service whose tables have another name in a world. */
export function wordsInWorld(words: RowWords, nameOf: (table: string) => string): RowWords {
  const inside =
    (say: Say): Say =>
    (table, value, at) =>
      say(nameOf(table), value, at);
  const entries = Object.entries(words).map(([table, whole]) => {
    const { name, tells, place, columns, ...rest } = whole;
    const own: TableWords = {
      ...rest,
      ...nounsOf(table, whole),
      ...(name && { name: (row, say) => name(row, inside(say)) }),
      ...(tells && { tells: (row, say) => tells(row, inside(say)) }),
      ...(place && {
        place: (row) => {
          const { table, id } = place(row);
          return { table: nameOf(table), id };
        },
      }),
      ...(columns && {
        columns: Object.fromEntries(
          Object.entries(columns).map(([column, { of, read, ...words }]) => [
            column,
            {
              ...words,
              ...(of && { of: { ...of, table: nameOf(of.table) } }),
              ...(read && { read: (text: string, say: Say) => read(text, inside(say)) }),
            },
          ]),
        ),
      }),
    };
    return [nameOf(table), own] as const;
  });
  return Object.fromEntries(entries);
}
