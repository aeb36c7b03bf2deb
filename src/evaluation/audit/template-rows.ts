/** The template that a solution began with: what its rows refer to, and what else they could have referred to. */
import type { JsonObject } from "~/capture/fold";
import type { JsonValue } from "~/capture/value";
import { keyText, type Rows, same } from "~/evaluation/audit/rows";
import type { Keys } from "~/evaluation/candidates";
import type { Row } from "~/evaluation/predicate";
import type { Vocabulary } from "~/evaluation/vocabulary";

export type TemplateRows = ReturnType<typeof createTemplateRows>;

/** Shorter values are words, not ids. */
const ID_LENGTH_MIN = 6;
const NAME_LENGTH_MAX = 200;
const TRIES_MAX = 50;

export function createTemplateRows(template: Rows, keys: Keys, vocabulary: Vocabulary) {
  const tables = new Map(
    Object.entries(template).map(([table, rows]) => [
      table,
      rows
        .map((row) => [keyText(keys, table, row), row] as const)
        .toSorted(([a], [b]) => Number(a > b) - Number(a < b))
        .map(([, row]) => row),
    ]),
  );
  const existing = new Map(
    [...tables].map(([table, rows]) => [
      table,
      new Set(rows.map((row) => keyText(keys, table, row))),
    ]),
  );
  /** By an id: the table that has it, and its row. */
  const owners = new Map<unknown, { table: string; column: string; row: JsonObject }>();
  for (const [table, rows] of tables) {
    const [column, second] = keys[table] ?? [];
    if (column !== undefined && second === undefined)
      for (const row of rows) owners.set(row[column], { table, column, row });
  }
  const words = new WeakMap<object, ReadonlySet<string>>();
  const rowsOf = (table: string): readonly JsonObject[] => tables.get(table) ?? [];
  const has = (table: string, row: Row) => existing.get(table)?.has(keyText(keys, table, row));

  function wordsOf(row: Row): ReadonlySet<string> {
    const known = words.get(row);
    if (known) return known;
    const found = new Set(
      Object.values(row)
        .filter((value) => typeof value === "string" && value.length <= NAME_LENGTH_MAX)
        .flatMap(
          (value) =>
            String(value)
              .toLowerCase()
              .match(/\p{L}{3,}/gu) ?? [],
        ),
    );
    words.set(row, found);
    return found;
  }

  /** The rows of a table that one could take for this one: those with the most words in common first. */
  function similar(table: string, row: Row, fits: (row: JsonObject) => boolean = () => true) {
    const own = wordsOf(row);
    const rank = (other: JsonObject) => [...wordsOf(other)].filter((word) => own.has(word)).length;
    const text = keyText(keys, table, row);
    return rowsOf(table)
      .filter((other) => keyText(keys, table, other) !== text && fits(other))
      .map((other) => ({ other, rank: rank(other) }))
      .toSorted((a, b) => b.rank - a.rank)
      .map(({ other }) => other);
  }

  /** A part of a key with several columns, such as the time of a message: a row that has it beside the same others. */
  function partOf(table: string, row: Row, column: string) {
    const candidates = [...tables].flatMap(([owner, rows]) => {
      const key = keys[owner] ?? [];
      if (key.length < 2) return [];
      return key.flatMap((part) => {
        if (owner === table && part === column) return [];
        const shared = key.filter((other) => other !== part && row[other] !== undefined);
        const isBeside = (other: Row) => shared.every((name) => same(other[name], row[name]));
        const found = rows.find((other) => other[part] === row[column] && isBeside(other));
        return found ? [{ owner, part, found, isBeside, size: rows.length }] : [];
      });
    });
    return candidates.toSorted((a, b) => b.size - a.size)[0];
  }

  return {
    tables: () => [...tables.keys()],
    rowsOf,
    similar,

    /**
     * If the column names another row: its table, and the values that other rows of that table have instead, the most
     * similar one first. `created`: rows of the solution.
     */
    reference(
      table: string,
      row: Row,
      column: string,
      created: ReadonlyMap<unknown, { readonly table: string; readonly row: Row }>,
    ): { readonly table: string; readonly others: readonly JsonValue[] } | undefined {
      const value = row[column];
      if (typeof value !== "string" || value.length < ID_LENGTH_MIN) return undefined;
      const owner = owners.get(value) ?? created.get(value);
      if (owner) {
        const [id = ""] = keys[owner.table] ?? [];
        const others = similar(owner.table, owner.row).map((other) => other[id] ?? null);
        return { table: owner.table, others };
      }
      const part = partOf(table, row, column);
      if (!part) return undefined;
      const others = similar(part.owner, part.found, part.isBeside).map(
        (other) => other[part.part] ?? null,
      );
      return { table: part.owner, others: [...new Set(others)].filter((each) => each !== value) };
    },

    /** Another value that a row of the template has in this column. */
    otherValue(table: string, column: string, value: unknown): JsonValue | undefined {
      const found = rowsOf(table).find((row) => !same(row[column] ?? null, value ?? null));
      return found && (found[column] ?? null);
    },

    /** The same row under a key that no row has; undefined if its key says all that there is to say. */
    renewed(table: string, row: Row, taken: ReadonlySet<string>): Row | undefined {
      const key = keys[table] ?? [];
      const isFree = (made: Row) => !has(table, made) && !taken.has(keyText(keys, table, made));
      for (const column of key) {
        const value = row[column];
        const isShared =
          key.length > 1 &&
          (owners.has(value) || rowsOf(table).some((other) => other[column] === value));
        if (isShared) continue;
        for (let nth = 1; nth <= TRIES_MAX; nth++) {
          const made = { ...row, [column]: renewedId(value ?? null, nth) };
          if (isFree(made)) return made;
        }
      }
      return undefined;
    },

    /** A row that the table does not have: its key is put together from others. Without rows, from nothing. */
    unknownRow(table: string, taken: ReadonlySet<string>): Row {
      const columns = vocabulary.tables.find(({ name }) => name === table)?.columns ?? [];
      const rows = rowsOf(table);
      const [first] = rows;
      if (!first) return Object.fromEntries(columns.map(({ name, type }) => [name, sample(type)]));
      const made = this.renewed(table, first, taken);
      if (made) return made;
      for (const column of keys[table] ?? [])
        for (const other of rows.slice(0, TRIES_MAX)) {
          const row = { ...first, [column]: other[column] ?? null };
          if (!has(table, row) && !taken.has(keyText(keys, table, row))) return row;
        }
      const [column = ""] = keys[table] ?? [];
      return { ...first, [column]: renewedId(first[column] ?? null, 1) };
    },
  };
}

/** A value of the same form that is not in use. */
function renewedId(value: JsonValue, nth: number): JsonValue {
  if (typeof value === "number") return value + nth;
  if (typeof value !== "string") return `audit ${nth}`;
  const end = String(nth).padStart(2, "0");
  return value.length > end.length ? value.slice(0, -end.length) + end : value + end;
}

/** A value of this type. */
function sample(type: string): JsonValue {
  if (type.endsWith("[]")) return [];
  if (type.startsWith("json")) return {};
  if (type.startsWith("bool")) return false;
  if (type.startsWith("timestamp")) return "2026-01-01T00:00:00.000Z";
  if (type === "date") return "2026-01-01";
  if (type === "uuid") return "00000000-0000-4000-8000-00000000a0d1";
  return /^(small|big)?int|^float|^numeric|^double|^real/.test(type) ? 1 : "audit";
}
