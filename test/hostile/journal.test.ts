/** Bursts of large calls, all answered in the same moment, harm no journal but their own. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { clientOf, type TestProgram } from "../support/program";
import { createStage, type Database } from "../support/stage";

setDefaultTimeout(240_000);

const BURSTS = 4;
const REQUESTS = 24;
/** All together, nearly what an environment may hold. */
const BODY_LENGTH = 650_000;
const CALLS = 120;

const stage = createStage();
let database: Database;
let program: TestProgram;
beforeAll(async () => {
  database = await stage.database();
  const server = await stage.server(database, { ENVIRONMENT_POOL_TARGETS: "chat_default:2" });
  program = clientOf(server.url);
});
afterAll(() => stage.end());

/** A request without its last byte. Returns what sends it, and waits for the answer. */
async function prepare({ environmentUrl, token }: any): Promise<() => Promise<void>> {
  const { hostname, port } = new URL(program.url);
  const body = JSON.stringify({ channel: "C01GENERAL", text: "x".repeat(BODY_LENGTH) });
  const head = `POST ${environmentUrl}/chat.postMessage HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket: Socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await new Promise((sent) => socket.write(head + body.slice(0, -1), sent));
  return async () => {
    const answered = once(socket, "data");
    socket.write(body.slice(-1));
    expect(String(await answered)).toStartWith("HTTP/1.1 200");
    socket.destroy();
  };
}

async function burst(environment: unknown): Promise<void> {
  const prepared = await Promise.all(Array.from({ length: REQUESTS }, () => prepare(environment)));
  await Promise.all(prepared.map((send) => send()));
}

test("of an environment without a run: a bystander's journal stays complete", async () => {
  const [noisy, quiet] = [await program.environment(), await program.environment()];
  const { body: run } = await program.post("/startRun", { envId: quiet.environmentId });
  let made = 0;
  const working = (async () => {
    for (; made < CALLS; made++) await program.chat(quiet, "auth.test");
  })();
  for (let n = 0; n < BURSTS; n++) await burst(noisy);
  await working;

  const verdict = await program.post("/evaluateRun", {
    runId: run.runId,
    expectedOutput: {
      assertions: [{ diff_type: "called", entity: "auth.test", expected_count: CALLS }],
    },
  });

  expect(verdict.body).toMatchObject({ passed: true, gradable: true });
  const { body: page } = await program.get(`/runs/${run.runId}/calls?limit=1000`);
  expect(page.complete).toBe(true);
  expect(page.calls).toHaveLength(CALLS);
});
