/**
 * The net effect of a run: for each row, only its state before and its state now.
 *
 * Pure. A row that is inserted and deleted, or changed and changed back, is no difference.
 */
import type { Change, Image, TableShape } from "~/capture/change";
import { bytesOf } from "~/capture/limits";
import { Lost } from "~/capture/loss";
import { type JsonValue, toJson } from "~/capture/value";
import { memberOf } from "~/replicas/members";

export type JsonObject = { [column: string]: JsonValue };
export type Diff = { inserts: JsonObject[]; updates: JsonObject[]; deletes: JsonObject[] };

/** Evidence for a verdict that the diff leaves out. Rows have `__table__`. */
export type Evidence = {
  /** For each update of the diff, in the same order: the columns that did not change. */
  unchangedColumns: JsonObject[];
  /** Rows that were written and ended as they began. */
  revertedRows: JsonObject[];
  /** Keys of rows that were inserted and deleted again. */
  transientRows: JsonObject[];
};

/** Receives the rows of a result: a list of values, or of their texts. */
type Into<Lists> = { readonly [Name in keyof Lists]: { push(value: JsonObject): unknown } };

/** Keyed rows of one table. `undefined`: no such row. */
type Entry = { before: Image | undefined; after: Image | undefined; bytes: number };
type FoldTable = TableShape & {
  readonly key: readonly string[];
  /** An old row had no value outside its key: all were null, or are not in the log. */
  bare: boolean;
  readonly rows: Map<string, Entry>;
};

export type Fold = ReturnType<typeof createFold>;

/** `keys`: primary key columns of each table, in the order in which the diff lists the tables. */
export function createFold(keys: { readonly [table: string]: readonly string[] }) {
  const tables = new Map<string, FoldTable>();
  for (const [name, key] of Object.entries(keys))
    tables.set(name, { name, key, columns: [], types: [], rows: new Map(), bare: false });
  let size = 0;
  let bytes = 0;

  const keyOf = (table: FoldTable, image: Image): string => {
    const [only, second] = table.key;
    if (only !== undefined && second === undefined) return image[table.columns.indexOf(only)] ?? "";
    return JSON.stringify(table.key.map((column) => image[table.columns.indexOf(column)]));
  };

  const count = (entry: Entry, key: string) => {
    bytes -= entry.bytes;
    entry.bytes = ENTRY_BYTES + 2 * key.length + bytesOfEntry(entry);
    bytes += entry.bytes;
  };

  const put = (
    table: FoldTable,
    key: string,
    before: Image | undefined,
    after: Image | undefined,
  ) => {
    let entry = table.rows.get(key);
    if (entry) {
      // It was inserted and deleted, and somebody else has inserted it since.
      if (!entry.before && !entry.after) entry.before = before;
      entry.after = after;
    } else {
      entry = { before, after, bytes: 0 };
      table.rows.set(key, entry);
      size++;
    }
    count(entry, key);
  };

  return {
    /** Number of rows held, for a limit. */
    get size() {
      return size;
    },

    /** Memory used. */
    get bytes() {
      return bytes;
    },

    /** Whether a table's old rows may have been incomplete, as far as the log shows. */
    isBare: (name: string) => tables.get(name)?.bare === true,

    /** The table as the decoder fills it; undefined if it did not exist when the run began. */
    table: (name: string): TableShape | undefined => tables.get(name),

    /** `isShared`: others change the same rows, and their changes are not applied. */
    apply(change: Change, isShared = false): void {
      const table = change.table as FoldTable;
      if (change.op === "insert") {
        const after = whole(change.after);
        put(table, keyOf(table, after), undefined, after);
        return;
      }
      const { before } = change;
      table.bare ||= isBare(table, before);
      const oldKey = keyOf(table, before);
      const after = change.op === "update" ? completed(table, change.after, before) : undefined;
      const newKey = after && keyOf(table, after);
      if (newKey === undefined || newKey === oldKey) {
        const entry = isShared ? table.rows.get(oldKey) : undefined;
        const known = entry?.after;
        if (entry?.before && !known && after) entry.before = renewed(entry.before, before, after);
        put(table, oldKey, before, known && after ? amended(known, before, after) : after);
        return;
      }
      put(table, oldKey, before, undefined);
      put(table, newKey, undefined, after);
    },

    /** Another actor has changed a row of this fold: columns that were the same before and now stay so. */
    follow(change: Change): void {
      const table = tables.get(change.table.name);
      if (!table || change.op !== "update") return;
      const { columns } = change.table;
      const key = keyOf(table, change.before);
      const entry = table.rows.get(key);
      if (!entry?.before || !entry.after) return;
      // Copies: the events of the run may hold the same images.
      const [before, after] = [[...entry.before], [...entry.after]];
      for (const [index, text] of change.after.entries()) {
        const place = table.columns.indexOf(columns[index] ?? "");
        const isSame = before[place] === after[place];
        if (text === undefined || text === change.before[index] || place < 0 || !isSame) continue;
        before[place] = text;
        after[place] = text;
      }
      Object.assign(entry, { before, after });
      count(entry, key);
    },

    /**
     * Adds the net differences to `diff`, within a table in the order of each row's first change, and the evidence that
     * they leave out to `evidence`. Frees all rows.
     */
    drain(diff: Into<Diff>, evidence?: Into<Evidence>): void {
      for (const table of tables.values())
        for (const [key, { before, after }] of table.rows) {
          table.rows.delete(key);
          addDifference(diff, table, before, after);
          if (!evidence) continue;
          if (before || after) addEvidence(evidence, table, before, after);
          else evidence.transientRows.push({ ...headingOf(table.name), ...keyColumns(table, key) });
        }
    },
  };
}

