/** The rows of an environment after any call of a run, rebuilt from its changes. */
import type { RunEvent } from "~/clients/typescript/schema";
import { type Names, shortName } from "~/console/names";
import { keysOf, keyText, pick, type Row, textOf } from "~/console/rows";
import type { RunData } from "~/console/run-data";
import type { ServiceRecords } from "~/console/services/shape";
import { type By, type Line, timelineOf } from "~/console/timeline";

export type RebuiltRow = {
  readonly table: string;
  /** Without columns that are neither known nor changed. */
  readonly row: Row;
  /** Who changed it last; undefined if it is unchanged. */
  readonly changedBy: By | undefined;
  readonly isGone: boolean;
};

/** Rows that the service shows as one, or those of a table that belong to none. */
type RebuiltPlace = { readonly id: string; readonly rows: readonly RebuiltRow[] };

export type History = ReturnType<typeof createHistory>;

/** Rows that are shown before a change, as context. */
const NEAR = 2;
/** Earlier changes of a place that serve as context. */
const EARLIER = 20;

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** The last `count` numbers below a limit, of a list in ascending order. */
function lastBelow(sorted: readonly number[], limit: number, count: number): readonly number[] {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return sorted.slice(Math.max(0, low - count), low);
}

/** Indexes a run of a service once: rebuilding its rows at a call then reads only the changes of their places. */
export function createHistory(data: RunData, records: ServiceRecords) {
  const { events, base } = data;
  const { lines, byOf } = timelineOf(data);
  const keys = { ...keysOf(events), ...records.keys };
  const keyOfRow = (table: string, row: Row) => keyText(table, pick(row, keys[table] ?? ["id"]));
  const placeIdOf = (table: string, row: Row) => textOf(records.placeOf(table, row)) || table;
  const placeOf = ({ table, key, before, after }: RunEvent) =>
    placeIdOf(table, { ...key, ...before, ...after });
  const byPlace = new Map<string, number[]>();
  const byRow = new Map<string, number[]>();
  events.forEach((event, index) => {
    push(byPlace, placeOf(event), index);
    push(byRow, keyText(event.table, event.key), index);
  });
  const baseRows = new Map<string, RebuiltRow>();
  const baseByPlace = new Map<string, RebuiltRow[]>();
  for (const [table, rows] of Object.entries(base))
    for (const row of rows) {
      const known = { table, row, changedBy: undefined, isGone: false };
      baseRows.set(keyOfRow(table, row), known);
      const place = placeIdOf(table, row);
      if (byPlace.has(place)) push(baseByPlace, place, known);
    }

  /** Applies changes, given in order, to rows. */
  function apply(rows: Map<string, RebuiltRow>, indexes: Iterable<number>): void {
    for (const index of indexes) {
      const event = events[index];
      if (!event) continue;
      const { table, key, before, after, operation } = event;
      const name = keyText(table, key);
      const known = (rows.get(name) ?? baseRows.get(name))?.row;
      const isGone = operation === "delete";
      const row = { ...known, ...key, ...(isGone ? before : after) };
      rows.set(name, { table, row, changedBy: byOf(index), isGone });
    }
  }

  return {
    lines,
    names: namesOf(data, records),

    /** The places that a line changed: their changed rows and a few before them. */
    touched({ by, changes, upTo }: Line): RebuiltPlace[] {
      const wanted = new Map<string, Set<number>>();
      for (const event of changes) {
        const place = placeOf(event);
        const indexes = wanted.get(place) ?? new Set<number>();
        wanted.set(place, indexes);
        const earlier = lastBelow(byPlace.get(place) ?? [], upTo, EARLIER);
        const row: Row = { ...event.key, ...event.before, ...event.after };
        const owners = [
          keyText(event.table, event.key),
          ...records.ownersOf(event.table, row).map(([table, owner]) => keyOfRow(table, owner)),
        ];
        const own = owners.flatMap((name) => byRow.get(name) ?? []);
        for (const index of [...earlier, ...own]) if (index < upTo) indexes.add(index);
      }
      return [...wanted].map(([id, indexes]) => {
        const rows = new Map<string, RebuiltRow>();
        const first = changes.find((event) => placeOf(event) === id);
        const before = (baseByPlace.get(id) ?? []).filter(({ table, row }) =>
          records.precedes(table, row, first?.key ?? {}),
        );
        for (const each of before.slice(-1 - NEAR)) rows.set(keyOfRow(each.table, each.row), each);
        apply(
          rows,
          [...indexes].toSorted((a, b) => a - b),
        );
        return {
          id,
          rows: [...rows.values()].map((each) =>
            each.changedBy === by ? each : { ...each, changedBy: undefined },
          ),
        };
      });
    },

    /** The places that the run changes, as of its first `count` changes. */
    placesAfter(count: number): RebuiltPlace[] {
      const places = [...byPlace].map(([id, indexes]) => {
        const rows = new Map<string, RebuiltRow>();
        for (const each of baseByPlace.get(id) ?? [])
          rows.set(keyOfRow(each.table, each.row), each);
        apply(
          rows,
          indexes.filter((index) => index < count),
        );
        return { id, rows: [...rows.values()] };
      });
      return places.filter(({ rows }) => rows.some(({ changedBy }) => changedBy !== undefined));
    },
  };
}

/** Names by id, of every row of the base and the changes. */
export function namesOf(
  data: Pick<RunData, "base" | "events">,
  { named, membersOf }: ServiceRecords,
): Names {
  const names = new Map<string, string>();
  const note = (table: string, row: Row) => {
    const id = textOf(row["id"]);
    const known = ["identifier", "real_name", "name", "title"].map((column) => textOf(row[column]));
    const name = known.find(Boolean);
    if (id && name) names.set(id, shortName(named(table, name)));
  };
  const noteMembers = (table: string, row: Row) => {
    const [id, people] = [textOf(row["id"]), membersOf(table, row)];
    if (!id || !people?.length || names.has(id)) return;
    names.set(id, people.map((each) => names.get(each) ?? each).join(", "));
  };
  const created = data.events.map(({ table, key, before, after }) => ({
    table,
    row: { ...key, ...before, ...after },
  }));
  for (const [table, rows] of Object.entries(data.base)) for (const row of rows) note(table, row);
  // A changed title does not replace an identifier.
  for (const { table, row } of created) if (!names.has(String(row["id"]))) note(table, row);
  for (const [table, rows] of Object.entries(data.base))
    for (const row of rows) noteMembers(table, row);
  for (const { table, row } of created) noteMembers(table, row);
  return names;
}
