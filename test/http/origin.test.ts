/** Calls that a development server answers without a key, and the server's address in answers. */
import { describe, expect, test } from "bun:test";
import { publicBase } from "~/http/origin";
import { DEVELOPMENT_KEY } from "~/platform/keys/format";
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
