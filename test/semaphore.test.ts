import { expect, test } from "bun:test";
import { createFairSemaphore } from "~/semaphore";

test("lanes take turns: one with many tasks delays another by one of them", async () => {
  const pass = createFairSemaphore({ limit: 2, waitingMax: 3 }, () => new Error("full"));
  const done: string[] = [];
  let busy = 0;
  let busiest = 0;
  const run = (lane: string, name: string) =>
    pass(lane, async () => {
      busiest = Math.max(busiest, ++busy);
      await Bun.sleep(5);
      busy--;
      done.push(name);
    });

  const many = ["a1", "a2", "a3", "a4"].map((name) => run("a", name));
  await expect(run("a", "a5")).rejects.toThrow("full");
  await Promise.all([...many, run("b", "b1"), run("c", "c1")]);

  expect(busiest).toBe(2);
  expect(done).toHaveLength(6);
  expect(done.indexOf("b1")).toBeLessThan(2);
  expect(done.indexOf("c1")).toBeLessThan(done.indexOf("a3"));
  await run("a", "a6");
});

test("a task that throws gives its place to the next", async () => {
  const pass = createFairSemaphore({ limit: 1, waitingMax: 1 }, () => new Error("full"));
  const failing = pass("a", async () => {
    throw new Error("broken");
  });
  const next = pass("a", async () => "next");

  await expect(failing).rejects.toThrow("broken");
  expect(await next).toBe("next");
});
