/** Turns of apps that post: bounded, in all and of what they share, and fair between users. */
import { expect, test } from "bun:test";
import { createTurns } from "~/platform/events/turns";

const app = (n: number, shared: object = {}) => ({
  ...{ key: `app ${n}`, environmentId: `environment ${n}`, userId: `user ${n}`, host: `host ${n}` },
  ...shared,
});

/** Runs turns that end when the test lets them. */
function useTurns(leftOf: (key: string) => boolean = () => false) {
  const begun: string[] = [];
  const running = new Map<string, () => void>();
  const turns = createTurns<ReturnType<typeof app>>(async ({ key }) => {
    begun.push(key);
    await new Promise<void>((resolve) => running.set(key, resolve));
    running.delete(key);
    return leftOf(key);
  });
  /** Ends the turn that has run longest. */
  async function end(): Promise<void> {
    const [[key, resolve] = []] = running;
    if (key !== undefined) resolve?.();
    for (let tick = 0; tick < 5; tick++) await Promise.resolve();
  }
  return { turns, begun, running, end };
}

test.each([
  ["64 in all", 64, {}],
  ["32 of a host", 32, { host: "h" }],
  ["16 of a user", 16, { userId: "u" }],
  ["8 of an environment", 8, { environmentId: "e" }],
])("of a thousand apps, %s post at the same time", async (_, most, shared) => {
  const { turns, begun, running, end } = useTurns();
  for (let n = 0; n < 1_000; n++) turns.offer(app(n, shared));
  expect(running.size).toBe(most);
  for (let n = 0; n < 1_000; n++) {
    await end();
    expect(running.size).toBeLessThanOrEqual(most);
  }
  expect(begun).toEqual(Array.from({ length: 1_000 }, (__, n) => `app ${n}`));
});

test("an app has one turn at a time, and another one if it was offered meanwhile, or needs it", async () => {
  let left = 1;
  const { turns, begun, running, end } = useTurns(() => left-- > 0);
  for (let n = 0; n < 5; n++) turns.offer(app(1));
  expect(running.size).toBe(1);
  await end(); // it was offered again
  expect(running.size).toBe(1);
  await end();
  expect(running.size).toBe(0);
  left = 1;
  turns.offer(app(1));
  await end(); // it has more
  await end();
  expect(begun).toHaveLength(4);
});

test("a user with many apps delays that of another by one turn", async () => {
  const { turns, begun, end } = useTurns();
  const of = (userId: string) => ({ userId });
  for (let n = 0; n < 400; n++) turns.offer(app(n, of(`user ${n % 4}`)));
  expect(begun).toHaveLength(64);
  turns.offer(app(1_000, of("another")));
  await end();
  expect(begun.at(-1)).toBe("app 1000");
});

test("what waits is bounded, and its end is that of the turns in progress", async () => {
  const { turns, begun, end } = useTurns();
  for (let n = 0; n < 10_000; n++) turns.offer(app(n, { userId: "u" }));
  const stopped = turns.stop();
  for (let n = 0; n < 20; n++) await end();
  await stopped;
  turns.offer(app(20_000));
  expect(begun).toHaveLength(16);
});
