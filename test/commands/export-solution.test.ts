/** Solutions that exported tasks of other harnesses have. */
import { expect, test } from "bun:test";
import { solutionOf } from "~/commands/export/solution";
import { SOLUTIONS } from "../../seeds/index";

const client = {
  url: "http://127.0.0.1:1",
  call: () => Promise.reject(new Error("nothing is asked of the server")),
};

test("are the calls of each built-in test, unless it counts what a bot receives", async () => {
  const kinds = new Set<boolean>();
  for (const [testId, { calls, deliveries }] of Object.entries(SOLUTIONS)) {
    kinds.add(deliveries !== undefined);
    const found = (await solutionOf(client as never, testId)) as readonly object[] | undefined;
    expect(found).toEqual(deliveries ? undefined : calls);
  }
  expect(kinds).toEqual(new Set([true, false]));
});
