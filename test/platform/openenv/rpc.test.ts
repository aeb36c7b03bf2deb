/** Sessions and tools over JSON-RPC, in the manner of OpenEnv. */
import { describe, expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { joinOpenEnv } from "../../support/openenv";
import { useProgram } from "../../support/program";
import { useUsers } from "../../support/users";

const database = useDatabase();
const program = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });
const { ann, bob } = useUsers(database, "ann", "bob");
const SUITE = "chat-benchmark";

async function post(body: unknown, as = ann, suite = SUITE) {
  const response = await fetch(`${program.url}/openenv/${suite}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...as },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as any };
}
const call = async (method: string, params: object = {}, as = ann, suite = SUITE) => {
  const { status, body } = await post({ jsonrpc: "2.0", id: 7, method, params }, as, suite);
  expect([status, body.jsonrpc, body.id]).toEqual([200, "2.0", 7]);
  return body as { result?: any; error?: { code: number; message: string } };
};
const create = async (as = ann): Promise<string> =>
  (await call("openenv/session/create", {}, as)).result.session_id;
const join = (session: string, as = ann) =>
  joinOpenEnv(`${program.url}`, `${SUITE}`, as, `?session_id=${session}`);
const hello = { channel_id: "C03ENGINEER", message: "The demo on Friday starts at 14:00 CET." };
const active = async () =>
  (await program.get("/environments?status=active", ann)).body.environments.length;

describe("a session", () => {
  test("is shared by its WebSocket and its calls, and outlives the WebSocket until it is closed", async () => {
    const session_id = await create();
    const first = await join(session_id);
    await first.reset({ index: 0, episode_id: "e" });
    const sent = { session_id, name: "slack_send_message", arguments: hello };
    expect((await call("tools/call", sent)).result).toMatchObject({ isError: false });
    expect((await first.state()).data).toMatchObject({ episode_id: "e", step_count: 1 });
    first.close();
    await first.closed;

    const second = await join(session_id);
    expect((await second.state()).data).toMatchObject({ episode_id: "e", step_count: 1 });
    const { result } = await call("tools/call", { session_id, name: "submit" });
    expect(result.structuredContent).toMatchObject({ reward: 1, done: true, passed: true });
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    expect((await call("openenv/session/close", { session_id })).result).toEqual({
      ...{ session_id, closed: false, closing: true },
    });
    second.close();
    await second.closed;
    await eventually(async () =>
      expect((await call("tools/list", { session_id })).error?.message).toContain(
        "no such session",
      ),
    );
  });

  test("releases its environment when it is closed", async () => {
    const session_id = await create();
    const socket = await join(session_id);
    await socket.reset({ index: 0 });
    socket.close();
    await socket.closed;
    expect(await active()).toBe(1);

    expect((await call("openenv/session/close", { session_id })).result).toEqual({
      ...{ session_id, closed: true, closing: false },
    });
    await eventually(async () => expect(await active()).toBe(0));
  });

  test("has one WebSocket at a time", async () => {
    const session_id = await create();
    const first = await join(session_id);
    const second = await join(session_id);

    expect(await second.closed).toBe(1013);
    expect((await first.state()).type).toBe("state");
    first.close();
    await first.closed;
    await call("openenv/session/close", { session_id });
  });

  test("belongs to its user and its suite", async () => {
    const session_id = await create();

    const theirs = await call("tools/list", { session_id }, bob);
    const elsewhere = await call("tools/list", { session_id }, ann, "tracker-benchmark");
    const closed = await call("openenv/session/close", { session_id }, bob);
    for (const { error } of [theirs, elsewhere, closed])
      expect(error).toEqual({ code: -32_602, message: "session_id: there is no such session" });
    expect(await (await join(session_id, bob)).closed).toBe(1013);
    expect((await call("tools/list", { session_id })).result.tools.length).toBeGreaterThan(2);
    await call("openenv/session/close", { session_id });
  });
});

test("the tools of a suite are listed without a session", async () => {
  const { result } = await call("tools/list");

  const names = result.tools.map(({ name }: { name: string }) => name);
  expect(names).toContain("slack_send_message");
  expect(names.at(-1)).toBe("submit");
  expect(Object.keys(result.tools[0])).toEqual(["name", "description", "inputSchema"]);
});

test("a WebSocket takes the same requests as messages", async () => {
  const socket = await joinOpenEnv(program.url, SUITE, ann);
  await socket.reset({ index: 0 });
  const rpc = async (method: string, params: object) =>
    (await socket.send({ type: "mcp", data: { jsonrpc: "2.0", id: "a", method, params } })) as any;

  const sent = await rpc("tools/call", { name: "slack_send_message", arguments: hello });
  const ended = await rpc("tools/call", { name: "submit" });
  const wrong = await socket.send({ type: "mcp", data: { method: "tools/list" } });

  expect(sent).toMatchObject({ type: "mcp", data: { id: "a", result: { isError: false } } });
  expect(ended.data.result.structuredContent).toMatchObject({ reward: 1 });
  expect(wrong.data).toMatchObject({ id: null, error: { code: -32_600 } });
  socket.close();
});

describe("a mistake is an error of the protocol:", () => {
  test.each([
    ["an empty object", {}, -32_600, "jsonrpc: "],
    ["another version", { jsonrpc: "1.0", method: "tools/list" }, -32_600, "jsonrpc: "],
    ["a field too many", { jsonrpc: "2.0", method: "tools/list", x: 1 }, -32_600, "x: "],
    ["params that are a list", { jsonrpc: "2.0", method: "x", params: [] }, -32_600, "params: "],
    ["an unknown method", { jsonrpc: "2.0", method: "initialize" }, -32_601, "Method not found"],
    [
      "a call without a session",
      { jsonrpc: "2.0", method: "tools/call", params: { name: "submit" } },
      ...([-32_602, "session_id: needed"] as const),
    ],
    [
      "an unknown session",
      { jsonrpc: "2.0", method: "tools/list", params: { session_id: 5 } },
      ...([-32_602, "no such session"] as const),
    ],
  ])("%s", async (_, body, code, words) => {
    const answer = await post(body);

    expect(answer).toMatchObject({ status: 200, body: { jsonrpc: "2.0", id: null } });
    expect(answer.body.error.code).toBe(code);
    expect(answer.body.error.message).toContain(words);
  });

  test.each([
    ["a call before a reset", { name: "slack_send_message" }, "reset first"],
    ["a call without a name", {}, "name and arguments"],
    ["arguments that are no object", { name: "submit", arguments: [] }, "name and arguments"],
  ])("%s", async (_, params, words) => {
    const session_id = await create();

    const { error } = await call("tools/call", { session_id, ...params });

    expect(error?.code).toBe(-32_602);
    expect(error?.message).toContain(words);
    await call("openenv/session/close", { session_id });
  });

  test("an environment that is gone", async () => {
    const session_id = await create();
    const socket = await join(session_id);
    const { metadata } = (await socket.reset({ index: 0 })).data;
    await program.call("DELETE", `/env/${metadata.environment_id}`, undefined, ann);

    const { error } = await call("tools/call", { session_id, name: "submit" });

    expect(error?.message).toContain("environment deleted");
    socket.close();
  });
});

test("a body that is no JSON object is rejected as everywhere", async () => {
  expect(await post([{ jsonrpc: "2.0", id: 1, method: "tools/list" }])).toMatchObject({
    status: 400,
    body: { error: "invalid_request" },
  });
});

test("a suite's document has its calls alone, below its own address", async () => {
  const response = await fetch(`${program.url}/openenv/${SUITE}/openapi.json`, { headers: ann });
  const document = (await response.json()) as any;

  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Chat benchmark", version: "1.0.0" },
    servers: [{ url: `${program.url}/openenv/${SUITE}` }],
  });
  const paths = Object.keys(document.paths);
  for (const path of ["/reset", "/step", "/state", "/schema", "/mcp", "/{environment}/tasks"])
    expect(paths).toContain(path);
  expect(paths.filter((path) => path.includes("openenv") || path.includes("{suite}"))).toEqual([]);
  const text = JSON.stringify(document);
  for (const [, kind = "", name = ""] of text.matchAll(/#\/components\/(\w+)\/([^"]+)"/g))
    expect(document.components[kind]).toHaveProperty(name);
  expect(document.components.parameters ?? {}).not.toHaveProperty("suite");
  expect(text).not.toContain("initEnv");
});

test.each(["mcp", "openapi.json"])("%s needs a key, and a suite that exists", async (path) => {
  const ask = async (suite: string, headers: Record<string, string>) => {
    const method = path === "mcp" ? "POST" : "GET";
    const body = path === "mcp" ? { body: "{}" } : {};
    const address = `${program.url}/openenv/${suite}/${path}`;
    return (await fetch(address, { method, headers, ...body })).status;
  };
  const typed = { "Content-Type": "application/json" };

  expect(await ask(SUITE, typed)).toBe(401);
  expect(await ask("nothing", { ...typed, ...ann })).toBe(404);
});
