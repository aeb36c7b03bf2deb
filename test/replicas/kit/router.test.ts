/** The router of a REST service, with operations of every form. */
import { describe, expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { createRouter, operationsWith, type RouteProblem } from "~/replicas/kit/router";
import { newAccount } from "~/replicas/replica";
import { HeaderList, HttpRequest } from "~/wire/message";

type Context = { readonly actor: string };
const operation = operationsWith<Context>();
const text = Type.String();
const rest = { summary: "An operation", answers: { 200: Type.Object({}) } };
const echo = async (args: object, { actor }: Context) => ({ ...args, actor });

class Rejection extends Error {
  readonly problem: RouteProblem;
  constructor(problem: RouteProblem) {
    super(problem.kind);
    this.problem = problem;
  }
}

const Note = Type.Object({ title: text, stars: Type.Optional(Type.Integer({ maximum: 5 })) });
const OPERATIONS = [
  operation("notes.list", "GET", "users/{userId}/notes", {
    ...rest,
    path: { userId: text },
    query: {
      limit: Type.Optional(Type.Integer({ minimum: 1 })),
      labelIds: Type.Optional(Type.Array(text)),
    },
    handle: async ({ path, query }, { actor }) => [path.userId, query.limit, query.labelIds, actor],
  }),
  operation("notes.create", "POST", "users/{userId}/notes", {
    ...rest,
    path: { userId: text },
    body: Note,
    handle: async ({ body }) => body.title,
  }),
  operation("notes.get", "GET", "users/{userId}/notes/{number}", {
    ...rest,
    path: { userId: text, number: Type.Integer() },
    handle: async ({ path }) => path.number,
  }),
  operation("notes.recent", "GET", "users/{userId}/notes/recent", {
    ...rest,
    path: { userId: text },
    handle: echo,
  }),
  operation("notes.delete", "DELETE", "users/{userId}/notes/{number}", {
    ...rest,
    path: { userId: text, number: Type.Integer() },
    handle: async () => undefined,
  }),
  operation("notes.send", "POST", "users/{userId}/notes/send", {
    ...rest,
    path: { userId: text },
    body: Note,
    media: ["message/rfc822"],
    handle: async ({ body, media }) => [
      body,
      media?.type,
      media && Buffer.from(media.bytes).toString(),
    ],
  }),
  operation("notes.archive", "POST", "users/{userId}/notes/{number}:archive", {
    ...rest,
    path: { userId: text, number: Type.Integer() },
    handle: echo,
  }),
  operation("files.put", "PUT", "files/{id}", {
    ...rest,
    path: { id: text },
    media: ["*"],
    handle: async ({ media }) => media,
  }),
];
const router = createRouter(OPERATIONS, (problem) => new Rejection(problem), {
  fields: Type.Optional(text),
});

type Sent = { type?: string; body?: string | Uint8Array; override?: string };

async function run(verb: string, target: string, { type, body = "", override }: Sent = {}) {
  const headers = new HeaderList();
  if (type !== undefined) headers.set("content-type", type);
  if (override !== undefined) headers.set("x-http-method-override", override);
  const request = new HttpRequest(verb, `/${target}`, headers);
  const account = newAccount("test");
  const call = { request, path: request.pathname.slice(1), body: Buffer.from(body), account };
  try {
    const { operation: found, result } = await router.run(call, { actor: "ann" });
    return { name: found.name, result, account };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { problem: error.problem, account };
  }
}

const json = (value: unknown): Sent => ({ type: "application/json", body: JSON.stringify(value) });

describe("a call runs the operation of its verb and path", () => {
  test.each([
    ["GET", "users/me/notes", "notes.list", ["me", undefined, undefined, "ann"]],
    ["GET", "users/me/notes?limit=2", "notes.list", ["me", 2, undefined, "ann"]],
    ["GET", "users/me/notes?labelIds=a", "notes.list", ["me", undefined, ["a"], "ann"]],
    [
      "GET",
      "users/me/notes?labelIds=a&labelIds=b",
      "notes.list",
      ["me", undefined, ["a", "b"], "ann"],
    ],
    [
      "GET",
      "users/ann%40acme.test/notes",
      "notes.list",
      ["ann@acme.test", undefined, undefined, "ann"],
    ],
    ["GET", "users/me/notes/7", "notes.get", 7],
    ["GET", "users/me/notes/7?fields=id", "notes.get", 7],
    ["DELETE", "users/me/notes/7", "notes.delete", undefined],
  ])("%s %s", async (verb, target, name, result) => {
    expect(await run(verb, target)).toMatchObject({ name, result });
  });

  test("whose template is the most specific one", async () => {
    const sent = await run("POST", "users/me/notes/send", json({ title: "Hi" }));
    const archived = await run("POST", "users/me/notes/7:archive");

    expect(sent.name).toBe("notes.send");
    expect((await run("GET", "users/me/notes/recent")).name).toBe("notes.recent");
    expect(archived).toMatchObject({ name: "notes.archive", result: { path: { number: 7 } } });
  });

  test("of the verb in the header, with the form as its query", async () => {
    const form = "application/x-www-form-urlencoded";
    const sent = { type: form, body: "limit=3&labelIds=a", override: "get" };

    expect(await run("POST", "users/me/notes", sent)).toMatchObject({
      name: "notes.list",
      result: ["me", 3, ["a"], "ann"],
    });
  });
});

test("a body stays a body under another verb in the header", async () => {
  const sent = { type: "text/plain", body: "a=1", override: "PUT" };

  expect(await run("POST", "files/7", sent)).toMatchObject({
    name: "files.put",
    result: { type: "text/plain", bytes: Buffer.from("a=1") },
  });
});

describe("a body is", () => {
  test.each([
    ["JSON", json({ title: "Hi", stars: 5 })],
    ["JSON without a type", { body: '{"title":"Hi"}' }],
    ["JSON of another media type", { type: "application/vnd.notes+json", body: '{"title":"Hi"}' }],
    [
      "a form",
      { type: "application/x-www-form-urlencoded; charset=utf-8", body: "title=Hi&stars=5" },
    ],
  ])("%s", async (_case, sent) => {
    expect(await run("POST", "users/me/notes", sent)).toMatchObject({ result: "Hi" });
  });

  test("JSON and media", async () => {
    const body =
      '--b\r\nContent-Type: application/json\r\n\r\n{"title":"Hi"}\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nTo: bo\r\n\r\nBye\r\n--b--';

    const { result } = await run("POST", "users/me/notes/send", {
      ...{ type: 'multipart/related; boundary="b"', body },
    });

    expect(result).toEqual([{ title: "Hi" }, "message/rfc822", "To: bo\r\n\r\nBye"]);
  });

  test("bytes of any type", async () => {
    const bytes = Buffer.from([0, 255]);

    expect((await run("PUT", "files/7", { type: "image/png", body: bytes })).result).toEqual({
      type: "image/png",
      bytes,
    });
  });

  test("ignored where none is expected", async () => {
    expect(
      await run("DELETE", "users/me/notes/7", { type: "text/plain", body: "?" }),
    ).toMatchObject({
      name: "notes.delete",
    });
  });
});

describe("the router rejects", () => {
  test.each([
    ["a path without an operation", "GET", "users/me", {}, { kind: "path" }],
    ["a path that goes on", "GET", "users/me/notes/7/more", {}, { kind: "path" }],
    ["a path that cannot be decoded", "GET", "users/%e2%28/notes", {}, { kind: "path" }],
    ["a verb", "PATCH", "users/me/notes/7", {}, { kind: "verb", allowed: ["GET", "DELETE"] }],
    [
      "a verb in the header",
      "POST",
      "users/me/notes/7",
      { override: "PUT" },
      { kind: "verb", allowed: ["GET", "DELETE"] },
    ],
    [
      "an override of another verb than POST",
      "PUT",
      "users/me/notes",
      { override: "GET" },
      { kind: "verb", allowed: ["GET", "POST"] },
    ],
    ["a type", "POST", "users/me/notes", { type: "text/plain", body: "?" }, { kind: "type" }],
    [
      "a type of media",
      "POST",
      "users/me/notes/send",
      { type: "image/png", body: "?" },
      { kind: "type" },
    ],
    ["JSON that is none", "POST", "users/me/notes", { body: "{" }, { kind: "body" }],
    [
      "JSON that is not UTF-8",
      "POST",
      "users/me/notes",
      { body: Buffer.from([34, 255, 34]) },
      { kind: "body" },
    ],
    [
      "JSON that is too deep",
      "POST",
      "users/me/notes",
      { body: "[".repeat(100) },
      { kind: "body" },
    ],
    [
      "a form of too many fields",
      "POST",
      "users/me/notes",
      { type: "application/x-www-form-urlencoded", body: "a=1&".repeat(1_001) },
      { kind: "body" },
    ],
    [
      "one part",
      "POST",
      "users/me/notes/send",
      { type: "multipart/related; boundary=b", body: "--b\n\n{}\n--b--" },
      { kind: "body" },
    ],
    [
      "a type of a media part",
      "POST",
      "users/me/notes/send",
      {
        type: "multipart/related; boundary=b",
        body: "--b\n\n{}\n--b\nContent-Type: image/png\n\n.\n--b--",
      },
      { kind: "type" },
    ],
    [
      "three parts",
      "POST",
      "users/me/notes/send",
      { type: "multipart/related; boundary=b", body: "--b\n\n{}\n--b\n\n.\n--b\n\n.\n--b--" },
      { kind: "body" },
    ],
  ])("%s", async (_case, verb, target, sent: Sent, problem) => {
    const answer = await run(verb, target, sent);

    expect(answer.problem).toMatchObject(problem);
  });

  test.each([
    ["path", "GET", "users/me/notes/seven", {}, "number"],
    ["query", "GET", "users/me/notes?limit=0", {}, "limit"],
    ["query", "GET", "users/me/notes?limit=many", {}, "limit"],
    ["query", "GET", "users/me/notes?limt=1", {}, "limt"],
    ["query", "GET", `users/me/notes?${"a=1&".repeat(1_001)}`, {}, ""],
    ["query", "GET", "users/me/notes?labelIds=%00", {}, "labelIds.0"],
    ["path", "GET", "users/a%00b/notes", {}, "userId"],
    ["body", "POST", "users/me/notes", {}, "title"],
    ["body", "POST", "users/me/notes", json([]), ""],
    ["body", "POST", "users/me/notes", json({ title: "Hi", stars: 6 }), "stars"],
    ["body", "POST", "users/me/notes", json({ title: "Hi", more: 1 }), "more"],
    ["body", "POST", "users/me/notes", json({ title: "\ud800" }), "title"],
  ])("arguments in the %s: %s %s", async (place, verb, target, sent: Sent, path) => {
    const answer = await run(verb, target, sent);

    expect(answer.problem).toMatchObject({ kind: "arguments", place, misfits: [{ path }] });
  });
});

test("the account has the operation and its arguments, without media", async () => {
  const { account } = await run("POST", "users/me/notes", json({ title: "Hi" }));
  const upload = await run("PUT", "files/7", { type: "image/png", body: "secret" });

  expect(account).toMatchObject({ name: "notes.create", arguments: { userId: "me", title: "Hi" } });
  expect(upload.account.arguments).toEqual({ id: "7" });
});

describe("a router cannot have", () => {
  const list = (name: string, template: string, path: Record<string, TSchema> = {}) =>
    operation(name, "GET", template, { ...rest, path, handle: echo });
  const refuse = () => new Error();

  test.each([
    ["two operations of one name", [list("a", "x"), list("a", "y")]],
    [
      "two operations of one path",
      [list("a", "x/{id}", { id: text }), list("b", "x/{name}", { name: text })],
    ],
    ["a parameter without a shape", [list("a", "x/{id}")]],
    ["a shape without a parameter", [list("a", "x", { id: text })]],
  ])("%s", (_case, operations) => {
    expect(() => createRouter(operations, refuse)).toThrow();
  });
});
