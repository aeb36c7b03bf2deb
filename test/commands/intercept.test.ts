/** `diorama intercept`: unmodified clients with fixed hosts, with environments. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { canReplaceHosts } from "~/commands/intercept/environment";
import { useIntercept } from "../support/intercept";
import { JOHN } from "../support/tracker";

const place = useIntercept();
const { intercept, lastMessage } = place;

const SLACK_SDK = `
  const { WebClient } = require("@slack/web-api");
  new WebClient("xoxb-1-made-up").chat
    .postMessage({ channel: "C02RANDOM", text: "from the SDK" })
    .then(({ message }) => console.log(message.text));`;
const LINEAR_SDK = `
  const { LinearClient } = require("@linear/sdk");
  new LinearClient({ apiKey: "lin_api_made_up" }).viewer.then(({ id }) => console.log(id));`;
const PYTHON = `
import json, urllib.request
request = urllib.request.Request("https://api.linear.app/graphql",
    json.dumps({"query": "{ viewer { id } }"}).encode(), {"Content-Type": "application/json"})
print(json.load(urllib.request.urlopen(request))["data"]["viewer"]["id"])`;
describe("through the proxy", () => {
  const proxied = (command: readonly string[], env = {}) =>
    intercept([...place.to, "--via", "proxy"], command, env);

  test("curl reaches the chat with any token", async () => {
    const call = ["-H", "Authorization: Bearer xoxb-1-made-up", "https://slack.com/api/auth.test"];
    const { code, out } = await proxied(["curl", "-sS", ...call]);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ user_id: "U01AGENTONE" }),
    ]);
  });

  test("the host of a workspace is redirected too", async () => {
    const { out } = await proxied(["curl", "-sS", "https://acme.slack.com/api/auth.test"]);
    expect(JSON.parse(out)).toMatchObject({ ok: true });
  });

  test("Python reaches the tracker", async () => {
    expect(await proxied(["python3", "-c", PYTHON])).toMatchObject({ code: 0, out: JOHN });
  });

  test("other hosts are reached directly", async () => {
    const script = `curl -sS --noproxy "" -p -x "$HTTPS_PROXY" ${place.program.url}/livez -o /dev/null -w "%{http_code}"`;
    expect(await proxied(["sh", "-c", script])).toMatchObject({ code: 0, out: "200" });
  });

  test("other hosts are reached through the proxy of this machine", async () => {
    const asked: unknown[] = [];
    const upstream = createServer().on("connect", (request, socket) => {
      asked.push([request.url, request.headers["proxy-authorization"]]);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const { port } = upstream.address() as AddressInfo;

    const env = { HTTPS_PROXY: `http://joe:secret@127.0.0.1:${port}` };
    const { out } = await proxied(
      ["sh", "-c", `curl -sS https://example.test 2>&1; curl -sS https://slack.com/api/api.test`],
      env,
    );

    upstream.close();
    expect(asked).toEqual([
      ["example.test:443", `Basic ${Buffer.from("joe:secret").toString("base64")}`],
    ]);
    expect(out).toContain("403");
    expect(out).toContain('"ok":true');
  });
});

describe.skipIf(!canReplaceHosts())("by a file of hosts", () => {
  const hosted = (command: readonly string[]) =>
    intercept([...place.to, "--via", "hosts"], command);

  test("the official chat client needs no change", async () => {
    const { code, out } = await hosted(["node", "-e", SLACK_SDK]);
    expect([code, out]).toEqual([0, "from the SDK"]);
    expect(await lastMessage()).toBe("from the SDK");
  });

  test("the official tracker client needs no change", async () => {
    expect(await hosted(["node", "-e", LINEAR_SDK])).toMatchObject({ code: 0, out: JOHN });
  });

  test("other processes do not see the file", async () => {
    const before = await Bun.file("/etc/hosts").text();
    const { out } = await hosted(["cat", "/etc/hosts"]);
    expect(out).toMatch(/^127\.99\.\d+\.\d+ slack\.com$/m);
    expect(await Bun.file("/etc/hosts").text()).toBe(before);
  });
});

test("one address and token of a world lead the hosts of all its services to it", async () => {
  const world = await place.program.environment({
    ...{ templateService: "world", templateName: "acme" },
    ...{ impersonateUserId: undefined, impersonateEmail: "agent@acme.test" },
  });
  const to = ["--via", "proxy", "--service-url", place.program.url + world.environmentUrl];
  const env = { DIORAMA_TOKEN: world.token };
  const asking = `curl -sS https://slack.com/api/auth.test; echo; python3 -c '${PYTHON}'`;

  const { code, out } = await intercept(to, ["sh", "-c", asking], env);

  const [chat = "", tracker] = out.split("\n");
  expect([code, JSON.parse(chat), tracker]).toEqual([
    0,
    expect.objectContaining({ user_id: world.services.chat.userId }),
    world.services.tracker.userId,
  ]);
});

test("the command's exit code and arguments are unchanged, and no files remain", async () => {
  const command = ["sh", "-c", 'echo "$1"; exit 7', "sh", "--via hosts"];
  expect(await intercept(place.to, command)).toMatchObject({ code: 7, out: "--via hosts" });
  expect((await readdir(place.folder)).filter((name) => name.startsWith("diorama-"))).toEqual([]);
});

test.each([
  [[], {}, "DIORAMA_SERVICE_URL"],
  [
    ["--service-url", "http://127.0.0.1/api"],
    { DIORAMA_TOKEN: "x" },
    "is not the URL of a service",
  ],
  [["--service-url", "http://h/api/env/a/services/chat"], {}, "--token"],
  [
    [
      "--service-url",
      "http://h/api/env/a/services",
      "--service-url",
      "http://h/api/env/b/services/chat",
    ],
    { DIORAMA_TOKEN: "x" },
    "chat is given twice",
  ],
  [
    ["--service-url", "http://h/api/env/a/services/chat", "--host", "example.test"],
    { DIORAMA_TOKEN: "x" },
    "example.test is not below slack.com",
  ],
] as const)("%j is rejected with the reason", async (options, env, reason) => {
  expect(await intercept(options, ["true"], env)).toMatchObject({
    code: 64,
    err: expect.stringContaining(reason),
  });
});

test("a command that does not exist is rejected by name", async () => {
  expect(await intercept(place.to, ["no-such-command"])).toMatchObject({
    code: 64,
    err: expect.stringContaining("no-such-command"),
  });
});
