/** The OpenAPI document, its explorer, guide and reference. */
import { describe, expect, test } from "bun:test";
import { METHODS } from "~/replicas/chat/api/index";
import { operationsOf, readDocument } from "../support/contract";
import { useSharedDatabase } from "../support/database";
import { useProgram } from "../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const document = () => readDocument(program.url);
describe("the document", () => {
  test("lists exactly the platform's routes", async () => {
    const listed = operationsOf(await document())
      .filter(({ path }) => path.startsWith("/api/platform"))
      .map(({ method, path }) => `${method} ${path}`);
    const served = program.program.app.router.routes
      .filter(({ path, hooks }) => path.startsWith("/api/platform") && !hooks.detail?.hide)
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    expect(listed.toSorted()).toEqual(served.toSorted());
  });

  test("lists every chat method", async () => {
    const listed = operationsOf(await document()).flatMap(
      ({ path }) => /services\/chat\/(?!mcp)(.+)$/.exec(path)?.[1] ?? [],
    );
    expect([...new Set(listed)].toSorted()).toEqual([...METHODS.keys()].toSorted());
  });

  test("has purpose, authentication and responses of every operation", async () => {
    const { components, ...rest } = await document();
    for (const { at, path, operation } of operationsOf({ components, ...rest })) {
      expect([at, operation.summary?.length ?? 0]).not.toEqual([at, 0]);
      expect([at, operation.tags?.length ?? 0]).not.toEqual([at, 0]);
      expect([at, Array.isArray(operation.security)]).toEqual([at, true]);
      for (const scheme of operation.security.flatMap(Object.keys))
        expect(Object.keys(components["securitySchemes"] ?? {})).toContain(scheme);
      for (const [status, response] of Object.entries(operation.responses)) {
        expect([at, status, response.description?.length ?? 0]).not.toEqual([at, status, 0]);
        const isStream = operation.operationId === "streamEvents" && status === "200";
        const type = isStream ? "text/event-stream" : "application/json";
        expect(Object.keys(response.content ?? {})).toEqual(
          ["202", "204"].includes(status) ? [] : [type],
        );
      }
      for (const name of path.match(/\{(\w+)\}/g) ?? [])
        expect(operation.parameters?.map((parameter) => `{${parameter.name}}`)).toContain(name);
    }
  });

  test("documents errors by status and code", async () => {
    const { paths } = await document();
    const { responses } = paths["/api/platform/diffRun"]!["post"]!;
    expect(Object.keys(responses)).toEqual([
      "200",
      "400",
      "401",
      "404",
      "408",
      "413",
      "421",
      "429",
      "431",
      "500",
      "503",
    ]);
    const codes = responses["400"]?.content?.["application/json"]?.schema["properties"].error.enum;
    expect(codes).toEqual(["invalid_request", "run_already_completed"]);
  });

  test("documents for each call of a service what the platform answers", async () => {
    for (const { at, path, operation } of operationsOf(await document())) {
      if (!path.startsWith("/api/env/")) continue;
      const statuses = Object.keys(operation.responses);
      expect([at, ["400", "404", "413"].filter((status) => !statuses.includes(status))]).toEqual([
        at,
        [],
      ]);
    }
  });

  test("says when a rejected call may be repeated", async () => {
    const answers = operationsOf(await document()).flatMap(({ operation }) =>
      Object.entries<any>(operation.responses).map(([status, { headers }]) => [status, headers]),
    );
    const seconds = expect.objectContaining({ schema: { type: "integer", minimum: 0 } });
    for (const [status, headers] of answers)
      if (["429", "503"].includes(status)) expect(headers).toEqual({ "Retry-After": seconds });
      else expect(headers?.["Retry-After"]).toBeUndefined();
  });
});

describe("the explorer", () => {
  test("loads nothing from other hosts (S149)", async () => {
    for (const path of ["/docs", "/docs/explorer.js", "/docs/explorer.css"]) {
      const response = await fetch(program.url + path);
      expect([path, response.status]).toEqual([path, 200]);
    }
    const page = await fetch(`${program.url}/docs`);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(await page.text()).not.toMatch(/(src|href)="https?:/);
  });
});

describe("guide and reference", () => {
  test("have the explorer's policy, and need no key", async () => {
    const explorer = await fetch(`${program.url}/docs`);
    for (const path of ["/docs/guide", "/docs/guide/operations", "/docs/reference/chat"]) {
      const { status, headers } = await fetch(program.url + path);
      expect([path, status, headers.get("content-type")]).toEqual([
        path,
        200,
        "text/html; charset=utf-8",
      ]);
      const policy = headers.get("content-security-policy");
      expect(policy).toBe(explorer.headers.get("content-security-policy"));
    }
    const missing = await fetch(`${program.url}/docs/guide/none`);
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ ok: false, error: "not_found" });
  });
});

test.each([
  "/docs",
  "/docs/guide",
  "/docs/reference/settings",
  "/clients/",
  "/console",
  "/console/runs/none",
])("the page %s loads nothing from elsewhere, and is shown in no frame", async (path) => {
  const { headers } = await fetch(program.url + path);

  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = headers.get("content-security-policy");
  for (const rule of ["default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
    expect(policy).toContain(rule);
});
