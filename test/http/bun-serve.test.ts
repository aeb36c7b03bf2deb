/** Why the server is not Bun.serve (`src/wire/server.ts`). Once this fails, the reason has gone. */
import { expect, test } from "bun:test";

const HELD_MS = 2_000;

test("Bun.serve loses the answer to a request when the next one arrives before it", async () => {
  const called: string[] = [];
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    async fetch({ url }) {
      called.push(new URL(url).pathname);
      begun.resolve();
      // Long enough for the second request to arrive first, also on a busy machine.
      await Promise.race([closed.promise, Bun.sleep(HELD_MS)]);
      return new Response("done");
    },
  });
  let received = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(server.port),
    socket: {
      data(_, bytes) {
        received += bytes.toString();
        if (received.split("done").length > 2) closed.resolve();
      },
      close: () => closed.resolve(),
    },
  });

  socket.write("GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await begun.promise;
  socket.write("GET /second HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await closed.promise;
  await server.stop(true);

  expect({ called, received }).toEqual({ called: ["/first"], received: "" });
});
