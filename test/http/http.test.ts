/** Rules for every response. */
import { describe, expect, test } from "bun:test";
import { STATUS } from "~/errors";
import { useSharedDatabase } from "../support/database";
import { expectRefusal, useProgram } from "../support/program";

const database = useSharedDatabase();
const program = useProgram(database);
const JSON_TYPE = { "Content-Type": "application/json" };

const raw = async (
  method: string,
  path: string,
  body?: string | Uint8Array,
  headers: Record<string, string> = JSON_TYPE,
) => {
  const response = await fetch(program.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: body as string }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text ? JSON.parse(text) : undefined,
  };
};

describe("every answer", () => {
  test("has a request id: the caller's if it is valid, otherwise a new one (S146)", async () => {
    const id = async (given: string) =>
      (await raw("GET", "/api/platform/health", undefined, { "X-Request-Id": given })).headers.get(
        "x-request-id",
      );
    expect(await id("trace_1-A")).toBe("trace_1-A");
    for (const odd of ["../../", "x".repeat(65), "x".repeat(10_000), "a b", ""])
      expect(await id(odd)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ["GET", "/api/platform/health"],
    ["GET", "/api/platform/nope"],
    ["POST", "/api/platform/initEnv"],
    ["GET", `/api/env/${"0".repeat(32)}/services/chat/api.test`],
  ])("of %s %s is JSON that must not be cached or sniffed (S148)", async (method, path) => {
    const { headers } = await raw(method, path);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("server")).toBeNull();
  });

  test("of text or JSON names its character set", async () => {
    const paths = program.program.app.router.routes
      .filter(({ method }) => method === "GET")
      .map(({ path }) => path.replace(/:\w+/g, "0"));
    const { environmentUrl: chat, environmentId } = await program.environment();
    const tracker = await program.environment({
      templateService: "tracker",
      templateName: "tracker_default",
      impersonateUserId: "b0000000-0000-4000-8000-000000000001",
    });
    const { upload_url, file_id } = await program.chat(
      { environmentUrl: chat },
      "files.getUploadURLExternal",
      { filename: "a.txt", length: 3 },
    );
    const { pathname: upload } = new URL(upload_url);
    const calls: [string, string, string?][] = [
      ...paths.map((path): [string, string] => ["GET", path]),
      ...["/livez", "/readyz", "/metrics", "/docs/explorer.js", "/docs/explorer.css"].map(
        (path): [string, string] => ["GET", path],
      ),
      ["GET", `/api/platform/templates/chat_base/seed`],
      ["POST", "/api/platform/startRun", JSON.stringify({ envId: environmentId })],
      ["GET", `${chat}/api.test`],
      ["GET", `${chat}/api.test?error=x`],
      ["POST", upload, "abc"],
      ["POST", upload.replace(/.{32}$/, "0".repeat(32)), "abc"],
      ["POST", `${tracker.environmentUrl}/graphql`, '{"query":"{ viewer { id } }"}'],
      ["POST", `${tracker.environmentUrl}/graphql`, "nonsense"],
      ["GET", `${tracker.environmentUrl}/graphql`],
    ];
    for (const [method, path, body] of calls) {
      const { headers } = await fetch(program.url + path, {
        method,
        headers: JSON_TYPE,
        ...(body === undefined ? {} : { body }),
      });
      expect([path, headers.get("content-type")]).toEqual([
        path,
        expect.stringMatching(
          /^(application\/json|text\/[a-z-]+)(; version=[\d.]+)?; charset=utf-8$/,
        ),
      ]);
    }
    const complete = { files: JSON.stringify([{ id: file_id }]) };
    await program.chat({ environmentUrl: chat }, "files.completeUploadExternal", complete);
    const { file } = await program.chat({ environmentUrl: chat }, "files.info", { file: file_id });
    const { headers } = await fetch(file.url_private);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });
});

