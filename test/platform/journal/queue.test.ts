import { describe, expect, test } from "bun:test";
import { createQueue, type WaitingCall } from "~/platform/journal/queue";

const ROOM = 1_000;
const OWN = 400;

type Call = WaitingCall & { readonly id: string };

/** `answer`: characters of one. */
function call(environmentId: string, bytes: number, at = 0, answer = 0): Call {
  const text = answer > 0 ? { text: "x".repeat(answer), characters: answer } : undefined;
  return { id: `${environmentId}${at}`, environmentId, bytes, began: at, ended: at, answer: text };
}

const queueOf = (idle: readonly string[] = []) =>
  createQueue<Call>({ bytesMax: ROOM, ownBytes: OWN, isIdle: (id) => idle.includes(id) });

const ids = (calls: readonly Call[]) => calls.map(({ id }) => id);

describe("a queue without room", () => {
  test("drops the newest lines of the largest environment, whichever comes last", () => {
    const queue = queueOf();
    for (let at = 0; at < 9; at++) queue.add(call("noisy", 100, at));
    for (let at = 0; at < 3; at++) queue.add(call("quiet", 100, at));
    queue.add(call("noisy", 100, 9));

    const { calls, dropped } = queue.take();

    expect(ids(calls).filter((id) => id.startsWith("quiet"))).toEqual([
      "quiet0",
      "quiet1",
      "quiet2",
    ]);
    expect(ids(calls).filter((id) => id.startsWith("noisy"))).toHaveLength(7);
    expect([...dropped]).toEqual([["noisy", { count: 3, own: 3, began: 7, ended: 9 }]]);
  });

  test("drops answers before lines", () => {
    const queue = queueOf();
    for (let at = 0; at < 4; at++) queue.add(call("one", 100, at, 200));

    const { calls, dropped } = queue.take();

    expect(dropped.size).toBe(0);
    expect(calls).toHaveLength(4);
    expect(calls.map(({ answer }) => answer)).toEqual(
      Array.from({ length: 4 }, () => ({ text: undefined, characters: 200 })),
    );
  });

  test("drops first what an environment without a run has beyond its share", () => {
    const queue = queueOf(["idle"]);
    for (let at = 0; at < 5; at++) queue.add(call("running", 110, at));
    for (let at = 0; at < 6; at++) queue.add(call("idle", 90, at));

    expect([...queue.take().dropped.keys()]).toEqual(["idle"]);
  });

  test("keeps what an environment without a run has within its share: it may have begun one", () => {
    const queue = queueOf(["idle"]);
    queue.add(call("idle", 50));
    for (let at = 0; at < 10; at++) queue.add(call("running", 100, at));

    expect([...queue.take().dropped.keys()]).toEqual(["running"]);
  });

  test("does not blame an environment for a small share, or for a database that is down", () => {
    const many = queueOf();
    for (let n = 0; n < 11; n++) many.add(call(`e${n}`, 100));
    const behind = queueOf();
    for (let at = 0; at < 8; at++) behind.add(call("one", 100, at));
    behind.putBack(behind.take());
    for (let at = 8; at < 12; at++) behind.add(call("one", 100, at));
    const lost = behind.take();
    behind.caughtUp();
    for (let at = 0; at < 12; at++) behind.add(call("one", 100, at));

    expect([...many.take().dropped.values()]).toMatchObject([{ count: 1, own: 0 }]);
    expect([...lost.dropped.values()]).toMatchObject([{ count: 2, own: 0 }]);
    expect([...behind.take().dropped.values()]).toMatchObject([{ count: 2, own: 2 }]);
  });
});

test("what could not be appended goes back in front, with what was dropped", () => {
  const queue = queueOf();
  for (let at = 0; at < 12; at++) queue.add(call("one", 100, at));
  const taken = queue.take();
  queue.add(call("one", 100, 20));
  queue.putBack(taken);

  const { calls, dropped } = queue.take();

  expect(ids(calls)).toEqual(Array.from({ length: 10 }, (_, at) => `one${at}`));
  expect([...dropped.values()]).toEqual([{ count: 3, own: 2, began: 10, ended: 20 }]);
});

test("what will never be appended counts as dropped", () => {
  const queue = queueOf();
  queue.add(call("one", 10, 1));
  queue.add(call("one", 10, 2));
  queue.lose(queue.take());

  expect([...queue.take().dropped.values()]).toEqual([{ count: 2, own: 0, began: 1, ended: 2 }]);
});
