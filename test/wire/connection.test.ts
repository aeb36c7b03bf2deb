/** A connection without a network: what it sends, and when it stops to receive. */
import { expect, test } from "bun:test";
import { createBudget } from "~/wire/budget";
import { createConnection } from "~/wire/connection";
import { LIMITS } from "~/wire/limits";
import { HeaderList } from "~/wire/message";
import type { Turns } from "~/wire/turns";

/** Answers each request before its body. */
function open(discarding: Turns) {
  const seen = { sent: "", isPaused: false, called: 0 };
  const socket = {
    write: (bytes: Buffer) => {
      seen.sent += bytes.toString();
      return bytes.byteLength;
    },
    pause: () => {
      seen.isPaused = true;
    },
    resume: () => {
      seen.isPaused = false;
    },
    ...{ shutdown() {}, end() {}, terminate() {}, remoteAddress: "127.0.0.1" },
  } as unknown as Parameters<typeof createConnection>[0];
  const answer = () => ({ status: 200, headers: new HeaderList(), body: `${++seen.called}` });
  const connection = createConnection(socket, {
    handler: { fetch: async () => answer(), refuse: answer },
    limits: LIMITS,
    received: createBudget(LIMITS.heldBytes),
    sent: createBudget(LIMITS.heldBytes),
    discarding,
    isStopping: () => false,
  });
  const receive = async (text: string) => {
    connection.receive(Buffer.from(text));
    await Bun.sleep(0);
  };
  return { seen, receive };
}

test("a body that arrives before its turn to be discarded does not pause the requests after it", async () => {
  let ended = 0;
  const never: Turns = () => ({ isWaiting: () => true, end: () => ended++ });
  const { seen, receive } = open(never);

  await receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
  expect(seen).toMatchObject({ called: 1, isPaused: true });

  await receive("67890"); // was on its way
  expect(seen.isPaused).toBe(false);
  expect(ended).toBe(1);
  await receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(seen).toMatchObject({ called: 2, isPaused: false });
  expect(seen.sent).toEndWith("\r\n\r\n2");
});
