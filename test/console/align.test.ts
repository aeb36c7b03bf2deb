/** Sequences side by side. */
import { expect, test } from "bun:test";
import { aligned } from "~/console/align";

/** Words are alike if they begin alike, more so if they are the same. */
const likeness = (a: string, b: string) => Number(a[0] === b[0]) + Number(a === b);
const shown = (left: string, right: string) =>
  aligned(left.split(" ").filter(Boolean), right.split(" ").filter(Boolean), likeness).map(
    (pair) => `${pair.left ?? "–"}/${pair.right ?? "–"}`,
  );

test.each([
  ["a1 b1 c1", "a1 b1 c1", ["a1/a1", "b1/b1", "c1/c1"]],
  ["a1 b1 c1", "a1 c1", ["a1/a1", "b1/–", "c1/c1"]],
  ["a1", "b1 a1 b2", ["–/b1", "a1/a1", "–/b2"]],
  ["a1 a2", "a2", ["a1/–", "a2/a2"]],
  ["a1 b1", "b2 a2", ["a1/–", "b1/b2", "–/a2"]],
  ["", "a1", ["–/a1"]],
  ["a1", "", ["a1/–"]],
  ["", "", []],
])("%p beside %p", (left, right, expected) => {
  expect(shown(left, right)).toEqual(expected);
});

test("keeps each item once, in order", () => {
  const words = (seed: number) =>
    Array.from({ length: 60 }, (_, n) => `${"abc"[(n * seed) % 3]}${(n * seed) % 7}`);
  for (const seed of [1, 2, 5, 11]) {
    const [left, right] = [words(seed), words(seed + 3)];
    const pairs = aligned(left, right, likeness);
    expect(pairs.flatMap((pair) => pair.left ?? [])).toEqual(left);
    expect(pairs.flatMap((pair) => pair.right ?? [])).toEqual(right);
  }
});
