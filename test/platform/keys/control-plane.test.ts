/** How long the control plane's answers are used. */
import { afterAll, afterEach, beforeEach, expect, type Mock, spyOn, test } from "bun:test";
import { createLog } from "~/log";
import { createMetrics } from "~/metrics";
import { createControlPlane } from "~/platform/keys/control-plane";

let answer: object = {};
let asked = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch() {
    asked++;
    return Response.json(answer);
  },
});
afterAll(() => server.stop(true));

let passed = 0;
let clock: Mock<() => number>;
beforeEach(() => {
  asked = 0;
  passed = 0;
  const now = performance.now.bind(performance);
  clock = spyOn(performance, "now").mockImplementation(() => now() + passed);
});
afterEach(() => clock.mockRestore());

/** Validates a key after each of these times, in seconds from the first, and returns how often the plane was asked. */
async function asks(given: object, ...times: number[]): Promise<number[]> {
  answer = given;
  const log = createLog({ level: "error", write: () => {} });
  const plane = createControlPlane(`http://127.0.0.1:${server.port}`, log, createMetrics());
  const counts: number[] = [];
  for (const seconds of times) {
    passed = seconds * 1_000;
    await Bun.sleep(5); // the cache looks at the clock once a millisecond
    await plane.validate("key");
    counts.push(asked);
  }
  return counts;
}

const limited = { valid: false, reason: "daily request limit reached", limit: 1, current: 1 };

test.each([
  ["accepts a key for a minute", { valid: true, user_id: "ann" }, [1, 1, 1, 2]],
  ["rejects one for five seconds: it may be new", { valid: false }, [1, 1, 2, 3]],
  ["says that a limit is used up for five seconds", limited, [1, 1, 2, 3]],
])("it %s", async (_case, given, counts) => {
  expect(await asks(given, 0, 4, 55, 65)).toEqual(counts);
});
