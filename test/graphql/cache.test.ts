import { expect, test } from "bun:test";
import { createTextCache } from "~/graphql/cache";

type Text = { readonly text: string; readonly length: number };
const ofTen = () => createTextCache<Text>(10, ({ length }) => length);
const first = { text: "first", length: 5 };
const second = { text: "second", length: 5 };

test("the size of a value includes its key", () => {
  const cache = ofTen();
  cache.set("a", first);
  cache.set("b", second);

  expect([cache.get("a"), cache.get("b")]).toEqual([undefined, second]);
});

test("a value that is set twice counts once", () => {
  const cache = ofTen();
  for (let n = 0; n < 100; n++) cache.set("a", { text: `${n}`, length: 3 });
  cache.set("b", { text: "1", length: 3 });

  expect([cache.get("a")?.text, cache.get("b")?.text]).toEqual(["99", "1"]);
});

test("a value that is too large is not cached", () => {
  const cache = ofTen();
  cache.set("a", { text: "large", length: 100 });
  cache.set("b", { text: "small", length: 1 });

  expect([cache.get("a"), cache.get("b")?.text]).toEqual([undefined, "small"]);
});
