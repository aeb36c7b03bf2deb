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

test("of small texts is collected in a quiet second, and after four times the amount in a busy one", () => {
  let collected = 0;
  const garbage = createGarbage(() => collected++);
  const second = (megabytes: number) => {
    for (let n = 0; n < megabytes * 1024; n++) garbage.add(1024);
    garbage.tick();
  };

  for (let n = 0; n < 7; n++) second(8);
  expect(collected).toBe(0);
  second(2);
  expect(collected).toBe(1);
  second(2);
  expect(collected).toBe(1);
  for (let n = 0; n < 8; n++) second(8);
  expect(collected).toBe(2);
});
