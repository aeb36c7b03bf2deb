/** Equality of values in conditions. */
import { expect, test } from "bun:test";
import type { JsonValue } from "~/capture/value";
import { equal } from "~/evaluation/values";

test.each<[JsonValue, JsonValue, boolean]>([
  [[1, 2], [1, 2], true],
  [[1, 2], [1, 3], false],
  [[1, 2], [3, 2], false],
  [[1, 2], [2, 1], false],
  [[1], [1, 1], false],
  [[], {}, false],
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
  [{ a: 1, b: 2 }, { a: 1, c: 2 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{}, null, false],
  [null, null, true],
  ["2026-01-06T09:00:00Z", "2026-01-06T10:00:00+01:00", true],
  [["2026-01-06T09:00:00Z"], ["2026-01-06T10:00:00+01:00"], true],
  ["2026-01-06T09:00:00Z", "2026-01-06T09:00:01Z", false],
  ["1", 1, false],
  ["one", "other", false],
])("%j and %j are equal: %j", (a, b, expected) => {
  expect(equal(a, b)).toBe(expected);
  expect(equal(b, a)).toBe(expected);
});
