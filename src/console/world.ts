/** The rows of an environment after any call of a run, rebuilt from its changes. */
import type { Call, RunEvent } from "~/clients/typescript/schema";
import { shortName } from "~/console/names";
import type { Names } from "~/console/parts/chat-text";
import { KEYS, type Row } from "~/console/rows";
import type { RunData } from "~/console/run-data";

const keyOf = (table: string, key: Row) =>
  `${table} ${JSON.stringify(Object.values(key).map(String))}`;

const keyOfRow = (table: string, row: Row) =>
  keyOf(table, Object.fromEntries((KEYS[table] ?? ["id"]).map((column) => [column, row[column]])));

export type WorldRow = {
  readonly table: string;
  /** Without columns that are neither known nor changed. */
  readonly row: Row;
  /** The number of the call that changed it last; 0 for a change without a call; undefined if it is unchanged. */
  readonly changedBy: number | undefined;
  readonly isGone: boolean;
};

/** A conversation or an issue, or a table whose rows belong to neither. */
export type WorldPlace = { readonly id: string; readonly rows: readonly WorldRow[] };

/** A call with its changes. */
export type Line = {
  /** Number of the call; 0 for the changes without a call. */
  readonly n: number;
  readonly call: Call | undefined;
  readonly changes: readonly RunEvent[];
  /** The number of changes that were committed up to and including this call. */
  readonly upTo: number;
};

export type History = ReturnType<typeof createHistory>;

/** Rows that are shown before a change, as context. */
const NEAR = 2;
/** Earlier changes of a place that serve as context. */
const EARLIER = 20;

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

function placeIdOf(table: string, row: Row): string {
  const own = table === "channels" || table === "issues" ? row["id"] : undefined;
  const id = row["channel_id"] ?? own ?? row["issueId"] ?? row["projectId"];
  return textOf(id) ?? table;
}

const placeOf = ({ table, key, before, after }: RunEvent) =>
  placeIdOf(table, { ...key, ...before, ...after });

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

/** Indexes a run once: rebuilding the world at a call then reads only the changes of its places. */
export function createHistory(data: RunData) {
  const { events, calls, base, attribution } = data;
  const callOf = new Map<number, number>();
  for (const { n, changes } of calls) for (const change of changes ?? []) callOf.set(change - 1, n);
  const byPlace = new Map<string, number[]>();
  const byRow = new Map<string, number[]>();
  events.forEach((event, index) => {
    push(byPlace, placeOf(event), index);
    push(byRow, keyOf(event.table, event.key), index);
  });
  const baseRows = new Map<string, WorldRow>();
  const baseByPlace = new Map<string, WorldRow[]>();
  for (const [table, rows] of Object.entries(base))
    for (const row of rows) {
      const known = { table, row, changedBy: undefined, isGone: false };
      baseRows.set(keyOfRow(table, row), known);
      const place = placeIdOf(table, row);
      if (byPlace.has(place)) push(baseByPlace, place, known);
    }

  /** Applies changes, given in order, to rows. */
  function apply(rows: Map<string, WorldRow>, indexes: Iterable<number>): void {
    for (const index of indexes) {
      const event = events[index];
      if (!event) continue;
      const { table, key, before, after, operation } = event;
      const name = keyOf(table, key);
      const known = (rows.get(name) ?? baseRows.get(name))?.row;
      const isGone = operation === "delete";
      const row = { ...known, ...key, ...(isGone ? before : after) };
      rows.set(name, { table, row, changedBy: callOf.get(index) ?? 0, isGone });
    }
  }

  let upTo = 0;
  const lines: Line[] = calls.map((call) => {
    upTo = Math.max(upTo, ...(call.changes ?? []));
    const changes = (call.changes ?? []).flatMap((position) => events[position - 1] ?? []);
    return { n: call.n, call, changes, upTo };
  });
  const alone = attribution === "pending" ? [] : events.filter((_, index) => !callOf.has(index));
  if (alone.length > 0) lines.push({ n: 0, call: undefined, changes: alone, upTo: events.length });

  return {
    lines,
    names: namesOf(data),

    /** The places that a line changed: their changed rows and a few before them. */
    touched({ n, changes, upTo }: Line): WorldPlace[] {
      const wanted = new Map<string, Set<number>>();
      for (const event of changes) {
        const place = placeOf(event);
        const indexes = wanted.get(place) ?? new Set<number>();
        wanted.set(place, indexes);
        const earlier = lastBelow(byPlace.get(place) ?? [], upTo, EARLIER);
        // A reaction or a comment is shown with what it belongs to.
        const row: Row = { ...event.key, ...event.before, ...event.after };
        const owners = [
          keyOf(event.table, event.key),
          keyOfRow("messages", row),
          keyOf("issues", { id: row["issueId"] }),
        ];
        const own = owners.flatMap((name) => byRow.get(name) ?? []);
        for (const index of [...earlier, ...own]) if (index < upTo) indexes.add(index);
      }
      return [...wanted].map(([id, indexes]) => {
        const rows = new Map<string, WorldRow>();
        const first = changes.find((event) => placeOf(event) === id);
        const ts = textOf(first?.key["ts"]) ?? "";
        const before = (baseByPlace.get(id) ?? []).filter(
          ({ table, row }) => table !== "messages" || (textOf(row["ts"]) ?? "") <= ts,
        );
        for (const each of before.slice(-1 - NEAR)) rows.set(keyOfRow(each.table, each.row), each);
        apply(
          rows,
          [...indexes].toSorted((a, b) => a - b),
        );
        return {
          id,
          rows: [...rows.values()].map((each) =>
            each.changedBy === n ? each : { ...each, changedBy: undefined },
          ),
        };
      });
    },

    /** The places that the run changes, as of its first `count` changes. */
    placesAfter(count: number): WorldPlace[] {
      const places = [...byPlace].map(([id, indexes]) => {
        const rows = new Map<string, WorldRow>();
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
export function namesOf(data: Pick<RunData, "base" | "events">): Names {
  const names = new Map<string, string>();
  const note = (table: string, row: Row) => {
    const id = textOf(row["id"]);
    if (id === undefined) return;
    const known = ["identifier", "real_name", "name", "title"].map((column) => textOf(row[column]));
    const name = known.find((each) => each !== undefined);
    if (name !== undefined) names.set(id, shortName(table === "channels" ? `#${name}` : name));
  };
  /** A direct conversation is named after its members. */
  const direct = (row: Row) => {
    const [id, people] = [textOf(row["id"]), textOf(row["member_key"])];
    if (id === undefined || people === undefined || names.has(id)) return;
    const members = people.split(",").map((user) => names.get(user) ?? user);
    names.set(id, members.join(", "));
  };
  const created = data.events.map(({ table, key, before, after }) => ({
    table,
    row: { ...key, ...before, ...after },
  }));
  for (const [table, rows] of Object.entries(data.base)) for (const row of rows) note(table, row);
  // A changed title does not replace an identifier.
  for (const { table, row } of created) if (!names.has(String(row["id"]))) note(table, row);
  for (const row of data.base["channels"] ?? []) direct(row);
  for (const { table, row } of created) if (table === "channels") direct(row);
  return names;
}
