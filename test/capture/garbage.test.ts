import { expect, test } from "bun:test";
import { createGarbage } from "~/capture/garbage";

const MEGABYTE = 2 ** 20;

test("is collected after a certain amount of large texts, but not for small ones", () => {
  let collected = 0;
  const garbage = createGarbage(() => collected++);

  for (let n = 0; n < 1_000_000; n++) garbage.add(1_000);
  expect(collected).toBe(0);
  for (let n = 0; n < 31; n++) garbage.add(MEGABYTE);
  expect(collected).toBe(0);
  garbage.add(MEGABYTE);
  expect(collected).toBe(1);
  garbage.add(MEGABYTE);
  expect(collected).toBe(1);
});
