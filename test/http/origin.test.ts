/** Calls that a development server answers without a key, and the server's address in answers. */
import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { isLocal, publicBase } from "~/http/origin";
import { DEVELOPMENT_KEY } from "~/platform/keys/format";
import { HeaderList } from "~/wire/message";
import { useDatabase } from "../support/database";
import { expectRefusal, useProgram } from "../support/program";
import { ask } from "../support/wire";

const database = useDatabase();
const program = useProgram(database, { CORS_ORIGINS: "https://app.example.com" });
const LIST = "/api/platform/environments";

describe("without a key a development server", () => {
  const call = async (headers: string[], path = LIST) => {
    const { status, headers: got, body } = await ask(program.url, `GET ${path} HTTP/1.1`, headers);
    return { status, headers: got, body: JSON.parse(body) };
  };

  test.each([
    ["localhost:3000", []],
    ["LOCALHOST", []],
    ["127.0.0.1:3000", []],
    ["127.1.2.3", []],
    ["[::1]:3000", []],
    ["localhost:3000", ["Sec-Fetch-Site: none"]],
    ["localhost:3000", ["Sec-Fetch-Site: same-origin", "Origin: http://localhost:3000"]],
    ["localhost:3000", ["Sec-Fetch-Site: same-site", "Origin: http://localhost:5173"]],
    ["localhost:3000", ["Origin: http://localhost:5173"]],
    ["localhost:3000", ["Sec-Fetch-Site: cross-site", "Origin: https://app.example.com"]],
  ])("answers a call to %s with %j", async (host, headers) => {
    expect((await call([`Host: ${host}`, ...headers])).status).toBe(200);
  });

  test.each([
    ["evil.example.com", []],
    ["evil.example.com:3000", ["Origin: http://evil.example.com:3000"]],
    ["localhost.example.com", []],
    ["127.0.0.1.example.com", []],
    ["10.0.0.1", []],
    ["localhost:3000", ["Sec-Fetch-Site: cross-site"]],
    ["localhost:3000", ["Sec-Fetch-Site: cross-site", "Origin: https://evil.example.com"]],
    ["localhost:3000", ["Origin: https://evil.example.com"]],
    ["localhost:3000", ["Origin: http://127.0.0.1:3000"]],
    ["localhost:3000", ["Origin: null"]],
    ["evil.example.com", ["Origin: https://app.example.com"]],
    ["evil.example.com", [`X-API-Key: ${DEVELOPMENT_KEY}`]],
  ])("rejects a call to %s with %j", async (host, headers) => {
    expectRefusal(await call([`Host: ${host}`, ...headers]), 401, "not_authed");
  });

  test.each([
    ["127.0.0.1", true],
    ["127.8.9.10", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["172.17.0.1", false],
    ["::ffff:172.17.0.1", false],
    ["fe80::127.0.0.1", false],
    ["2001:db8::1", false],
    ["", false],
  ])("decides by the address of the peer, %p, which no header changes", (peer, isAnswered) => {
    const headers = HeaderList.of({ Host: "localhost:3000", "X-Forwarded-For": "127.0.0.1" });
    expect(isLocal({ method: "GET", headers, peer }, new Set())).toBe(isAnswered);
  });

  const SOCKET = "ws://localhost:3000";
  test.each([
    [true, {}],
    [true, { Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-origin" }],
    [true, { Origin: "https://app.example.com", "Sec-Fetch-Site": "cross-site" }],
    [false, { Origin: "http://localhost:8080", "Sec-Fetch-Site": "same-site" }],
    [false, { Origin: "http://localhost:8080" }],
    [false, { Origin: "http://localhost" }],
    [false, { Origin: "null" }],
  ])("opens a WebSocket: %s, with %j", (isAnswered, from) => {
    const headers = HeaderList.of({ Host: new URL(SOCKET).host, Upgrade: "websocket", ...from });
    const origins = new Set(["https://app.example.com"]);
    expect(isLocal({ method: "GET", headers, peer: "127.0.0.1" }, origins)).toBe(isAnswered);
  });

  test("opens a WebSocket for its own pages and for programs, not for those of another port", async () => {
    const opens = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        const url = `${program.url.replace("http", "ws")}/openenv/chat-benchmark/ws`;
        const socket = new WebSocket(url, { headers });
        socket.addEventListener("open", () => {
          socket.close();
          resolve(true);
        });
        socket.addEventListener("error", () => resolve(false));
      });
    expect(await opens({})).toBe(true);
    expect(await opens({ Origin: program.url })).toBe(true);
    expect(await opens({ Origin: "http://127.0.0.1:8080" })).toBe(false);
  });

  test("rejects a call to a service from another site, unless it has the token", async () => {
    const { environmentUrl, token } = await program.environment();
    const at = (...headers: string[]) =>
      call(["Host: evil.example.com", ...headers], `${environmentUrl}/auth.test`);
    expectRefusal(await at(), 401, "not_authed");
    expect((await at(`Authorization: Bearer ${token}`)).body.ok).toBe(true);
  });

  test("answers liveness probes under any name", async () => {
    for (const path of ["/livez", "/api/platform/health"])
      expect((await call(["Host: diorama"], path)).status).toBe(200);
  });
});

describe("a development server that other machines reach", () => {
  const open = useProgram(database, { HOST: "0.0.0.0" });
  const call = async (hostname: string, ...headers: string[]) => {
    const url = new URL(open.url);
    url.hostname = hostname;
    const { status, body } = await ask(url.href, `GET ${LIST} HTTP/1.1`, headers);
    return { status, body: JSON.parse(body), headers: new Headers() };
  };
  const addresses = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);

  test("answers without a key over the loopback interface only", async () => {
    expect((await call("127.0.0.1")).status).toBe(200);
    for (const address of addresses) {
      expectRefusal(await call(address), 401, "not_authed");
      expectRefusal(await call(address, `X-API-Key: ${DEVELOPMENT_KEY}`), 401, "not_authed");
    }
  });

  test("answers anyone who has the key that its start generated", async () => {
    const key = open.program.developerKey;
    for (const address of ["127.0.0.1", ...addresses])
      expect((await call(address, "Host: 172.17.0.2", `X-API-Key: ${key}`)).status).toBe(200);
    expect(program.program.developerKey).toBeUndefined();
    expectRefusal(
      await program.get("/environments", { "X-API-Key": key ?? "" }),
      401,
      "not_authed",
    );
  });
});

