/** Calls of commands, against a server that is busy at first. */
import { expect, test } from "bun:test";
import { createClient } from "~/commands/client";

/** A server that answers 503 so often before it answers; what it was sent. */
async function busy(
  times: number,
  call: (client: ReturnType<typeof createClient>) => Promise<unknown>,
) {
  const seen: { key: string | null; at: number }[] = [];
  await using server = Bun.serve({
    port: 0,
    fetch({ headers }) {
      seen.push({ key: headers.get("idempotency-key"), at: performance.now() });
      return seen.length > times
        ? Response.json({ done: true })
        : Response.json(
            { error: "service_unavailable" },
            { status: 503, headers: { "Retry-After": "1" } },
          );
    },
  });
  const answer = await call(createClient({ url: server.url.href }, {})).catch(
    (error) => error.code,
  );
  return { answer, seen };
}

test.each(["/initEnv", "/startRun", "/env/1/fork"])(
  "POST %s is repeated with the same key, after the time in Retry-After",
  async (path) => {
    const { answer, seen } = await busy(1, (client) => client.call("POST", path, {}));

    const [first, second] = seen;
    expect(answer).toEqual({ done: true });
    expect(seen).toHaveLength(2);
    expect(first?.key).toBeTruthy();
    expect(second?.key).toBe(`${first?.key}`);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  },
);

test("a call that could have a second effect is not repeated", async () => {
  const { answer, seen } = await busy(1, (client) => client.call("POST", "/templates/import", {}));

  expect([answer, seen.length]).toEqual(["service_unavailable", 1]);
});

test("a call that has reached another cell is repeated for its own, once", async () => {
  const seen: (string | null)[] = [];
  await using server = Bun.serve({
    port: 0,
    fetch({ headers }) {
      seen.push(headers.get("x-diorama-cell"));
      return Response.json(
        { error: "wrong_cell" },
        { status: 421, headers: { "X-Diorama-Cell": "b2" } },
      );
    },
  });
  const called = createClient({ url: server.url.href }, {}).call("POST", "/templates/import", {});

  expect(await called.catch((error) => error.code)).toBe("wrong_cell");
  expect(seen).toEqual([null, "b2"]);
});

test("a server that stays busy is reported", async () => {
  const { answer, seen } = await busy(9, (client) => client.call("GET", "/runs"));

  expect([answer, seen.length]).toEqual(["service_unavailable", 4]);
});
