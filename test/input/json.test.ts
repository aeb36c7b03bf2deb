/** JSON from outside is counted before it is parsed. */
import { expect, test } from "bun:test";
import { parseBounded, sizeOf } from "~/input/json";

test.each([
  ["[1,2]", 3],
  ["{}", 2],
  ['[",,,,,,"]', 2],
  ['["\\",,,,"]', 2],
])("%s has no more than %d values", (text, max) => {
  expect(parseBounded(text, max)).toEqual(JSON.parse(text));
});

test.each([
  ["[1,2]", 2],
  ['{"a":{},"b":{},"c":1}', 4],
  ["[[],[]]", 3],
])("%s has more than %d values", (text, max) => {
  expect(() => parseBounded(text, max)).toThrow(`of more than ${max} values`);
});

test("half a million values are rejected before they are parsed, by default", () => {
  expect(() => parseBounded(`[${"1,".repeat(500_000)}`)).toThrow(/of more than \d+ values/);
});

test.each<[unknown]>([["text"], [[1, 2, 3]], [{ a: { b: ["x".repeat(1_000)], c: null } }], [{}]])(
  "the size of %j is approximately that of its JSON",
  (value) => {
    const { length } = JSON.stringify(value);
    expect(sizeOf(value, Infinity)).toBeGreaterThanOrEqual(length);
    expect(sizeOf(value, Infinity)).toBeLessThan(length + 40);
  },
);

test("counting stops when a size is too large", () => {
  const value = {
    text: "x".repeat(1_000),
    get rest() {
      throw new Error("looked at");
    },
  };
  expect(sizeOf(value, 1_000)).toBeGreaterThan(1_000);
});