describe("paths and methods", () => {
  test.each([
    ["POST", "/", 405, "method_not_allowed"],
    ["GET", "/nope", 404, "not_found"],
    ["GET", "/console/assets/nope.js", 404, "not_found"],
    ["POST", "/console", 405, "method_not_allowed"],
    ["GET", "/api/platform", 404, "not_found"],
    ["GET", "/api/platform/nope", 404, "not_found"],
    ["GET", "/api/env/x", 404, "not_found"],
    ["PUT", "/api/platform/initEnv", 405, "method_not_allowed"],
    ["GET", "/api/platform/diffRun", 405, "method_not_allowed"],
    ["POST", "/api/platform/results/x", 405, "method_not_allowed"],
    ["POST", "/api/platform/health", 405, "method_not_allowed"],
    ["OPTIONS", "/api/platform/initEnv", 405, "method_not_allowed"],
    ["OPTIONS", "/api/platform/nope", 404, "not_found"],
    ["GET", "/api/platform//health", 404, "not_found"],
    ["GET", "/api/platform/results/x/", 404, "run_not_found"],
    ["GET", "/api/platform/results/%00", 400, "invalid_request"],
    ["GET", "/api/platform/results/%ff", 400, "invalid_request"],
    ["GET", "/api/platform/results/%zz", 400, "invalid_request"],
    ["GET", "/api/platform/results/x?a=%00", 400, "invalid_request"],
  ])("%s %s is %d %s (S062)", async (method, path, status, code) => {
    expectRefusal(await raw(method, path), status, code);
  });

  test("a 405 response lists the allowed methods", async () => {
    expect((await raw("GET", "/api/platform/initEnv")).headers.get("allow")).toBe("POST");
    expect((await raw("POST", "/api/platform/env/x")).headers.get("allow")).toBe(
      "DELETE, GET, PATCH",
    );
  });

  test("HEAD answers like GET, without the body (S062)", async () => {
    for (const [path, status] of [
      ["/api/platform/health", 200],
      ["/api/platform/results/x", 404],
      ["/api/platform/initEnv", 405],
    ] as const)
      expect(await raw("HEAD", path)).toMatchObject({ status, body: undefined });
  });

  test("a repeated parameter is rejected (S063)", async () => {
    expectRefusal(await raw("GET", "/api/platform/results/x?a=1&a=2"), 400, "invalid_request");
  });
});

