import { beforeEach, describe, expect, test } from "bun:test";
import type { Image, TableShape } from "~/capture/change";
import { createFold, type Diff, type Fold } from "~/capture/fold";

let fold: Fold;
let table: TableShape;

beforeEach(() => {
  fold = createFold({ things: ["id"], others: ["a", "b"] });
  table = fold.table("things") as TableShape;
  table.columns.push("id", "name", "size");
  table.types.push("integer", "text", "integer");
});

const insert = (...after: Image) => fold.apply({ op: "insert", table, after });
const update = (before: Image, after: Image) => fold.apply({ op: "update", table, before, after });
const remove = (...before: Image) => fold.apply({ op: "delete", table, before });
const diffOf = (): Diff => {
  const diff: Diff = { inserts: [], updates: [], deletes: [] };
  fold.drain(diff);
  return diff;
};
const row = (id: number, name: string | null, size: number | null) => ({
  __table__: "things",
  id,
  name,
  size,
});

describe("the net effect of", () => {
  test("an insert and an update is an insert of the final row", () => {
    insert("1", "a", null);
    update(["1", "a", null], ["1", "b", "2"]);
    expect(diffOf()).toEqual({ inserts: [row(1, "b", 2)], updates: [], deletes: [] });
  });

  test("two updates is one, from the first state to the last", () => {
    update(["1", "a", "1"], ["1", "b", "1"]);
    update(["1", "b", "1"], ["1", "c", "1"]);
    expect(diffOf().updates).toEqual([
      { __table__: "things", key: { id: 1 }, before: { name: "a" }, after: { name: "c" } },
    ]);
  });

  test.each([
    [
      "an update back to the old value",
      () => {
        update(["1", "a", "1"], ["1", "b", "1"]);
        update(["1", "b", "1"], ["1", "a", "1"]);
      },
    ],
    [
      "an insert and its deletion",
      () => {
        insert("1", "a", "1");
        remove("1", "a", "1");
      },
    ],
    [
      "a deletion and the same row again",
      () => {
        remove("1", "a", "1");
        insert("1", "a", "1");
      },
    ],
    ["an update that changes nothing", () => update(["1", "a", "1"], ["1", "a", "1"])],
  ])("%s is nothing", (_case, changes) => {
    changes();
    expect(diffOf()).toEqual({ inserts: [], updates: [], deletes: [] });
  });

  test("a deletion and another row with the same key is an update", () => {
    remove("1", "a", "1");
    insert("1", "b", "1");
    expect(diffOf()).toEqual({
      inserts: [],
      updates: [
        { __table__: "things", key: { id: 1 }, before: { name: "a" }, after: { name: "b" } },
      ],
      deletes: [],
    });
  });

  test("a changed key is a deletion and an insert", () => {
    update(["1", "a", "1"], ["2", "a", "1"]);
    expect(diffOf()).toEqual({
      inserts: [row(2, "a", 1)],
      updates: [],
      deletes: [row(1, "a", 1)],
    });
  });

  test("two rows that swap their keys is an update of each", () => {
    update(["1", "a", "1"], ["3", "a", "1"]);
    update(["2", "b", "1"], ["1", "b", "1"]);
    update(["3", "a", "1"], ["2", "a", "1"]);
    expect(diffOf()).toMatchObject({ updates: [{}, {}], inserts: [] });
  });

  test("an update without an unchanged large value keeps it", () => {
    update(["1", "large", "1"], ["1", undefined, "2"]);
    update(["1", "large", "2"], ["1", undefined, "3"]);
    expect(diffOf().updates).toEqual([
      { __table__: "things", key: { id: 1 }, before: { size: 1 }, after: { size: 3 } },
    ]);
  });

  test("a key that becomes an empty string is not lost", () => {
    const text = fold.table("others") as TableShape;
    text.columns.push("a", "b");
    text.types.push("text", "text");
    fold.apply({ op: "update", table: text, before: ["x", "1"], after: ["", "1"] });
    expect(diffOf()).toMatchObject({
      inserts: [{ a: "", b: "1" }],
      deletes: [{ a: "x", b: "1" }],
    });
  });
});

test("rows are in the order of their first change, tables in the order declared", () => {
  const others = fold.table("others") as TableShape;
  others.columns.push("a", "b");
  others.types.push("text", "text");
  fold.apply({ op: "insert", table: others, after: ["x", "y"] });
  insert("5", "first", null);
  insert("2", "second", null);
  update(["5", "first", null], ["5", "changed", null]);
  expect(diffOf().inserts.map(({ __table__, id, a }) => [__table__, id ?? a])).toEqual([
    ["things", 5],
    ["things", 2],
    ["others", "x"],
  ]);
});

describe("old rows that may be incomplete", () => {
  test.each([
    ["none that has a value outside its key", [["1", "a", null]], false],
    ["a row with its key alone", [["1", null, null]], true],
    [
      "one such row before a complete one",
      [
        ["1", null, null],
        ["2", "b", "1"],
      ],
      true,
    ],
    [
      "one such row after a complete one",
      [
        ["2", "b", "1"],
        ["1", undefined, null],
      ],
      true,
    ],
  ] as const)("%s", (_case, olds, isBare) => {
    for (const [id, ...rest] of olds) update([id, ...rest], [id, "new", "2"]);
    expect([fold.isBare("things"), fold.isBare("others")]).toEqual([isBare, false]);
  });

  test("of a deletion count too", () => {
    remove("1", null, null);
    expect(fold.isBare("things")).toBe(true);
  });
});

describe("the memory that is counted", () => {
  const LARGE = 1_000_000;
  const large = (letter: string) => letter.repeat(LARGE);

  test("covers the first and last state of each row, however often it changed", () => {
    update(["1", large("a"), "1"], ["1", large("b"), "1"]);
    for (let n = 0; n < 10; n++) {
      update(["1", large("b"), "1"], ["1", large("c"), "1"]);
      update(["1", large("c"), "1"], ["1", large("b"), "1"]);
    }
    expect(fold.bytes).toBeGreaterThan(2 * LARGE);
    expect(fold.bytes).toBeLessThan(2.1 * LARGE);
  });

  test("counts once a large value that an update did not change", () => {
    update(["1", large("a"), "1"], ["1", large("a"), "2"]);
    update(["1", large("a"), "2"], ["1", undefined, "3"]);
    expect(fold.bytes).toBeGreaterThan(LARGE);
    expect(fold.bytes).toBeLessThan(1.1 * LARGE);
  });

  test("counts two bytes for each character of a row with one beyond Latin-1", () => {
    insert("1", `${large("a")}\u{1f600}`, "1");
    expect(fold.bytes).toBeGreaterThan(2 * LARGE);
  });
});
