/** The OpenAPI document: accepted by tools, and correct. */
import { beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilerOf, type Document, operationsOf, readDocument } from "../support/contract";
import { useSharedDatabase } from "../support/database";
import { send } from "../support/mcp";
import { useProgram } from "../support/program";
import { JOHN } from "../support/tracker";

const database = useSharedDatabase();
const program = useProgram(database);

const ROOT = join(import.meta.dir, "../..");
const CHAT = "/api/env/{envId}/services/chat/";
const TOOLS = /^\/(?:api\/env\/\{envId\}\/services\/(chat|tracker)\/)?mcp(?:\/|$)/;

let document: Document;
beforeAll(async () => {
  document = await readDocument(program.url);
});

const operations = () => operationsOf(document);

/** The methods of chat, without its tools. */
const methodsOfChat = () =>
  Object.entries(document.paths).filter(([path]) => path.startsWith(CHAT) && !TOOLS.test(path));

type Schema = { [key: string]: any };
const component = (name: string): Schema => document.components["schemas"]?.[name] ?? {};
/** The component that a schema refers to. */
const nameOf = ({ $ref }: Schema) => $ref?.split("/").at(-1);

/** Every body of every operation: `[where, media]`. */
const bodies = () =>
  operations().flatMap(({ at, operation }) => [
    ...Object.values(operation.requestBody?.content ?? {}).map(
      (media) => [`${at}: request`, media] as const,
    ),
    ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
      Object.values(content ?? {}).map((media) => [`${at}: ${status}`, media] as const),
    ),
  ]);

describe("the document", () => {
  test("is accepted by Redocly's recommended rules without a warning", async () => {
    const folder = await mkdtemp(join(tmpdir(), "diorama-openapi-"));
    try {
      for (const name of ["redocly.yaml", ".redocly.lint-ignore.yaml"])
        await cp(join(ROOT, "scripts/openapi", name), join(folder, name));
      const text = await (await fetch(`${program.url}/docs/json`)).text();
      await Bun.write(join(folder, "openapi.json"), text);
      const linter = join(ROOT, "node_modules/.bin/redocly");
      const lint = Bun.spawn(["bun", linter, "lint", "openapi.json", "--format", "json"], {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
        stderr: "ignore",
      });
      const { problems } = JSON.parse(await new Response(lint.stdout).text());
      expect(problems.map(({ ruleId, message }: any) => `${ruleId}: ${message}`)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("is version 3.1, with a licence and a server", () => {
    expect(document.openapi).toStartWith("3.1");
    expect(document.info["license"]).toEqual({ name: "MIT", identifier: "MIT" });
    expect(document.servers).toEqual([expect.objectContaining({ url: "/" })]);
  });

  test("has every operation once, with its name in clients", () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][a-zA-Z]+$/.test(id))).toEqual([]);
    for (const id of ["initEnv", "startRun", "listTemplates", "chatPostMessage", "graphql"])
      expect(ids).toContain(id);
  });

  test("offers GET and POST for every chat method that takes no file", () => {
    const chat = methodsOfChat();
    const postOnly = chat.filter(([, methods]) => !methods["get"]).map(([path]) => path);
    expect(postOnly).toEqual([`${CHAT}users.setPhoto`]);
    const { parameters } = document.paths[`${CHAT}conversations.history`]!["get"]!;
    expect(parameters?.find(({ name }) => name === "channel")).toMatchObject({
      in: "query",
      required: true,
    });
  });

  test("has a named component for every body", () => {
    const unnamed = bodies().filter(([, { schema }]) => !nameOf(schema) && !schema["anyOf"]);
    expect(unnamed.map(([at]) => at)).toEqual([]);
    const names = Object.keys(document.components["schemas"] ?? {});
    for (const name of [
      ...["Environment", "Run", "Diff", "Template", "TestSuite", "Test", "Assertion"],
      ...["Error", "ErrorCode", "LimitExceeded", "NewEnvironment", "NewRun", "NewTestSuite"],
      ...["ExpectedOutput", "ChatPostMessageArguments", "GraphqlRequest"],
    ])
      expect(names).toContain(name);
  });

  test("has a valid example of every body", () => {
    const compile = compilerOf(document);
    const validators = new Map<string, ReturnType<typeof compile>>();
    const problems = bodies().flatMap(([at, { schema, example }]) => {
      if (example === undefined) return [`${at}: no example`];
      const text = JSON.stringify(schema);
      const validate = validators.get(text) ?? compile(schema);
      validators.set(text, validate);
      return validate(example) ? [] : [`${at}: ${JSON.stringify(validate.errors)}`];
    });
    expect(problems).toEqual([]);
  });

  test("describes every operation, parameter, component and property", () => {
    const silent: string[] = [];
    const describe = (at: string, { description }: { description?: string }) => {
      if (!description) silent.push(at);
    };
    for (const { at, operation } of operations()) {
      describe(at, operation);
      for (const parameter of operation.parameters ?? [])
        describe(`${at}: ${parameter.name}`, parameter);
    }
    for (const [name, schema] of Object.entries(document.components["schemas"] ?? {})) {
      if (schema["type"] !== "object") continue;
      if (!name.endsWith("Arguments")) describe(name, schema);
      for (const [field, property] of Object.entries<Schema>(schema["properties"] ?? {})) {
        const isPlain = property["const"] !== undefined || property["enum"] || nameOf(property);
        if (!isPlain && !CLEAR.has(field)) describe(`${name}.${field}`, property);
      }
    }
    expect(silent).toEqual([]);
  });
  /** Fields with a self-explanatory name. */
  const CLEAR = new Set(["name", "version", "reason", "percent", "summary", "line", "column"]);

  test("has the type integer where only integers are accepted", () => {
    const text = JSON.stringify(document);
    expect(text).not.toContain("multipleOf");
    expect(component("Score")["properties"].passed).toMatchObject({ type: "integer", minimum: 0 });
  });

  test("says of the body of each request that it has no other fields", () => {
    const open: string[] = [];
    const visit = (at: string, schema: Schema, seen: Set<unknown>): void => {
      if (typeof schema !== "object" || schema === null || seen.has(schema)) return;
      seen.add(schema);
      const name = nameOf(schema);
      if (name) visit(name, component(name), seen);
      if (schema["properties"] && schema["additionalProperties"] === undefined) open.push(at);
      for (const [key, part] of Object.entries(schema)) visit(`${at}.${key}`, part, seen);
    };
    const own = operations().filter(({ path }) => path.startsWith("/api/platform"));
    for (const { at, operation } of own)
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        visit(at, schema, new Set());

    expect(own.filter(({ operation }) => operation.requestBody).length).toBeGreaterThan(10);
    expect(open).toEqual([]);
    expect(component("NewEnvironment")["additionalProperties"]).toBe(false);
    expect(component("Environment")["additionalProperties"]).toBeUndefined();
    expect(component("ChatPostMessageArguments")["additionalProperties"]).toBeUndefined();
  });

  test("is where tools look for it, too", async () => {
    const read = async (path: string) => await (await fetch(`${program.url}${path}`)).text();
    expect(await read("/openapi.json")).toBe(await read("/docs/json"));
  });

  test("is rendered once", async () => {
    const read = async () => await (await fetch(`${program.url}/docs/json`)).text();
    expect(await read()).toBe(await read());
  });
});

