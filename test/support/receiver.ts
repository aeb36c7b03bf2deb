/** A server that takes the requests of a service, as a bot with a Request URL does. */
import { afterAll } from "bun:test";
import { createHmac } from "node:crypto";
import { eventually } from "./database";

export type Received = {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
};

type Answer = (received: Received) => Response | Promise<Response>;

const open: { stop(isNow: boolean): unknown }[] = [];
afterAll(() => {
  for (const server of open.splice(0)) server.stop(true);
});

/** Answers challenges by itself, and everything else with `answer`. */
export function receive(answer: Answer = () => new Response("ok")) {
  const requests: Received[] = [];
  const challenges: Received[] = [];
  let inFlight = 0;
  let most = 0;
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 60 },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      const received = { path: pathname + search, headers: request.headers, body };
      const { type, challenge } = body.startsWith("{") ? JSON.parse(body) : {};
      if (type === "url_verification") {
        challenges.push(received);
        return new Response(challenge);
      }
      requests.push(received);
      inFlight++;
      most = Math.max(most, inFlight);
      const gone = new Promise<Response>((resolve) => {
        request.signal.addEventListener("abort", () => resolve(new Response()));
      });
      try {
        return await Promise.race([answer(received), gone]);
      } finally {
        inFlight--;
      }
    },
  });
  open.push(server);
  return {
    ...{ requests, challenges },
    url: `http://127.0.0.1:${server.port}/events`,
    /** Requests that were answered at the same time, at most. */
    most: () => most,
    has: (count: number) =>
      eventually(() => {
        if (requests.length < count) throw new Error(`only ${requests.length} of ${count}`);
        return requests;
      }),
    stop: () => server.stop(true),
  };
}

/** The body of a request whose signature is right, as JSON. Throws if it is not. */
export function signedBody({ headers, body }: Received, signingSecret: string) {
  const timestamp = headers.get("x-slack-request-timestamp");
  const mac = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  if (headers.get("x-slack-signature") !== `v0=${mac}`) throw new Error("the signature is wrong");
  return JSON.parse(body);
}
