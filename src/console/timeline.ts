/** The timeline of a run: its calls in order, and between them what others changed, and events that no call caused. */
import type { Call, EnvironmentEvent, RunEvent } from "~/clients/typescript/schema";
import type { RunData } from "~/console/run-data";

/** Who changed something: a call, by its number, or somebody else; 0: nobody knows. */
export type By = number | NonNullable<RunEvent["actor"]>;

/** The same in words. */
export const BY: Readonly<Record<Exclude<By, number>, string>> = {
  clock: "the clock",
  counterpart: "a counterpart",
};

export type Line = {
  /** Distinct in the timeline. */
  readonly key: string;
  readonly by: By;
  /** Undefined for what no call did. */
  readonly call: Call | undefined;
  readonly changes: readonly RunEvent[];
  /** The events that it caused; without a call and changes, the line is one event. */
  readonly sent: readonly EnvironmentEvent[];
  /** The number of changes that were committed up to and including this line. */
  readonly upTo: number;
};

/** The title of a line that is no call. */
export function titleOf({ by, changes }: Line): string {
  if (typeof by === "string") return `By ${BY[by]}`;
  return changes.length > 0 ? "Changes that no call made" : "By hand";
}

export type TimelineData = Pick<RunData, "calls" | "events" | "attribution" | "sent">;

/**
 * A change that no call made stands after the last call with changes before it: when it was made among calls that only
 * read is not known. An event of nobody's call stands after the last call with an event before it.
 */
export function timelineOf({ calls, events, attribution, sent }: TimelineData): {
  readonly lines: readonly Line[];
  /** Who made each change, by its index. */
  readonly byOf: (index: number) => By;
} {
  const callOf = new Map<number, number>();
  for (const { n, changes } of calls) for (const at of changes ?? []) callOf.set(at - 1, n);
  const byOf = (index: number): By => callOf.get(index) ?? events[index]?.actor ?? 0;
  const causedBy = Map.groupBy(sent, ({ cause }) => cause?.request ?? null);

  /** Lines of no call, by the place of the call that they stand after; -1: before the first one. */
  const between = new Map<number, Line[]>();
  const put = (after: number, line: Line) => {
    const others = between.get(after);
    if (others) others.push(line);
    else between.set(after, [line]);
  };
  const upTos: number[] = [];
  /** The calls with the last changes so far. */
  const writes = [{ place: -1, upTo: 0 }];
  for (const [place, { changes }] of calls.entries()) {
    const before = upTos.at(-1) ?? 0;
    const upTo = Math.max(before, ...(changes ?? []));
    upTos.push(upTo);
    if (upTo > before) writes.push({ place, upTo });
  }
  let written = 0;
  for (const { by, indexes } of attribution === "pending" ? [] : groupsOf(events, callOf, byOf)) {
    const [first = 0] = indexes;
    while ((writes[written + 1]?.upTo ?? Number.POSITIVE_INFINITY) <= first) written++;
    put(writes[written]?.place ?? -1, {
      ...{ key: `changes ${first}`, by, call: undefined, sent: [] },
      changes: indexes.flatMap((index) => events[index] ?? []),
      upTo: (indexes.at(-1) ?? 0) + 1,
    });
  }
  const requests = new Map(calls.map(({ request }, place) => [request, place]));
  let after = -1;
  for (const event of sent) {
    const { n, cause } = event;
    const place = cause?.request ? requests.get(cause.request) : undefined;
    if (place !== undefined) after = Math.max(after, place);
    else
      put(after, {
        ...{ key: `event ${n}`, by: byOfEvent(event), call: undefined, changes: [], sent: [event] },
        upTo: upTos[after] ?? 0,
      });
  }
  const lines = [...(between.get(-1) ?? [])];
  for (const [place, call] of calls.entries()) {
    const changes = (call.changes ?? []).flatMap((position) => events[position - 1] ?? []);
    const line = {
      key: `call ${call.n}`,
      by: call.n,
      call,
      changes,
      sent: causedBy.get(call.request) ?? [],
    };
    lines.push({ ...line, upTo: upTos[place] ?? 0 }, ...(between.get(place) ?? []));
  }
  return { lines, byOf };
}

/** Changes that no call made: those of one actor that follow each other. */
function groupsOf(
  events: readonly RunEvent[],
  callOf: ReadonlyMap<number, number>,
  byOf: (index: number) => By,
) {
  const groups: { readonly by: By; readonly indexes: number[] }[] = [];
  let current: (typeof groups)[number] | undefined;
  for (const index of events.keys()) {
    if (callOf.has(index)) {
      current = undefined;
      continue;
    }
    const by = byOf(index);
    if (current?.by !== by) {
      current = { by, indexes: [] };
      groups.push(current);
    }
    current.indexes.push(index);
  }
  return groups;
}

function byOfEvent({ cause }: EnvironmentEvent): By {
  const by = cause?.by;
  return by === "clock" || by === "counterpart" ? by : 0;
}