describe("ids", () => {
  test("in answers match the pattern in the document", async () => {
    const { environmentId } = await program.environment();
    const { body } = await program.post("/startRun", { envId: environmentId });
    const pattern = new RegExp(component("StartedRun")["properties"].runId.pattern);

    expect(pattern.source).toBe("^[0-9a-f]{32}$");
    for (const id of [environmentId, body.runId, body.beforeSnapshot]) expect(id).toMatch(pattern);
  });
});

describe("the limits of a body", () => {
  /** One value outside each limit of a schema. */
  function outside(schema: Schema): [string, unknown][] {
    const { minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum } = schema;
    const { minItems, maxItems, items, enum: choices } = schema;
    const item = items && (validExample(items) ?? "x");
    const all: [string, unknown, unknown][] = [
      ["minLength", minLength, "x".repeat(Math.max(0, minLength - 1))],
      ["maxLength", maxLength, "x".repeat(maxLength === undefined ? 0 : maxLength + 1)],
      ["pattern", pattern, "~ ~"],
      ["minimum", minimum, minimum - 1],
      ["maximum", maximum, maximum + 1],
      ["exclusiveMinimum", exclusiveMinimum, exclusiveMinimum],
      ["minItems", minItems, []],
      ["maxItems", maxItems, Array.from({ length: (maxItems ?? 0) + 1 }, () => item)],
      ["enum", choices, "~ ~"],
    ];
    return all.flatMap(([name, limit, value]) =>
      limit === undefined ? [] : [[name, value] as [string, unknown]],
    );
  }
  const resolved = (schema: Schema): Schema =>
    nameOf(schema) ? component(nameOf(schema)) : schema;
  const validExample = (schema: Schema) =>
    resolved(schema)["examples"]?.[0] ??
    Object.fromEntries(
      Object.entries<Schema>(resolved(schema)["properties"] ?? {})
        .map(([name, property]) => [name, property["examples"]?.[0]])
        .filter(([, value]) => value !== undefined),
    );

  test("of the platform are enforced: a value outside of any is rejected", async () => {
    const accepted: string[] = [];
    let tried = 0;
    for (const { at, path, operation } of operations()) {
      const media = operation.requestBody?.content["application/json"];
      if (!path.startsWith("/api/platform/") || !media) continue;
      const { properties } = resolved(media.schema);
      for (const [field, property] of Object.entries<Schema>(properties))
        for (const [limit, value] of outside(resolved(property))) {
          tried++;
          const body = { ...(media.example as object), [field]: value };
          const filled = path.slice("/api/platform".length).replace(/\{\w+\}/, "0".repeat(32));
          const { status } = await program.post(filled, body);
          if (status < 400) accepted.push(`${at}: ${field} ${limit}`);
        }
    }
    expect(accepted).toEqual([]);
    expect(tried).toBeGreaterThan(30);
  });

  test("of chat are enforced: a value outside of any is rejected", async () => {
    const environment = await program.environment();
    const accepted: string[] = [];
    let tried = 0;
    for (const [path, { post }] of methodsOfChat()) {
      const media = post?.requestBody?.content["application/json"];
      if (!media) continue;
      const { properties } = resolved(media.schema);
      for (const [field, property] of Object.entries<Schema>(properties))
        for (const [limit, value] of outside(property)) {
          tried++;
          const args = { ...(media.example as object), [field]: value };
          const answer = await program.chat(environment, path.slice(CHAT.length), args);
          if (answer.ok) accepted.push(`${path}: ${field} ${limit}`);
        }
    }
    expect(accepted).toEqual([]);
    expect(tried).toBeGreaterThan(50);
  });

  test("of queries are enforced: a value outside of any is rejected", async () => {
    const accepted: string[] = [];
    for (const { at, path, operation } of operations()) {
      if (!path.startsWith("/api/platform/")) continue;
      for (const { name, schema } of (operation.parameters ?? []).filter(
        (parameter) => parameter.in === "query",
      ))
        for (const [limit, value] of outside(resolved(schema))) {
          const filled = path.slice("/api/platform".length).replace(/\{\w+\}/, "0".repeat(32));
          const { status, body } = await program.get(
            `${filled}?${name}=${encodeURIComponent(String(value))}`,
          );
          // A list without its impossible items is empty.
          const found = Object.values(body).find(Array.isArray) as unknown[] | undefined;
          if (status < 400 && found?.length !== 0) accepted.push(`${at}: ${name} ${limit}`);
        }
    }
    expect(accepted).toEqual([]);
  });
});

