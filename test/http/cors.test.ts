/** Pages of other origins that call the server. */
import { describe, expect, test } from "bun:test";
import { useDatabase } from "../support/database";
import { expectRefusal, useProgram } from "../support/program";

const database = useDatabase();
const closed = useProgram(database);
const named = useProgram(database, {
  CORS_ORIGINS: "https://app.example.com, http://localhost:5173",
});
const open = useProgram(database, { CORS_ORIGINS: "*" });

const APP = "https://app.example.com";
const OTHER = "https://other.example.com";
const HEALTH = "/api/platform/health";

const preflight = (url: string, origin: string, path = "/api/platform/initEnv") =>
  fetch(url + path, {
    method: "OPTIONS",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "x-api-key,content-type",
    },
  });
const listOf = (value: string | null) => (value ?? "").toLowerCase().split(/,\s*/);

describe("a page with an origin of CORS_ORIGINS", () => {
  test.each([
    "/api/platform/initEnv",
    `/api/env/${"0".repeat(32)}/services/chat/chat.postMessage`,
    `/api/env/${"0".repeat(32)}/services/tracker/graphql`,
  ])("gets permission to call %s", async (path) => {
    const { status, headers } = await preflight(named.url, APP, path);
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(APP);
    expect(listOf(headers.get("access-control-allow-methods"))).toEqual(
      expect.arrayContaining(["get", "post", "patch", "delete"]),
    );
    expect(listOf(headers.get("access-control-allow-headers"))).toEqual(
      expect.arrayContaining(["x-api-key", "authorization", "idempotency-key", "content-type"]),
    );
    expect(headers.get("access-control-max-age")).toBe("600");
    expect(listOf(headers.get("vary"))).toContain("origin");
  });

  test.each([
    [HEALTH, 200],
    ["/api/platform/results/none", 404],
    ["/docs/json", 200],
  ])("may read the response of %s and its request id", async (path, status) => {
    const response = await fetch(named.url + path, { headers: { Origin: APP } });
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe(APP);
    expect(listOf(response.headers.get("access-control-expose-headers"))).toContain("x-request-id");
    expect(listOf(response.headers.get("vary"))).toContain("origin");
  });

  test("calls a development server without a key", async () => {
    const response = await fetch(`${named.url}/api/platform/environments`, {
      headers: { Origin: "http://localhost:5173", "Sec-Fetch-Site": "cross-site" },
    });
    expect(response.status).toBe(200);
  });
});

test("a page of any other origin gets no headers", async () => {
  const asked = await preflight(named.url, OTHER);
  expect(asked.status).toBe(401);
  const called = await fetch(named.url + HEALTH, { headers: { Origin: OTHER } });
  for (const { headers } of [asked, called]) {
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(listOf(headers.get("vary"))).toContain("origin");
  }
});

test("with * every page may call, but without a key only its own site", async () => {
  expect((await preflight(open.url, OTHER)).status).toBe(204);
  const call = await fetch(`${open.url}/api/platform/environments`, {
    headers: { Origin: OTHER, "Sec-Fetch-Site": "cross-site" },
  });
  expect(call.headers.get("access-control-allow-origin")).toBe(OTHER);
  expectRefusal(
    { status: call.status, headers: call.headers, body: await call.json() },
    401,
    "not_authed",
  );
});

test("by default no page may call", async () => {
  const asked = await preflight(closed.url, APP);
  expect(asked.status).toBe(401);
  const called = await fetch(closed.url + HEALTH, { headers: { Origin: APP } });
  for (const { headers } of [asked, called])
    for (const name of ["access-control-allow-origin", "vary"])
      expect([name, headers.get(name)]).toEqual([name, null]);
});
