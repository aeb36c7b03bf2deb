/** A server that is told to stop answers every call it has taken, and says beforehand that it is going. */
import { expect, test } from "bun:test";
import { Agent, request } from "node:http";
import { eventually, useDatabase } from "../support/database";
import { type ServerProcess, startProcess } from "../support/process";
import { expectStatus } from "../support/program";

const database = useDatabase();

type Outcome = { status: number; body: any } | { refused: true } | { lost: string };

/** One call on a connection that is kept, as a balancer keeps it. */
function post(agent: Agent, url: string, body: object): Promise<Outcome> {
  return new Promise((resolve) => {
    const call = request(
      url,
      { method: "POST", agent, headers: { "Content-Type": "application/json" } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }),
        );
        response.on("error", (error) => resolve({ lost: error.message }));
      },
    );
    call.on("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ECONNREFUSED" ? { refused: true } : { lost: String(error.code) }),
    );
    call.end(JSON.stringify(body));
  });
}

const CLIENTS = 16;

/** Clients that write as fast as they are answered, until they are refused a connection. */
async function load(server: ServerProcess, environment: { environmentUrl: string }) {
  const acknowledged: string[] = [];
  const lost: unknown[] = [];
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let n = 0; ; n++) {
        const text = `${client}/${n}`;
        const outcome = await post(
          agent,
          `${server.url}${environment.environmentUrl}/chat.postMessage`,
          { channel: "C01GENERAL", text },
        );
        if ("refused" in outcome) break;
        if ("status" in outcome && outcome.body.ok) acknowledged.push(text);
        else lost.push(outcome);
        if (lost.length > 10) break;
      }
      agent.destroy();
    }),
  );
  return { acknowledged, lost };
}

test.each([
  ["at once", "0"],
  ["after a delay", "1"],
])(
  "no call is lost when a server under load stops %s",
  async (_case, delay) => {
    const settings = { SHUTDOWN_DELAY: delay };
    const leaving = await startProcess(database, settings);
    const staying = await startProcess(database, settings);
    const environment = await leaving.environment();
    const run = await leaving.post("/startRun", { envId: environment.environmentId });
    expectStatus(run, 201);

    const loading = load(leaving, environment);
    await Bun.sleep(500);
    const told = performance.now();
    leaving.kill("SIGTERM");
    const { acknowledged, lost } = await loading;
    expect(await leaving.exited).toBe(0);
    const seconds = (performance.now() - told) / 1000;

    expect(lost).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(CLIENTS);
    expect(seconds).toBeLessThan(Number(delay) + 5);
    const ended = await staying.post("/diffRun", { runId: run.body.runId });
    const texts = ended.body.diff.inserts.map(({ text }: { text: string }) => text);
    expect(texts.toSorted()).toEqual(acknowledged.toSorted());
    staying.kill("SIGTERM");
    expect(await staying.exited).toBe(0);
  },
  60_000,
);

test("is not ready from the signal on, but alive, and answers until the delay is over", async () => {
  const server = await startProcess(database, { SHUTDOWN_DELAY: "1" });
  const status = async (path: string) => (await fetch(server.url + path)).status;
  expect([await status("/readyz"), await status("/livez")]).toEqual([200, 200]);

  server.kill("SIGTERM");
  await eventually(async () => expect(await status("/readyz")).toBe(503));

  expect(await status("/livez")).toBe(200);
  const health = await fetch(`${server.url}/api/platform/health`);
  expect([health.status, health.headers.get("connection")]).toEqual([200, "close"]);
  expect(await server.exited).toBe(0);
});

test("a second signal ends it at once", async () => {
  const server = await startProcess(database, { SHUTDOWN_DELAY: "60" });
  server.kill("SIGTERM");
  await eventually(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(503));

  server.kill("SIGTERM");

  expect(await server.exited).toBe(1);
});
