/** Diorama itself as tools: at /mcp, and by `diorama mcp` over standard input and output. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { useSharedDatabase } from "../support/database";
import { callTool, connectClient, send } from "../support/mcp";
import { useProgram } from "../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const MAIN = join(import.meta.dir, "../../src/main.ts");
const endpoint = () => ({ url: `${program.url}/mcp`, headers: {} });

type Call = (name: string, args?: object) => Promise<{ text: string; isError: boolean }>;

/** From a template to a verdict, with tools alone. */
async function story(call: Call) {
  const run = async (name: string, args: object = {}) => {
    const { text, isError } = await call(name, args);
    if (isError) throw new Error(`${name}: ${text}`);
    return JSON.parse(text);
  };
  const { templates } = await run("list_templates", { service: "chat" });
  const { testSuites } = await run("list_suites", { name: "chat" });
  const suite = await run("get_suite", { suiteId: testSuites[0].id });
  const environment = await run("create_environment", {
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    ttlSeconds: 60,
  });
  const { environmentId: envId } = environment;
  const say = (text: string) =>
    program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
  const first = await run("start_run", { envId });
  await say("one");
  const diff = await run("diff_run", { runId: first.runId });
  const second = await run("start_run", { envId });
  await say("two");
  const expectedOutput = {
    assertions: [{ diff_type: "added", entity: "messages", expected_count: 1 }],
  };
  const verdict = await run("evaluate_run", {
    runId: second.runId,
    ...{ expectedOutput, ending: "crashed", exitCode: 1 },
  });
  const results = await run("get_results", { runId: second.runId });
  const changes = await run("list_changes", { runId: first.runId });
  const deleted = await run("delete_environment", { envId });
  return { templates, suite, diff, verdict, results, changes, deleted, envId };
}

function check(outcome: Awaited<ReturnType<typeof story>>) {
  expect(outcome.templates.map(({ name }: any) => name)).toContain("chat_default");
  expect(outcome.suite.tests).toHaveLength(20);
  expect(outcome.diff.diff.inserts).toMatchObject([{ __table__: "messages", text: "one" }]);
  expect(outcome.verdict).toMatchObject({ status: "failed", stateVerdict: { passed: true } });
  expect(outcome.results.runId).toBeString();
  expect(JSON.stringify(outcome.changes)).toContain("messages");
  expect(outcome.deleted.environmentId).toBe(outcome.envId);
}

describe("/mcp", () => {
  test("leads from a template to a verdict", async () => {
    check(await story((name, args = {}) => callTool(endpoint(), name, args)));
  });

  test("lists its tools to the official client", async () => {
    const client = await connectClient(endpoint(), "modern");
    const { tools } = await client.listTools();
    await client.close();

    expect(tools.map(({ name }) => name)).toContain("create_environment");
    expect(tools.every(({ description }) => description)).toBe(true);
  });

  test.each([
    ["get_suite", {}, "suiteId: is needed"],
    ["start_run", { envId: "x", color: "red" }, "color: no such argument"],
    ["delete_environment", { envId: "../templates" }, "invalid_environment_path"],
    ["diff_run", { runId: "0".repeat(32) }, "run_not_found"],
    ["create_environment", { templateService: "telephone" }, "invalid_service"],
  ])("%s with %j answers with the platform's error", async (name, args, error) => {
    const { text, isError } = await callTool(endpoint(), name, args);

    expect(isError).toBe(true);
    expect(text).toContain(error);
  });

  test("needs a key, and rejects pages of other sites", async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const wrong = await send(endpoint(), list, { Authorization: "Bearer diorama_k_wrong" });
    const page = await send(endpoint(), list, { Origin: "http://evil.example" });

    expect(wrong.status).toBe(401);
    expect(wrong.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    expect(page.status).toBe(403);
  });
});

test("`diorama mcp` serves the same over standard input and output", async () => {
  const client = new Client({ name: "diorama-test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", "--url", program.url],
    stderr: "inherit",
  });
  await client.connect(transport as never);
  const call: Call = async (name, args = {}) => {
    const result: any = await client.callTool({ name, arguments: { ...args } });
    return { text: result.content[0].text, isError: result.isError ?? false };
  };
  const { tools } = await client.listTools();
  const outcome = await story(call);
  const refused = await call("diff_run", { runId: "0".repeat(32) });
  await client.close();

  expect(tools).toHaveLength(10);
  check(outcome);
  expect(refused).toEqual({ text: expect.stringContaining("run_not_found"), isError: true });
});
