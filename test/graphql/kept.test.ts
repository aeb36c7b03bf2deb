/** What is kept takes no more than it may, however it came there. */
import { expect, test } from "bun:test";
import { createKept } from "~/graphql/kept";

test("a value counts with its key", () => {
  const kept = createKept<string>(10);
  kept.set("a", "first", 5);
  kept.set("b", "second", 5);

  expect([kept.get("a"), kept.get("b")]).toEqual([undefined, "second"]);
});

test("a value that is set again counts once", () => {
  const kept = createKept<number>(10);
  for (let n = 0; n < 100; n++) kept.set("a", n, 3);
  kept.set("b", 1, 3);

  expect([kept.get("a"), kept.get("b")]).toEqual([99, 1]);
});

test("a value that is too large is not kept", () => {
  const kept = createKept<string>(10);
  kept.set("a", "large", 100);
  kept.set("b", "small", 1);

  expect([kept.get("a"), kept.get("b")]).toEqual([undefined, "small"]);
});
