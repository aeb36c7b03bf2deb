/**
 * One agent attacks with its token, and without one, while nine others work: it harms only its own run. A separate step
 * in CI, because it measures time and nothing else may run concurrently. Prints its figures.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect as connectSocket, type Socket } from "node:net";
import { RUN_BYTES_MAX } from "~/capture/limits";
import { LOSSES } from "~/capture/loss";
import { DOCUMENT_LENGTH_MAX } from "~/graphql/limits";
import { slotsOf } from "../faults/capture";
import { figuresOf, repeatedly, startBystanders } from "../support/bystanders";
import { eventually } from "../support/database";
import type { ServerProcess } from "../support/process";
import { createStage, type Database } from "../support/stage";

setDefaultTimeout(240_000);

const BYSTANDERS = 9;
const STALLED = 100;
const CALL_MS_MAX = 1_000;
const RSS_MEGABYTES_MAX = 400;
const RELEASE_SECONDS = 10;
const DESCRIPTION_LENGTH = 200_000;
const ISSUES_PER_CALL = 5;
const SAMPLE_MS = 200;

const stage = createStage();
let database: Database;
let server: ServerProcess;
let hostile: any;
beforeAll(async () => {
  database = await stage.database();
  server = await stage.server(database, {
    ENVIRONMENT_POOL_TARGETS: `chat_default:${BYSTANDERS},tracker_default:1`,
  });
  const created = await server.post("/initEnv", {
    templateService: "tracker",
    templateName: "tracker_default",
    impersonateEmail: "agent@acme.test",
  });
  expect([created.status, created.body]).toEqual([201, created.body]);
  hostile = created.body;
});
afterAll(() => stage.end());

/** One request of the agent to its environment, as an agent sends it. */
async function ask(query: string, variables: object = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${hostile.environmentUrl}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: hostile.token, ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, text: await response.text() };
}

/** Sends an incomplete request, and leaves the connection open. */
function stall(text: string): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connectSocket(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(text);
  return socket;
}

async function teamId(): Promise<string> {
  const { text } = await ask("{ teams { nodes { id key } } }");
  return JSON.parse(text).data.teams.nodes[0].id;
}

/** More rows than a run may have: alternating texts, so that nothing is shared or cancels out. */
async function flood(): Promise<void> {
  const team = await teamId();
  const create = Array.from(
    { length: ISSUES_PER_CALL },
    (_, n) =>
      `i${n}: issueCreate(input: { teamId: $team, title: "x", description: $d${n % 2} }) { success }`,
  ).join("\n");
  const calls = Math.ceil((1.2 * RUN_BYTES_MAX) / (DESCRIPTION_LENGTH * ISSUES_PER_CALL));
  for (let call = 0; call < calls; call++) {
    const [d0, d1] = ["a", "é"].map((letter) => letter.repeat(DESCRIPTION_LENGTH));
    const { text } = await ask(
      `mutation ($team: String!, $d0: String!, $d1: String!) { ${create} }`,
      {
        team,
        d0,
        d1,
      },
    );
    expect(text.slice(0, 300)).toContain('"success":true');
  }
}

/** Nested pages, hidden in fragments and sized by variables. */
async function bomb(): Promise<void> {
  const query = `query ($n: Int = 250) { teams(first: $n) { ...T } }
    fragment T on TeamConnection { nodes { issues(first: $n) { ...I } } }
    fragment I on IssueConnection { nodes { team { issues(first: $n) { ...J } } } }
    fragment J on IssueConnection { nodes { team { issues(first: $n) { nodes { id title } } } } }`;
  for (let n = 0; n < 20; n++) {
    const { text } = await ask(query);
    expect(text).toContain('"errors"');
  }
}

/** Texts that are expensive to parse before they are rejected. */
async function bulk(): Promise<void> {
  const long = `{ viewer { ${"id ".repeat(DOCUMENT_LENGTH_MAX)} } }`;
  for (let n = 0; n < 5; n++) expect((await ask(long)).text).toContain('"errors"');
}

/** Acting as other users. */
async function impersonate(others: readonly string[]): Promise<void> {
  for (const other of others) {
    const { text } = await ask(
      "{ viewer { id } }",
      {},
      {
        Authorization: other,
        "X-API-Key": hostile.token,
      },
    );
    expect(text).toContain('"errors"');
  }
}

/** Without a credential: endless bodies and pipelined requests. */
function siege(): Socket[] {
  const head =
    "POST /api/platform/initEnv HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n";
  return Array.from({ length: STALLED }, (_, n) =>
    n % 2 === 0
      ? stall(`${head}Content-Length: 100000\r\n\r\n{`)
      : stall("GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(50)),
  );
}

test("a hostile agent harms only its own run", async () => {
  const end = await startBystanders(stage, database, server, BYSTANDERS);
  const { body: run } = await server.post("/startRun", { envId: hostile.environmentId });
  const { text } = await ask("{ users { nodes { id } } viewer { id } }");
  const { users, viewer } = JSON.parse(text).data;
  const others = users.nodes
    .map(({ id }: { id: string }) => id)
    .filter((id: string) => id !== viewer.id);

  const live = repeatedly(async () => {
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  }, SAMPLE_MS);
  const sockets = siege();
  await Promise.all([flood(), bomb(), bulk(), impersonate(others)]);

  const { calls, rss } = await end();
  const probes = (await live()).sort((a, b) => a - b);
  await server.post("/diffRun", { runId: run.runId });
  const results = await eventually(async () => {
    const { body } = await server.get(`/results/${run.runId}`);
    if (body.status === "running") throw new Error("the run is still open");
    return body;
  }, 120);
  const ended = performance.now();
  await eventually(async () => {
    const [slot] = await slotsOf(database);
    expect(slot?.lag).toBeLessThan(2 ** 20);
  }, RELEASE_SECONDS);
  for (const socket of sockets) socket.destroy();

  expect(results).toMatchObject({
    status: "failed",
    gradable: true,
    cause: "agent_limit",
    failures: [`agent_limit: ${LOSSES.too_many_bytes}`],
  });
  expect(calls.at(-1)).toBeLessThan(CALL_MS_MAX);
  expect(probes.at(-1)).toBeLessThan(CALL_MS_MAX);
  expect(rss).toBeLessThan(RSS_MEGABYTES_MAX);
  process.stderr.write(
    `${figuresOf(calls)}; RSS ${rss.toFixed(0)} MB; ` +
      `the slot moved ${((performance.now() - ended) / 1000).toFixed(1)} s after the last run\n`,
  );
});
