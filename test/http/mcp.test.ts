/** The MCP endpoint as clients see it: both eras of the protocol, credentials, pages, malformed messages. */
import { describe, expect, test } from "bun:test";
import { DEVELOPMENT_KEY } from "~/platform/keys/format";
import { useDatabase } from "../support/database";
import {
  callTool,
  connectClient,
  connectFirstClient,
  type Endpoint,
  endpointOf,
  send,
} from "../support/mcp";
import { run } from "../support/packages";
import { useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database);

const endpoint = async (path = "") => endpointOf(program, await program.environment(), path);
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const listed = async (at: Endpoint) => (await send(at, LIST)).body.result.tools;

describe("the official clients", () => {
  const connected = {
    "2.x with the handshake": (at: Endpoint) => connectClient(at, "legacy"),
    "2.x of 2026-07-28": (at: Endpoint) => connectClient(at, "modern"),
    "1.x": connectFirstClient,
  };

  test.each(Object.entries(connected))("%s lists tools and calls them", async (_name, connect) => {
    const at = await endpoint();
    const client = await connect(at);
    const { tools } = await client.listTools();
    const message = { channel_id: "C01GENERAL", message: "hello" };
    const sent: any = await client.callTool({ name: "slack_send_message", arguments: message });
    const unknown = client.callTool({ name: "slack_send_letter", arguments: {} });

    expect(tools as unknown).toEqual(await listed(at));
    expect(JSON.parse(sent.content[0].text).message_context.channel_id).toBe("C01GENERAL");
    await expect(unknown).rejects.toThrow("Unknown tool: slack_send_letter");
    await client.close();
  });
});

describe("the listing", () => {
  test("names the environment's user", async () => {
    const environment = await program.environment({ impersonateUserId: "U02JOHNADOE" });
    const tools = await listed(endpointOf(program, environment));
    const named = tools.filter((tool: any) => tool.description.includes("U02JOHNADOE"));

    expect(named.map((tool: any) => tool.name).toSorted()).toEqual([
      "slack_list_channel_members",
      "slack_search_public",
      "slack_search_public_and_private",
      "slack_search_users",
      "slack_send_message",
    ]);
    expect(JSON.stringify(tools)).not.toContain("acting_user");
  });

  test("of access=read has the tools that write nothing, and no others can be called", async () => {
    const reading = await endpoint("?access=read");
    const tools = await listed(reading);
    const refused = await send(reading, {
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "slack_send_message", arguments: { channel_id: "C01GENERAL", message: "x" } },
    });

    expect(tools).toHaveLength(12);
    expect(tools.every((tool: any) => tool.annotations.readOnlyHint)).toBe(true);
    expect(await listed(await endpoint("/archived?access=read"))).toHaveLength(5);
    expect(refused.body).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32602, message: "Unknown tool: slack_send_message" },
    });
  });

  test.each([
    ["/private", 404, "not_found"],
    ["?access=write", 400, "invalid_request"],
  ])("%s is rejected", async (path, status, error) => {
    const rejected = await send(await endpoint(path), LIST);

    expect(rejected).toMatchObject({ status, body: { ok: false, error } });
  });
});

