import { describe, expect, test } from "bun:test";
import type { Image, TableShape } from "~/capture/change";
import { createEvents } from "~/capture/events";
import { EVENTS_BYTES_MAX, EVENTS_LENGTH_MAX, EVENTS_MAX } from "~/capture/limits";

const table: TableShape = {
  name: "things",
  columns: ["id", "body", "size"],
  types: ["integer", "text", "integer"],
};
const insert = (...after: Image) => ({ op: "insert", table, after }) as const;
const update = (before: Image, after: Image) => ({ op: "update", table, before, after }) as const;
const call = { schema: "env_1", id: "c1", request: "call", line: {}, arguments: {}, bytes: 100 };
const newEvents = () => createEvents({ things: ["id"] });
const listOf = (events: ReturnType<typeof newEvents>) => JSON.parse(events.written().events);

test("an event of an update shows its key and the changed columns, and stores no more", () => {
  const events = newEvents();
  const body = "x".repeat(1_000_000);
  events.add(update(["1", body, "1"], ["1", body, "2"]), 7, call);

  expect(listOf(events).events).toEqual([
    {
      transaction: 1,
      operation: "update",
      table: "things",
      key: { id: 1 },
      before: { size: 1 },
      after: { size: 2 },
      request: "call",
    },
  ]);
  expect(events.bytes).toBeLessThan(10_000);
});

describe("only the first events are kept, and all are counted", () => {
  test("when there are many", () => {
    const events = newEvents();
    for (let id = 0; id < EVENTS_MAX + 5; id++) events.add(insert(`${id}`, "", null), id, null);

    const { total, events: kept } = listOf(events);

    expect([total, kept.length]).toEqual([EVENTS_MAX + 5, EVENTS_MAX]);
  });

  test("when they are large", () => {
    const events = newEvents();
    const size = EVENTS_BYTES_MAX / 4;
    for (let id = 0; id < 10; id++) {
      events.add(insert(`${id}`, `${id}`.repeat(size), null), id, null);
      expect(events.bytes).toBeLessThanOrEqual(EVENTS_BYTES_MAX);
    }
    events.add(insert("11", "short", null), 11, null);

    const { total, events: kept } = listOf(events);

    expect(total).toBe(11);
    expect(kept.map(({ key }: { key: object }) => key)).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }]);
  });

  test("when their text is long", () => {
    const events = newEvents();
    const escaped = "\u0001".repeat(1_000_000); // six characters each in JSON
    for (let id = 0; id < 7; id++) events.add(insert(`${id}`, escaped, null), id, null);

    const text = events.written().events;
    const { total, events: kept } = JSON.parse(text);

    expect(text.length).toBeLessThanOrEqual(EVENTS_LENGTH_MAX);
    expect([total, kept.length]).toEqual([7, 5]);
  });

  test("when they were dropped", () => {
    const events = newEvents();
    events.add(insert("1", "a", null), 1, null);
    events.giveUp();
    events.add(insert("2", "b", null), 2, null);

    expect(listOf(events)).toEqual({ total: 2, events: [] });
    expect(events.bytes).toBe(0);
  });
});
