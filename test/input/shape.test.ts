import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { findMisfits, linesOf, readablePath, withoutNulls } from "~/input/shape";

const Item = Type.Object({ name: Type.String(), note: Type.Optional(Type.String()) });
const Mode = Type.Union([Type.Literal("running"), Type.Literal("frozen")]);
const Shape = Type.Object({
  items: Type.Optional(Type.Array(Item, { maxItems: 20 })),
  free: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  labels: Type.Optional(
    Type.Record(Type.String({ pattern: "^[a-z]+$" }), Type.String(), { maxProperties: 2 }),
  ),
  any: Type.Optional(Type.Unknown()),
  maybe: Type.Optional(Type.Union([Type.String({ minLength: 2 }), Type.Null()])),
  mode: Type.Optional(Mode),
  clock: Type.Optional(
    Type.Union([
      Type.Literal("real"),
      Type.Object({ now: Type.Optional(Type.String()), mode: Type.Optional(Mode) }),
    ]),
  ),
  moment: Type.Optional(Type.String({ pattern: "^\\d+$", expected: "a moment" })),
});

describe("a misfit", () => {
  test.each([
    [{ item: [] }, "item", 'there is no such field; the nearest is "items"'],
    [
      { items: [{ name: "a" }, { nmae: "b" }] },
      "items[1].nmae",
      'there is no such field; the nearest is "name"',
    ],
    [{ items: [{ note: "b" }] }, "items[0].name", "is needed"],
    [{ toString: 1 }, "toString", "there is no such field"],
    [{ items: "no list" }, "items", "Expected array"],
    [{ items: [{ name: "a" }, "no object"] }, "items[1]", "Expected object"],
    [{ items: [{ name: 1 }] }, "items[0].name", "Expected string"],
    [
      { items: Array(21).fill({ name: "a" }) },
      "items",
      "Expected array length to be less or equal to 20",
    ],
    [{ free: "no object" }, "free", "Expected object"],
    [{ free: [] }, "free", "Expected object"],
    [{ labels: { a: 1 } }, "labels.a", "Expected string"],
    [{ labels: { A: "" } }, "labels.A", "there is no such field"],
    [{ labels: { a: "", b: "", c: "" } }, "labels", "at most 2 fields are allowed"],
    [{ maybe: 1 }, "maybe", "a string or null is needed"],
    [{ maybe: "x" }, "maybe", "Expected string length greater or equal to 2"],
    [{ mode: "frozn" }, "mode", 'one of running, frozen is needed; the nearest is "frozen"'],
    [{ mode: 1 }, "mode", "one of running, frozen is needed"],
    [{ clock: "yesterday" }, "clock", '"real" or an object is needed'],
    [{ clock: "REAL" }, "clock", '"real" or an object is needed; the nearest is "real"'],
    [{ clock: 5 }, "clock", '"real" or an object is needed'],
    [{ clock: true }, "clock", '"real" or an object is needed'],
    [{ clock: [] }, "clock", '"real" or an object is needed'],
    [{ clock: null }, "clock", '"real" or an object is needed'],
    [{ clock: { nowx: 1 } }, "clock.nowx", 'there is no such field; the nearest is "now"'],
    [{ clock: { now: 1 } }, "clock.now", "Expected string"],
    [{ clock: { mode: "x" } }, "clock.mode", "one of running, frozen is needed"],
    [{ moment: "x" }, "moment", "expected a moment"],
    ["no object", "", "Expected object"],
  ])("of %j is found", (value, path, problem) => {
    expect(findMisfits(Shape, value)).toEqual([{ path, problem }]);
  });

  test.each([
    [{}],
    [{ free: { a: 1 }, any: { b: 2 }, labels: { a: "b" } }],
    [{ items: [] }],
    [{ maybe: null, mode: "frozen", clock: "real", moment: "1" }],
    [{ maybe: "xy", clock: { now: "", mode: "running" } }],
  ])("is not in %j", (value) => expect(findMisfits(Shape, value)).toEqual([]));

  test("is found together with all others, up to a limit", () => {
    const value = { item: [], items: [{ name: 1 }, {}], mode: "x", clock: { now: 1, mode: 2 } };
    const many = { items: Array(500).fill(1) };

    expect(findMisfits(Shape, value).map(({ path }) => path)).toEqual([
      ...["item", "items[0].name", "items[1].name", "mode", "clock.now", "clock.mode"],
    ]);
    expect(findMisfits(Shape, many)).toHaveLength(100);
  });
});

test("a message lists each mistake once, and not more than ten", () => {
  const lines = Array.from({ length: 13 }, (_, index) => `line ${index}`);

  expect(linesOf(["a", "b", "a"])).toBe("a\nb");
  expect(linesOf(lines).split("\n")).toEqual([...lines.slice(0, 10), "and 3 more"]);
});

test("a path has one form", () => {
  expect(readablePath("/tests/0/faults/12/ms")).toBe("tests[0].faults[12].ms");
});

test("nulls of fields are dropped, but not those that a shape allows or requires", () => {
  const given = {
    items: [{ name: null, note: null, unknown: null }],
    unknown: null,
    free: { a: null },
    any: null,
    maybe: null,
  };

  expect(withoutNulls(Shape, given)).toEqual({
    items: [{ name: null }],
    free: { a: null },
    maybe: null,
  });
});