/** Size of an entry without its key and rows. */
const ENTRY_BYTES = 96;

/** Memory of both rows. Values they share are stored once. */
function bytesOfEntry({ before, after }: Entry): number {
  if (!before || !after) return bytesOf(before ?? after ?? []);
  for (let place = 0; place < after.length; place++)
    if (after[place] === before[place]) after[place] = before[place];
  return bytesOf(before) + bytesOf(after, before);
}

/** Restores the key's columns from the text that identifies the row. */
function keyColumns({ key, columns, types }: FoldTable, text: string): JsonObject {
  const texts: string[] = key.length === 1 ? [text] : JSON.parse(text);
  const typeOf = (column: string) => types[columns.indexOf(column)] ?? "text";
  return Object.fromEntries(
    key.map((column, index) => [column, toJson(texts[index] ?? null, typeOf(column))]),
  );
}

/** Returns the new row with the large values that the update did not change, which are not in the log. */
const completed = ({ columns }: TableShape, after: Image, before: Image): Image =>
  whole(columns.map((_, place) => (after[place] === undefined ? before[place] : after[place])));

/** A row with the columns that an update of it has changed. The others may have been changed by somebody else. */
const amended = (row: Image, before: Image, after: Image): Image =>
  after.map((text, place) => (text === before[place] ? (row[place] ?? null) : text));

/**
 * A row that an actor has deleted, and updates after somebody else has inserted it again: in the columns that it changes
 * its own first values, in the others those that it found.
 */
const renewed = (deleted: Image, before: Image, after: Image): Image =>
  before.map((text, place) => (text === after[place] ? text : (deleted[place] ?? null)));

/** Checks that a new row has every column that its table ever had. */
function whole(after: Image): Image {
  if (after.includes(undefined)) throw new Lost("table_altered");
  return after;
}

const isBare = ({ key, columns }: FoldTable, before: Image) =>
  !before.some((text, place) => typeof text === "string" && !key.includes(columns[place] ?? ""));

/** Names the table of a row of a diff, and in a world its service. */
function headingOf(table: string): JsonObject {
  const service = memberOf(table);
  return service === undefined ? { __table__: table } : { __table__: table, __service__: service };
}

/** Adds the difference of one row, if there is one. */
export function addDifference(
  diff: Into<Diff>,
  table: TableShape & { readonly key: readonly string[] },
  before: Image | undefined,
  after: Image | undefined,
): void {
  const { name, columns, key } = table;
  const all = columns.map((_, place) => place);
  const pick = (image: Image, places: readonly number[]) => pickFrom(table, image, places);
  if (before && after) {
    const changed = all.filter((place) => differs(before, after, place));
    if (changed.length === 0) return;
    const keyPlaces = key.map((column) => columns.indexOf(column));
    diff.updates.push({
      ...headingOf(name),
      key: pick(after, keyPlaces),
      before: pick(before, changed),
      after: pick(after, changed),
    });
  } else if (after) diff.inserts.push({ ...headingOf(name), ...pick(after, all) });
  else if (before) diff.deletes.push({ ...headingOf(name), ...pick(before, all) });
}

/** Adds the evidence that `addDifference` leaves out, for a row that exists before and after. */
export function addEvidence(
  evidence: Into<Evidence>,
  table: TableShape,
  before: Image | undefined,
  after: Image | undefined,
): void {
  if (!before || !after) return;
  const all = table.columns.map((_, place) => place);
  const same = all.filter((place) => !differs(before, after, place));
  if (same.length < all.length) evidence.unchangedColumns.push(pickFrom(table, before, same));
  else evidence.revertedRows.push({ ...headingOf(table.name), ...pickFrom(table, before, all) });
}

const differs = (before: Image, after: Image, place: number) =>
  (before[place] ?? null) !== (after[place] ?? null);

export function pickFrom(
  { columns, types }: TableShape,
  image: Image,
  places: readonly number[],
): JsonObject {
  const object: JsonObject = Object.create(null);
  for (const place of places) {
    const text = image[place];
    if (text !== undefined) object[columns[place] ?? ""] = toJson(text, types[place] ?? "text");
  }
  return object;
}
