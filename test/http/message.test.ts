/** Requests and answers of our own behave like native ones. */
import { describe, expect, test } from "bun:test";
import { answerOf, nativeOf, requestOf } from "~/http/native";
import { readHead } from "~/wire/head";
import { IncomingRequest } from "~/wire/incoming";
import { HeaderList, HttpRequest, httpAnswer, textOf } from "~/wire/message";

test.each([
  "/",
  "//a//b/",
  "/api/env/0123/services/chat/api.test",
  "/.well-known",
  "/a/./b/../c",
  "/a/%2e%2E/c",
  "/a/.%2e",
  "/a.b./c..d/e.",
  "/a\\b",
  "/%zz/%00/é",
  '/a"<b>`{c}|^d',
  "/a'b;c,d=e:f@g!h~$&()*+",
  "/a?b=c&token=%20x#d",
  "/a#b?c",
])("the path of %s is that of its URL", (target) => {
  const request = new HttpRequest("GET", target, new HeaderList());
  const url = new URL(`http://localhost${target}`);
  expect(request.pathname).toBe(url.pathname);
  expect(request.url.href).toBe(url.href);
  if (url.search !== "") expect(request.hasQuery).toBe(true);
});

describe("headers", () => {
  test("are those of a native list", () => {
    const [own, native] = [HeaderList.of({ "X-B": " b ", "X-A-C": "c" }), new Headers()];
    for (const [name, value] of own.entries()) native.append(name, value);
    for (const list of [own, native]) {
      list.append("x-a", "1");
      list.append("x-a", "2");
      list.set("x-c", "\t3 4\r\n");
      list.set("x-c", "5");
      list.delete("x-b");
      list.delete("x-none");
    }
    expect(own.entries()).toEqual([...native]);
    for (const name of ["x-a", "x-b", "x-c"])
      expect([own.get(name), own.has(name)]).toEqual([native.get(name), native.has(name)]);
  });

  test.each([
    ["x-a", "a\r\nb"],
    ["x-a", "a\0"],
    ["x-a", "€"],
    ["x a", "a"],
    ["", "a"],
  ])("%j: %j cannot be sent", (name, value) => {
    expect(() => new Headers().set(name, value)).toThrow(TypeError);
    expect(() => new HeaderList().set(name, value)).toThrow(TypeError);
  });
});

test("a head is the same whether or not its lines are known", () => {
  const heads = [
    ["Host: a", "X-A: 1", "Content-Length: 3"],
    ["Host: a", "X-A:  2 ", "Content-Length: 3", "x-a: 3"],
    ["Host: a"],
    ["X-A: 1", "Host: b", "Content-Length: 3", "X-Api-Key: key"],
    ["X-A: 1", "Host: b", "Content-Length: 4"],
  ].map((lines) => ["POST /a HTTP/1.1", ...lines].join("\r\n"));
  let known: ReturnType<typeof readHead>["lines"] = [];
  for (const text of heads) {
    const [head, other] = [readHead(text, known), readHead(text)];
    expect(head.request.headers.entries()).toEqual(other.request.headers.entries());
    expect({ ...head, request: 0 }).toEqual({ ...other, request: 0 });
    // A later request gets nothing of what happens to this one.
    head.request.headers.set("authorization", "secret");
    known = head.lines;
  }
});

test("a request and an answer survive the way to a library and back", async () => {
  const request = new IncomingRequest("PUT", "/a?b=c", HeaderList.of({ "X-A": "1" }));
  const native = nativeOf(request);
  expect([native.method, native.url, [...native.headers]]).toEqual([
    "PUT",
    "http://localhost/a?b=c",
    [["x-a", "1"]],
  ]);
  expect(requestOf(native)).toBe(request);
  expect(() => requestOf(new Request(native))).toThrow("did not come from the server");

  const made = await answerOf(Response.json({ a: "ä" }, { status: 201, headers: { "X-B": "2" } }));
  const own = httpAnswer(201, { "content-type": "application/json;charset=utf-8", "x-b": "2" });
  expect([made.status, made.headers.entries()]).toEqual([201, own.headers.entries()]);
  expect(textOf(made)).toBe('{"a":"ä"}');
});
