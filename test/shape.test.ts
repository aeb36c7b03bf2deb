import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { findMisfit, withoutNulls } from "~/shape";

const Item = Type.Object({ name: Type.String(), note: Type.Optional(Type.String()) });
const Shape = Type.Object({
  items: Type.Optional(Type.Array(Item)),
  free: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  any: Type.Optional(Type.Unknown()),
  maybe: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

describe("a misfit", () => {
  test.each([
    [{ item: [] }, "item", 'there is no such field; the nearest is "items"'],
    [
      { items: [{ name: "a" }, { nmae: "b" }] },
      "items[1].nmae",
      'there is no such field; the nearest is "name"',
    ],
    [{ toString: 1 }, "toString", "there is no such field"],
    [{ items: "no list" }, "items", "Expected array"],
    [{ items: [{ name: "a" }, "no object"] }, "items[1]", "Expected object"],
    [{ free: "no object" }, "free", "Expected object"],
    [{ free: [] }, "free", "Expected object"],
    ["no object", "", "Expected object"],
  ])("of %p is found", (value, path, problem) => {
    expect(findMisfit(Shape, value)).toEqual({ path, problem });
  });

  test.each([[{}], [{ free: { a: 1 }, any: { b: 2 } }], [{ items: [] }], [{ maybe: null }]])(
    "is not in %p",
    (value) => expect(findMisfit(Shape, value)).toBeUndefined(),
  );
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
