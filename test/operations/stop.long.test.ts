/** A server that stops answers every accepted call, and announces the stop in advance. */
import { expect, test } from "bun:test";
import { Agent, request } from "node:http";
import { eventually, useDatabase } from "../support/database";
import { type ServerProcess, startProcess } from "../support/process";
import { expectStatus } from "../support/program";

const database = useDatabase();

type Outcome =
  | { status: number; body: any; closes: boolean }
  /** No connection could be made, or it was closed before the call was answered. */
  | { unanswered: string };

/** One call on a keep-alive connection, like a load balancer's. */
function post(agent: Agent, url: string, body: object): Promise<Outcome> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve({ unanswered: String(error.code) });
    const call = request(
      url,
      { method: "POST", agent, headers: { "Content-Type": "application/json" } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text),
            closes: response.headers.connection === "close",
          }),
        );
        response.on("error", fail);
      },
    );
    call.on("error", fail);
    call.end(JSON.stringify(body));
  });
}

const CLIENTS = 16;

type Load = {
  readonly acknowledged: string[];
  readonly failed: object[];
  readonly unanswered: string[];
};

/** Clients that write as fast as they are answered, until an answer announces the stop, or none comes. */
function load(server: ServerProcess, path: string): { found: Load; ended: Promise<unknown> } {
  const found: Load = { acknowledged: [], failed: [], unanswered: [] };
  const ended = Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let n = 0; ; n++) {
        const text = `${client}/${n}`;
        const outcome = await post(agent, server.url + path, { channel: "C01GENERAL", text });
        if ("unanswered" in outcome) {
          found.unanswered.push(outcome.unanswered);
          break;
        }
        if (outcome.body.ok) found.acknowledged.push(text);
        else found.failed.push(outcome);
        if (outcome.closes) break;
      }
      agent.destroy();
    }),
  );
  return { found, ended };
}

test.each([
  ["immediately", "0"],
  ["after a delay", "1"],
])("what a server under load has taken it answers, when it stops %s", async (_case, delay) => {
  const settings = { SHUTDOWN_DELAY: delay };
  const leaving = await startProcess(database, settings);
  const staying = await startProcess(database, settings);
  const environment = await leaving.environment();
  const run = await leaving.post("/startRun", { envId: environment.environmentId });
  expectStatus(run, 201);

  const { found, ended: loaded } = load(leaving, `${environment.environmentUrl}/chat.postMessage`);
  const { acknowledged, failed, unanswered } = found;
  await eventually(() => expect(acknowledged.length).toBeGreaterThan(CLIENTS));
  leaving.kill("SIGTERM");
  await loaded;
  expect(await leaving.exited).toBe(0);

  expect(failed).toEqual([]);
  // Without a delay a client may write into a connection that is being closed: such a call is not accepted.
  if (delay !== "0") expect(unanswered).toEqual([]);
  const ended = await staying.post("/diffRun", { runId: run.body.runId });
  const texts = ended.body.diff.inserts.map(({ text }: { text: string }) => text);
  expect(texts.toSorted()).toEqual(acknowledged.toSorted());
  staying.kill("SIGTERM");
  expect(await staying.exited).toBe(0);
});

test("is alive but not ready after the signal, and answers until the delay is over", async () => {
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

test("a second signal ends it immediately", async () => {
  const server = await startProcess(database, { SHUTDOWN_DELAY: "60" });
  server.kill("SIGTERM");
  await eventually(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(503));

  server.kill("SIGTERM");

  expect(await server.exited).toBe(1);
});