describe("a body", () => {
  const MIB = 1024 * 1024;
  const withKeys = (count: number) =>
    `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()},"envId":"x"}`;
  const cases: [string, string | Uint8Array | undefined, Record<string, string>, number, string][] =
    [
      ["that is cut off (S040)", '{"envId":', JSON_TYPE, 400, "invalid_request"],
      ["that is empty (S041)", "", JSON_TYPE, 400, "invalid_request"],
      ["null (S041)", "null", JSON_TYPE, 400, "invalid_request"],
      ["a number (S041)", "1", JSON_TYPE, 400, "invalid_request"],
      ["a list (S041)", "[]", JSON_TYPE, 400, "invalid_request"],
      ["a string (S041)", '"x"', JSON_TYPE, 400, "invalid_request"],
      ["of no type (S042)", '{"envId":"x"}', { "Content-Type": "" }, 400, "invalid_request"],
      ["of text (S042)", '{"envId":"x"}', { "Content-Type": "text/plain" }, 400, "invalid_request"],
      [
        "of a form (S043)",
        "envId=x",
        { "Content-Type": "application/x-www-form-urlencoded" },
        400,
        "invalid_request",
      ],
      [
        "of another JSON (S044)",
        '{"envId":"x"}',
        { "Content-Type": "application/vnd.api+json" },
        400,
        "invalid_request",
      ],
      [
        "in UTF-16 (S044)",
        '{"envId":"x"}',
        { "Content-Type": "application/json; charset=utf-16" },
        400,
        "invalid_request",
      ],
      [
        "with a content encoding (S045)",
        '{"envId":"x"}',
        { ...JSON_TYPE, "Content-Encoding": "gzip" },
        400,
        "invalid_request",
      ],
      [
        "of 1 MiB and a byte (S046)",
        `{"envId":"${"x".repeat(MIB)}"}`,
        JSON_TYPE,
        413,
        "request_too_large",
      ],
      [
        "of XML (S042)",
        "<envId>x</envId>",
        { "Content-Type": "application/xml" },
        400,
        "invalid_request",
      ],
      [
        "of many parts (S042)",
        "--a\r\n\r\nx\r\n--a--",
        { "Content-Type": "multipart/form-data; boundary=a" },
        400,
        "invalid_request",
      ],
      [
        "of 20 MiB (S047)",
        `{"envId":"${"x".repeat(20 * MIB)}"}`,
        JSON_TYPE,
        413,
        "request_too_large",
      ],
      ["with 80,000 keys (S049)", withKeys(80_000), JSON_TYPE, 400, "invalid_request"],
      ["with 300,000 keys (S049)", withKeys(300_000), JSON_TYPE, 413, "request_too_large"],
      [
        "with a repeated key, of which the last counts (S050)",
        '{"envId":5,"envId":"x"}',
        JSON_TYPE,
        404,
        "environment_not_found",
      ],
      ["with NUL in a key (S054)", '{"envId":"x","a\\u0000":1}', JSON_TYPE, 400, "invalid_request"],
      ["nested 100,000 deep (S048)", "[".repeat(100_000), JSON_TYPE, 400, "invalid_request"],
      [
        "with 50,000 nested objects (S048)",
        '{"a":'.repeat(50_000),
        JSON_TYPE,
        400,
        "invalid_request",
      ],
      [
        "of broken UTF-8 (S053)",
        new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
        JSON_TYPE,
        400,
        "invalid_request",
      ],
      ["with NUL (S054)", '{"envId":"a\\u0000b"}', JSON_TYPE, 400, "invalid_request"],
      [
        "with half a surrogate pair (S055)",
        '{"envId":"\\ud800"}',
        JSON_TYPE,
        400,
        "invalid_request",
      ],
      [
        "with a byte order mark (S052)",
        '\ufeff{"envId":"x"}',
        JSON_TYPE,
        404,
        "environment_not_found",
      ],
      [
        "in UTF-8 by name (S044)",
        '{"envId":"x"}',
        { "Content-Type": "application/json; charset=UTF-8" },
        404,
        "environment_not_found",
      ],
      [
        "with unknown fields (S033)",
        '{"envId":"x","user_id":"root","status":"passed"}',
        JSON_TYPE,
        400,
        "invalid_request",
      ],
    ];
  test.each(cases)("%s", async (_case, body, headers, status, code) => {
    expectRefusal(await raw("POST", "/api/platform/startRun", body, headers), status, code);
  });

  test("pollutes nothing (S051)", async () => {
    await raw(
      "POST",
      "/api/platform/startRun",
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"envId":"x"}',
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("in chunks without a length is bounded too (S046)", async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode("x".repeat(65_536)));
      },
    });
    const response = await fetch(`${program.url}/api/platform/startRun`, {
      method: "POST",
      headers: JSON_TYPE,
      body,
    }).catch(() => undefined);
    if (response) expect(response.status).toBe(413);
    expect((await raw("GET", "/api/platform/health")).status).toBe(200);
  });

  test("of a service call may have 4 MiB", async () => {
    const environment = await program.environment();
    const call = (length: number) =>
      raw(
        "POST",
        `${environment.environmentUrl}/api.test`,
        JSON.stringify({ foo: "x".repeat(length) }),
      );
    expect((await call(3 * MIB)).body.ok).toBe(true);
    expectRefusal(await call(4 * MIB), 413, "request_too_large");
  });
});

test("a client that disconnects does not abort its call", async () => {
  const environment = await program.environment();
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), index % 5);
      await fetch(`${program.url}${environment.environmentUrl}/chat.postMessage`, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify({ channel: "C01GENERAL", text: `gone ${index}` }),
        signal: stop.signal,
      }).catch(() => undefined);
    }),
  );
  expect(
    await program.chat(environment, "chat.postMessage", {
      channel: "C01GENERAL",
      text: "still here",
    }),
  ).toMatchObject({ ok: true });
});

test("the table of codes has a status for each, and no other status is used", () => {
  expect(new Set(Object.values(STATUS))).toEqual(
    new Set([400, 401, 404, 405, 408, 413, 421, 431, 500, 503]),
  );
});
