/** Reads with long answers: a few at a time, and the keys take turns. */
import { expect, test } from "bun:test";
import { createLongReads, WAITING_MAX } from "~/http/long-reads";
import { setPrincipal } from "~/http/principal";
import { HeaderList, HttpRequest } from "~/wire/message";

const RESULTS = "/api/platform/results/run1";

/** Requests that end only when they are told to. */
function reading() {
  const inTurn = createLongReads();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    end: () => ends.shift()?.(),
    read(keyId: string, path = RESULTS, method = "GET") {
      const request = new HttpRequest(method, path, new HeaderList());
      setPrincipal(request as never, { keyId } as never);
      return inTurn(request, async () => {
        begun.push(keyId);
        await new Promise<void>((resolve) => ends.push(resolve));
        return keyId;
      });
    },
  };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("one of each key and two in all are answered immediately, and the keys take turns", async () => {
  const { begun, end, read } = reading();
  const keys = ["ann", "ann", "ann", "bob", "cat"];
  const all = keys.map((keyId) => read(keyId));
  await turn();
  expect(begun).toEqual(["ann", "bob"]);

  for (const _ of keys) {
    end();
    await turn();
  }

  expect(begun.toSorted()).toEqual(keys);
  expect(begun.slice(2, 4)).toContain("cat");
  expect(await Promise.all(all)).toEqual(keys);
});

test("those of one key that wait are limited, and those of another key are not affected", async () => {
  const { begun, end, read } = reading();
  const all = Array.from({ length: WAITING_MAX + 1 }, () => read("ann"));

  await expect(read("ann")).rejects.toMatchObject({ code: "service_unavailable" });
  const other = read("bob");
  await turn();
  expect(begun).toEqual(["ann", "bob"]);

  for (let n = 0; n < WAITING_MAX + 2; n++) {
    end();
    await turn();
  }
  expect(await other).toBe("bob");
  expect(await Promise.all(all)).toHaveLength(WAITING_MAX + 1);
});

test.each([
  ["GET", RESULTS, true],
  ["GET", "/api/platform/runs/run1/calls", true],
  ["GET", "/api/platform/runs/run1/events", true],
  ["GET", "/api/platform/runs/run1/evaluations", true],
  ["GET", "/api/platform/testSuites/suite1", true],
  ["POST", RESULTS, false],
  ["GET", "/api/platform/runs", false],
  ["GET", "/api/platform/runs/run1", false],
  ["GET", "/api/platform/runs/run1/calls/7", false],
  ["GET", "/api/platform/testSuites", false],
])("%s %s is one of them: %p", async (method, path, isLong) => {
  const { begun, end, read } = reading();
  const all = Array.from({ length: 3 }, () => read("ann", path, method));
  await turn();

  expect(begun).toHaveLength(isLong ? 1 : 3);
  for (let n = 0; n < all.length; n++) {
    end();
    await turn();
  }
  await Promise.all(all);
});
