import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { readFields, valuesOf } from "~/replicas/kit/text-values";

const PROPERTIES = {
  text: Type.String(),
  count: Type.Integer(),
  share: Type.Number(),
  flag: Type.Boolean(),
  side: Type.Union([Type.Literal("left"), Type.Literal("right")]),
  either: Type.Union([Type.Integer(), Type.String()]),
  ids: Type.Array(Type.Integer()),
};
const values = (query: string) => valuesOf(PROPERTIES, new URLSearchParams(query));

describe("a text becomes a value of its type", () => {
  test.each([
    ["text=7", { text: "7" }],
    ["count=-7", { count: -7 }],
    ["share=0.5", { share: 0.5 }],
    ["flag=true", { flag: true }],
    ["flag=false", { flag: false }],
    ["side=left", { side: "left" }],
    ["either=7", { either: 7 }],
    ["either=x", { either: "x" }],
    ["ids=1&ids=2", { ids: [1, 2] }],
    ["ids=1", { ids: [1] }],
    ["count=1&count=2", { count: 2 }],
    ["other=1", { other: "1" }],
    ["toString=1", { toString: "1" }],
  ])("%s", (query, expected) => {
    expect(values(query)).toEqual(expected);
  });
});

test.each([
  "count=",
  "count=1.5",
  "count=1e3",
  "count=1234567890123456",
  "share=x",
  "flag=1",
  "flag=",
])("%s stays a text, which its shape rejects", (query) => {
  const [name = "", text = ""] = query.split("=");

  expect(values(query)).toEqual({ [name]: text });
});

test("a name of Object's own is a plain field", () => {
  expect(Object.keys(values("__proto__=1"))).toEqual(["__proto__"]);
});

test("fields end at a limit", () => {
  const fields = (count: number) =>
    readFields(Array.from({ length: count }, () => "a=1").join("&"));

  expect([...(fields(1_001) ?? [])]).toHaveLength(1_001);
  expect(fields(1_002)).toBeUndefined();
});
