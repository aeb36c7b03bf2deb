import { expect, test } from "bun:test";
import { untilUnblocked } from "~/replicas/kit/retries";

test.each([
  ["the first result that is not blocked", 2, 2],
  ["the last result, after three attempts", 9, 3],
])("returns %s", async (_case, free, attempts) => {
  let count = 0;

  const result = await untilUnblocked(
    async () => ++count,
    (attempt) => attempt < free,
  );

  expect([result, count]).toEqual([attempts, attempts]);
});

test("does not repeat what throws", async () => {
  let count = 0;
  const work = async () => {
    count++;
    throw new Error("a bug");
  };

  await expect(untilUnblocked(work, () => true)).rejects.toThrow("a bug");
  expect(count).toBe(1);
});