describe("the address in answers", () => {
  const request = (headers: Record<string, string>) =>
    new Request("http://localhost/", { headers });
  const FORWARDED = {
    host: "10.0.0.7:3000",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "diorama.example.com",
  };

  test.each([
    ["of a proxy that is trusted", FORWARDED, true, "https://diorama.example.com"],
    ["of one that is not", FORWARDED, false, "http://10.0.0.7:3000"],
    [
      "of two proxies",
      {
        ...FORWARDED,
        "X-Forwarded-Proto": "https, http",
        "X-Forwarded-Host": "a.example, b.example",
      },
      true,
      "https://a.example",
    ],
    ["of a proxy that says nothing", { host: "a.example" }, true, "http://a.example"],
    [
      "of nonsense",
      { host: "a.example", "X-Forwarded-Proto": "gopher", "X-Forwarded-Host": "a/../b" },
      true,
      "http://a.example",
    ],
    ["of a client without a host", {}, false, "http://localhost"],
  ])("is that %s", (_what, headers, trusted, base) => {
    expect(publicBase(request(headers), trusted)).toBe(base);
  });

  const trusting = useProgram(database, { TRUST_PROXY: "true" });

  test.each([
    ["is a proxy's with TRUST_PROXY", () => trusting, "https://diorama.example.com"],
    ["is that of the call without", () => program, "http://localhost"],
  ])("%s", async (_what, server, base) => {
    const { environmentUrl } = await program.environment();
    const { body } = await ask(
      server().url,
      `GET ${environmentUrl}/files.getUploadURLExternal?filename=a&length=1 HTTP/1.1`,
      ["X-Forwarded-Proto: https", "X-Forwarded-Host: diorama.example.com"],
    );
    expect(JSON.parse(body).upload_url).toStartWith(`${base}/api/env/`);
  });
});
