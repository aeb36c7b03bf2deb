import { expect, test } from "bun:test";
import { createTurns } from "~/http/turns";

test("turns are given in order, a few at a time, and ended once", async () => {
  const enter = createTurns(2);
  const started: string[] = [];
  const end = (name: string) => enter(() => started.push(name));
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(end);
  await Bun.sleep(0);
  expect(started).toEqual(["a", "b"]);

  d?.(); // leaves before its turn
  a?.();
  a?.();
  await Bun.sleep(0);
  expect(started).toEqual(["a", "b", "c"]);

  b?.();
  c?.();
  await Bun.sleep(0);
  expect(started).toEqual(["a", "b", "c", "e"]);
  e?.();
});
