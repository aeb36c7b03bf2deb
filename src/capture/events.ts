/** The single changes of a run, in the order in which they were committed, as far as there is room for them. */
import type { Change, Image, TableShape } from "~/capture/change";
import { type JsonObject, pickFrom } from "~/capture/fold";

/** Later changes of a run are in its diff, and not here. */
export const EVENTS_MAX = 10_000;

export type Event = {
  /** Counted from 1: what was committed together. */
  transaction: number;
  operation: "insert" | "update" | "delete";
  table: string;
  key: JsonObject;
  /** Of an update the changed columns only. */
  before: JsonObject | null;
  after: JsonObject | null;
  /** Of the call that caused it; null where the log does not say. */
  request: string | null;
};

export type Events = ReturnType<typeof createEvents>;

/** `keys`: the primary key's columns of each table. */
export function createEvents(keys: { readonly [table: string]: readonly string[] }) {
  const kept: { change: Change; transaction: number; request: string | null }[] = [];
  let count = 0;

  return {
    /** `transaction`: any number that differs from one transaction to the next. */
    add(change: Change, transaction: number, request: string | null): void {
      if (kept.length < EVENTS_MAX) kept.push({ change, transaction, request });
      count++;
    },

    /** Transactions are counted within the run, so that the same calls give the same list. */
    list(): { total: number; events: Event[] } {
      let ordinal = 0;
      let last: number | undefined;
      const events = kept.map(({ change, transaction, request }) => {
        if (transaction !== last) ordinal++;
        last = transaction;
        return { ...told(change, ordinal, keys[change.table.name] ?? []), request };
      });
      return { total: count, events };
    },
  };
}

function told(change: Change, transaction: number, key: readonly string[]): Omit<Event, "request"> {
  const { op: operation, table } = change;
  const before = "before" in change ? change.before : undefined;
  const after = "after" in change ? change.after : undefined;
  const all = table.columns.map((_, place) => place);
  // A large value that an update left alone is not in the log.
  const shown =
    before && after
      ? all.filter((place) => after[place] !== undefined && after[place] !== before[place])
      : all;
  const pick = (image: Image | undefined, places: readonly number[]) =>
    image ? pickFrom(table, image, places) : null;
  return {
    transaction,
    operation,
    table: table.name,
    key: pick(before ?? after, placesOf(table, key)) ?? {},
    before: pick(before, shown),
    after: pick(after, shown),
  };
}

const placesOf = ({ columns }: TableShape, key: readonly string[]) =>
  key.map((column) => columns.indexOf(column));