describe("examples", () => {
  test("of creating calls create objects", async () => {
    for (const path of ["/initEnv", "/testSuites", "/templates/import"]) {
      const { requestBody } = document.paths[`/api/platform${path}`]!["post"]!;
      const { status, body } = await program.post(
        path,
        requestBody?.content["application/json"]?.example,
      );
      expect([path, status, body]).toEqual([path, 201, expect.anything()]);
    }
  });

  test("of chat methods are valid calls, by POST and by GET", async () => {
    const posted = await program.environment();
    const gotten = await program.environment();
    const differing: unknown[] = [];
    for (const [path, { post, get }] of methodsOfChat()) {
      const example = Object.values(post?.requestBody?.content ?? {})[0]?.example;
      if (!get) continue;
      const method = path.slice(CHAT.length);
      const query = new URLSearchParams();
      for (const { name, in: place, schema } of get.parameters ?? [])
        if (place === "query" && schema["examples"]) query.set(name, schema["examples"][0]);

      const byPost = await program.chat(posted, method, example as object);
      const response = await fetch(`${program.url}${gotten.environmentUrl}/${method}?${query}`);
      const byGet = (await response.json()) as { ok: boolean; error?: string };

      const seen = [method, byPost.ok, byPost.error];
      if (byPost.ok !== byGet.ok || byPost.error !== byGet.error)
        differing.push([...seen, byGet.error]);
      if (/^(invalid_arg|missing_arg|invalid_blocks|no_text)/.test(byPost.error))
        differing.push(seen);
    }
    expect(differing).toEqual([]);
  });

  test("of tools are valid calls, with results of the documented form", async () => {
    const environments = {
      chat: await program.environment(),
      tracker: await program.environment({
        templateService: "tracker",
        templateName: "tracker_default",
        impersonateUserId: JOHN,
      }),
    };
    const shapeOf = (result: any) => Object.keys(JSON.parse(result.content[0].text));
    const seen: string[] = [];
    for (const { path, operation } of operations()) {
      const [isTool, service] = TOOLS.exec(path) ?? [];
      if (isTool === undefined) continue;
      const { example } = operation.requestBody?.content["application/json"] ?? {};
      const documented = operation.responses["200"]?.content?.["application/json"]?.example as any;
      const { environmentId, token } = environments[(service ?? "chat") as "chat"];
      const bearer = { Authorization: `Bearer ${token}` };
      const { status, body } = await send(
        {
          url: program.url + path.replace("{envId}", environmentId),
          headers: service === undefined ? {} : bearer,
        },
        example,
      );

      expect([path, status, body.result?.isError, body.error]).toEqual([
        path,
        200,
        undefined,
        undefined,
      ]);
      expect(shapeOf(body.result)).toEqual(
        expect.arrayContaining(shapeOf(documented.result)) as never,
      );
      seen.push(path);
    }
    expect(seen.toSorted()).toEqual([
      `${CHAT}mcp`,
      `${CHAT}mcp/archived`,
      "/api/env/{envId}/services/tracker/mcp",
      "/mcp",
    ]);
  });
});