describe("a credential", () => {
  const URL_OF = (at: Endpoint, headers: Record<string, string>) => ({ url: at.url, headers });

  test("is the environment's token, or a key", async () => {
    const at = await endpoint();
    const answers = await Promise.all([
      send(at, LIST),
      send(URL_OF(at, { "X-API-Key": "diorama_k_wrong" }), LIST),
      send(URL_OF(at, { Authorization: "Bearer diorama_e_wrong" }), LIST),
      send(endpointOf(program, await program.environment()), LIST),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 200]);
  });

  test("of another environment is rejected with a challenge", async () => {
    const [mine, other] = [await endpoint(), await endpoint()];
    const rejected = await send(URL_OF(mine, other.headers), LIST);

    expect(rejected).toMatchObject({ status: 401, body: { ok: false, error: "not_authed" } });
    expect(rejected.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  });

  test("in the arguments of a tool is no credential", async () => {
    const { url, headers } = await endpoint();
    const token = headers["Authorization"]?.slice("Bearer ".length);
    const rejected = await send(
      { url, headers: { Host: "diorama.example" } },
      { ...LIST, params: { token } },
    );

    expect(rejected.status).toBe(401);
    expect(rejected.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  });
});

describe("a page of another site", () => {
  test.each([
    ["http://evil.example", "127.0.0.1", 403],
    ["http://evil.example", "server.example", 403],
    ["http://server.example:1", "server.example:2", 403],
    ["null", "127.0.0.1", 403],
    ["null", "null", 403],
    ["http://localhost:6274", "127.0.0.1", 200],
    ["http://localhost:6274", "evil.example", 403],
  ])("%s under the name %s: %d", async (Origin, Host, status) => {
    const answer = await send(await endpoint(), LIST, { Origin, Host });

    expect(answer.status).toBe(status);
  });
});

describe("a page of the server's own address", () => {
  const production = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });
  const behind = useProgram(database, { TRUST_PROXY: "true" });
  const [HOST, ADDRESS] = ["server.example:3000", "10.0.0.7:3000"];
  const own = (Host: string) => ({ Host, Origin: `http://${Host}` });

  test.each([HOST, "SERVER.example:3000", ADDRESS, "[fe80::1]:3000", "localhost:3000"])(
    "%s calls tools with the environment's token",
    async (host) => {
      const { status } = await send(await endpoint(), LIST, own(host));

      expect(status).toBe(200);
    },
  );

  test("has no credential if its name only resolves to this machine", async () => {
    const { url } = await endpoint();
    const control = `${program.url}/mcp`;
    const credentials = [{}, { "X-API-Key": DEVELOPMENT_KEY }];
    for (const host of [HOST, ADDRESS, "127.0.0.1.evil.example", "localhost.evil.example"])
      for (const at of [url, control])
        for (const headers of credentials) {
          const { status } = await send({ url: at, headers }, LIST, own(host));
          expect([host, at, status]).toEqual([host, at, 401]);
        }
    expect((await send({ url, headers: {} }, LIST, own("127.0.0.1:3000"))).status).toBe(200);
  });

  test("needs a key in production", async () => {
    const at = { url: `${production.url}/mcp`, headers: {} };
    expect((await send(at, LIST, own(HOST))).status).toBe(401);
    expect((await send(at, LIST, own("localhost:3000"))).status).toBe(401);
    const other = await send(at, LIST, { ...own(HOST), Origin: "http://evil.example" });
    expect(other.status).toBe(403);
  });

  test("has the address that a proxy forwards, if the proxy is trusted", async () => {
    const forwarded = {
      ...{ Host: ADDRESS, Origin: "https://server.example" },
      ...{ "X-Forwarded-Host": "server.example", "X-Forwarded-Proto": "https" },
    };
    const at = endpointOf(behind, await behind.environment());
    expect((await send(at, LIST, forwarded)).status).toBe(200);
    expect((await send(await endpoint(), LIST, forwarded)).status).toBe(403);
  });
});

describe("a message", () => {
  test.each([
    ["no JSON", "{", 400, -32700],
    ["no message", "[1]", 400, -32600],
    ["an unknown method", { ...LIST, method: "prompts/list" }, 200, -32601],
    ["a stream", { ...LIST, method: "subscriptions/listen" }, 404, -32601],
    ["no tool's name", { ...LIST, method: "tools/call", params: {} }, 200, -32602],
  ])("with %s gets the protocol's error", async (_what, message, status, code) => {
    const answer = await send(await endpoint(), message);

    expect(answer).toMatchObject({ status, body: { error: { code } } });
  });

  test("of another type than JSON, or another method than POST, is rejected", async () => {
    const at = await endpoint();
    const get = await fetch(at.url, { headers: at.headers });

    expect((await send(at, LIST, { "Content-Type": "text/plain" })).status).toBe(415);
    expect(get.status).toBe(405);
    expect(get.headers.get("allow")).toBe("POST");
  });

  test.each([
    ["*/*", 200],
    ["application/*, text/*;q=0.5", 200],
    ["", 200],
    ["application/json", 406],
    ["text/html", 406],
  ])("from a client that accepts %j gets %d", async (Accept, status) => {
    const answer = await send(await endpoint(), LIST, { Accept });

    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toStartWith("application/json");
  });

  test("of curl, and of a client without Accept, is answered in JSON in both eras", async () => {
    const at = await endpoint();
    const stateless = {
      ...LIST,
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "curl", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    };
    for (const [message, headers] of [
      [LIST, []],
      [stateless, ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"]],
    ] as const)
      for (const accept of [[], ["Accept:"]]) {
        const sent = [
          ...["Content-Type: application/json", `Authorization: ${at.headers["Authorization"]}`],
          ...[...headers, ...accept],
        ];
        const output = await run([
          ...["curl", "--silent", at.url, "--data", JSON.stringify(message)],
          ...sent.flatMap((header) => ["--header", header]),
        ]);
        expect(JSON.parse(output).result.tools).toHaveLength(19);
      }
  });

  test("without a request is accepted", async () => {
    const answer = await send(await endpoint(), {
      jsonrpc: "2.0",
      method: "notifications/initialized",
    });

    expect(answer).toMatchObject({ status: 202, body: "" });
  });

  test("that cancels another one of its batch does not keep the client waiting", async () => {
    const cancelled = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1, reason: "late" },
    };
    const answer = await send(await endpoint(), [LIST, { ...LIST, id: 2 }, cancelled]);

    expect(answer.body.map(({ id, result }: any) => [id, result.tools.length])).toEqual([
      [1, 19],
      [2, 19],
    ]);
  });

  test("to an environment that has ended is not answered by another one", async () => {
    const environment = await program.environment();
    const at = endpointOf(program, environment);
    await program.call("DELETE", `/env/${environment.environmentId}`);

    expect((await send(at, LIST)).status).toBe(404);
    await expect(callTool(at, "slack_send_message", {})).rejects.toThrow("404");
  });
});
