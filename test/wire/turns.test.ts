import { expect, test } from "bun:test";
import { createTurns } from "~/wire/turns";

test("turns are given in order, a few at a time, and ended once", async () => {
  const enter = createTurns(2);
  const started: string[] = [];
  const turn = (name: string) => enter(() => started.push(name));
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(turn);
  await Bun.sleep(0);
  expect(started).toEqual(["a", "b"]);
  expect([a, b, c, d, e].map((each) => each?.isWaiting())).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);

  d?.end(); // leaves before its turn
  a?.end();
  a?.end();
  await Bun.sleep(0);
  expect(started).toEqual(["a", "b", "c"]);

  b?.end();
  c?.end();
  await Bun.sleep(0);
  expect(started).toEqual(["a", "b", "c", "e"]);
  e?.end();
});
