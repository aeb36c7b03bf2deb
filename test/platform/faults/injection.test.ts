/** Calls that wait because of a fault: as long as it says, not for longer than the server runs, and not too many. */
import { expect, test } from "bun:test";
import { createInjection } from "~/platform/faults/injection";
import { newAccount } from "~/replicas/replica";

const LONG_MS = 60_000;
const WAITING_MAX = 2_000;

function delayed(injection: ReturnType<typeof createInjection>, ms = LONG_MS) {
  const account = newAccount("chat.postMessage");
  const due = { fault: { fault: "latency", ms } } as const;
  const answer = injection.inject(
    account,
    due,
    async () => "performed",
    () => "rejected",
  );
  return { account, answer };
}
const newInjection = () =>
  createInjection({ pool: undefined as never, readState: async () => undefined });
const isWaiting = async (answer: Promise<unknown>) =>
  (await Promise.race([answer, Bun.sleep(20).then(() => "waiting")])) === "waiting";

test("a call waits as long as its fault says, and is performed", async () => {
  const began = performance.now();
  const { account, answer } = delayed(newInjection(), 50);

  expect(await isWaiting(answer)).toBe(true);
  expect(await answer).toBe("performed");
  expect(performance.now() - began).toBeGreaterThanOrEqual(45);
  expect(account.fault).toBe("latency");
});

test("calls that wait are performed when the server stops, and later ones do not wait", async () => {
  const injection = newInjection();
  const { answer } = delayed(injection);
  expect(await isWaiting(answer)).toBe(true);

  injection.stop();

  expect(await answer).toBe("performed");
  expect(await delayed(injection).answer).toBe("performed");
});

test("one call too many does not wait", async () => {
  const injection = newInjection();
  const waiting = Array.from({ length: WAITING_MAX }, () => delayed(injection).answer);

  expect(await isWaiting(waiting.at(-1) as Promise<unknown>)).toBe(true);
  expect(await delayed(injection).answer).toBe("performed");
  injection.stop();
  await Promise.all(waiting);
});
