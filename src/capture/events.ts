/** The individual changes of a run in commit order, up to a limit. */
import type { Actor } from "~/capture/actor";
import type { Change, Image, NamedCall, TableShape } from "~/capture/change";
import { type JsonObject, pickFrom } from "~/capture/fold";
import {
  bytesOf,
  CALLS_LENGTH_MAX,
  EVENTS_BYTES_MAX,
  EVENTS_LENGTH_MAX,
  EVENTS_MAX,
} from "~/capture/limits";

export type Event = {
  /** Number of the transaction within the run, from 1. */
  transaction: number;
  operation: "insert" | "update" | "delete";
  table: string;
  key: JsonObject;
  /** For an update, only the changed columns. */
  before: JsonObject | null;
  after: JsonObject | null;
  /** The call that caused it; null if the log does not name one. */
  request: string | null;
  /** Present if another actor than the agent caused it. */
  actor?: Actor;
};

/** A call in the log, and the memory it takes. */
export type LoggedCall = NamedCall & { readonly bytes: number };

/** The calls that caused the events, as JSON text. */
export type Calls = {
  /** By the call's id: the numbers of its events, from 1, as ranges `[first, last]`. */
  readonly changes: string;
  /** The calls themselves, as their marks name them. */
  readonly marks: string;
};

export type Events = ReturnType<typeof createEvents>;

/** `keys`: the primary key's columns of each table. `journaled`: the run has a journal. */
export function createEvents(
  keys: { readonly [table: string]: readonly string[] },
  journaled = false,
) {
  let kept: {
    change: Change;
    transaction: number;
    call: LoggedCall | null;
    actor: Actor | undefined;
  }[] = [];
  let lastCall: LoggedCall | null = null;
  let count = 0;
  let bytes = 0;
  let isFull = false;

  return {
    /** Memory used. */
    get bytes() {
      return bytes;
    },

    /** `transaction`: any number that differs from one transaction to the next. */
    add(change: Change, transaction: number, call: LoggedCall | null, actor?: Actor): void {
      count++;
      if (isFull) return;
      const shown = shownOf(change, keys[change.table.name] ?? []);
      const size = bytesOfChange(shown) + (call === null || call === lastCall ? 0 : call.bytes);
      lastCall = call;
      isFull = kept.length === EVENTS_MAX || bytes + size > EVENTS_BYTES_MAX;
      if (isFull) return;
      kept.push({ change: shown, transaction, call, actor });
      bytes += size;
    },

    /** Frees the memory: from now on events are only counted. */
    giveUp(): void {
      kept = [];
      lastCall = null;
      bytes = 0;
      isFull = true;
    },

    /**
     * Returns JSON text: `total`, and the first `events` that were kept. Transactions are counted within the run, so
     * the same calls give the same list. With a journal, also the calls that these events belong to.
     */
    written(): { readonly events: string; readonly calls?: Calls } {
      const events: string[] = [];
      const calls = new Map<string, { call: LoggedCall; ranges: [number, number][] }>();
      let length = 0;
      let ordinal = 0;
      let last: number | undefined;
      for (const { change, transaction, call, actor } of kept) {
        if (transaction !== last) ordinal++;
        last = transaction;
        const request = call?.request ?? null;
        const event = {
          ...describe(change, ordinal, keys[change.table.name] ?? []),
          request,
          ...(actor && { actor }),
        };
        const text = JSON.stringify(event satisfies Event);
        length += text.length + 1;
        if (length > EVENTS_LENGTH_MAX) break;
        const number = events.push(text);
        if (!journaled || !call) continue;
        const known = calls.get(call.id);
        const range = known?.ranges.at(-1);
        if (range && range[1] === number - 1) range[1] = number;
        else if (known) known.ranges.push([number, number]);
        else calls.set(call.id, { call, ranges: [[number, number]] });
      }
      return {
        events: `{"total":${count},"events":[${events.join(",")}]}`,
        ...(journaled && { calls: callsText(calls) }),
      };
    },
  };
}

/** Leaves out the arguments of the calls beyond CALLS_LENGTH_MAX. */
function callsText(
  calls: ReadonlyMap<string, { call: LoggedCall; ranges: [number, number][] }>,
): Calls {
  const marks: string[] = [];
  let length = 0;
  for (const { call } of calls.values()) {
    const { id, request, line, arguments: given } = call;
    const whole = JSON.stringify({ id, request, line, arguments: given });
    length += whole.length;
    marks.push(length > CALLS_LENGTH_MAX ? JSON.stringify({ id, request, line }) : whole);
  }
  const changes = Object.fromEntries([...calls].map(([id, { ranges }]) => [id, ranges]));
  return { changes: JSON.stringify(changes), marks: `[${marks.join(",")}]` };
}

/** Size of an event without its images. */
const EVENT_BYTES = 160;

const bytesOfChange = (change: Change): number =>
  EVENT_BYTES +
  ("before" in change ? bytesOf(change.before) : 0) +
  ("after" in change ? bytesOf(change.after) : 0);

/** Reduces an update to the key and the columns that changed. */
function shownOf(change: Change, key: readonly string[]): Change {
  if (change.op !== "update") return change;
  const { table } = change;
  const before: Image = new Array(table.columns.length).fill(undefined);
  const after: Image = [...before];
  for (const place of placesOf(table, key)) before[place] = change.before[place];
  for (const [place, text] of change.after.entries()) {
    if (text === undefined || text === change.before[place]) continue;
    before[place] = change.before[place];
    after[place] = text;
  }
  return { ...change, before, after };
}

function describe(
  change: Change,
  transaction: number,
  key: readonly string[],
): Omit<Event, "request"> {
  const { op: operation, table } = change;
  const before = "before" in change ? change.before : undefined;
  const after = "after" in change ? change.after : undefined;
  const all = table.columns.map((_, place) => place);
  // A large value that an update did not change is not in the log.
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
