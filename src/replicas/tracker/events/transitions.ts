/** Merges the changes of each entity in a transaction. */
import { type Change, entityOf, rowOf, type Transition } from "~/replicas/tracker/events/change";
import { ID_LISTS } from "~/replicas/tracker/events/lists";

/** Merges the changes of a transaction. `changes`: in their order. */
function transitionsIn(changes: readonly Change[]): Transition[] {
  const [first] = changes;
  if (!first) return [];
  const span = { start: first.number - 1, end: changes.at(-1)?.number ?? first.number };
  const found = new Map<string, Transition>();
  for (const change of changes) {
    const { table, number, micros, user, before, after } = change;
    const row = rowOf(change);
    const list = ID_LISTS[table];
    const entity = list?.entity ?? entityOf(table, row);
    const id = String(row[list?.column ?? "id"]);
    const key = `${entity} ${id}`;
    const known = found.get(key);
    const common = { entity, id, number, micros, user, ...span };
    const merged: Transition = known ?? {
      ...common,
      before: undefined,
      after: undefined,
      lists: [],
    };
    found.set(
      key,
      list
        ? { ...merged, lists: [...merged.lists, table] }
        : { ...merged, before: merged.before === undefined ? before : merged.before, after },
    );
  }
  return [...found.values()];
}

export const transitionsOf = (changes: readonly Change[]): Transition[] =>
  [...Map.groupBy(changes, ({ transaction }) => transaction).values()].flatMap(transitionsIn);
