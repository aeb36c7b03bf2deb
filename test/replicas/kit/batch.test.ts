import { describe, expect, test } from "bun:test";
import { type BatchRules, runBatch } from "~/replicas/kit/batch";
import { readHead, readParts } from "~/replicas/kit/multipart";
import { HeaderList, HttpRequest, httpAnswer, jsonAnswer, textOf } from "~/wire/message";

const TYPE = "multipart/mixed; boundary=b";
const RULES: BatchRules = {
  callsMax: 3,
  hasRoom: () => true,
  overflow: () => httpAnswer(503, {}),
  refuse: (reason) => new Error(reason),
  async perform({ method, pathname, url, headers }, body) {
    if (method === "DELETE") return httpAnswer(204, {});
    const seen = { method, pathname, query: url.search, type: headers.get("content-type") };
    return jsonAnswer(
      { ...seen, body: Buffer.from(body).toString() },
      method === "GET" ? 200 : 404,
    );
  },
};

const run = (body: string, type = TYPE, rules = RULES) =>
  runBatch(
    new HttpRequest("POST", "/batch", HeaderList.of({ "Content-Type": type })),
    Buffer.from(body),
    rules,
  );

const part = (id: string, request: string) =>
  `--b\r\nContent-Type: application/http\r\nContent-ID: ${id}\r\n\r\n${request}\r\n`;

/** The answers as a client reads them. */
async function answers(body: string, rules = RULES) {
  const { status, headers, body: bytes } = await run(body, TYPE, rules);
  expect(status).toBe(200);
  const parts = readParts(headers.get("content-type") ?? "", Buffer.from(bytes), 10);
  return parts.map((outer) => {
    const { lines, headers: inner, content } = readHead(outer.content, 1);
    const text = content.toString();
    return {
      id: outer.headers.get("content-id"),
      line: lines[0],
      length: Number(inner.get("content-length")) === content.byteLength,
      body: text && JSON.parse(text),
    };
  });
}

test("each call has its own answer, in order, with its id", async () => {
  const body = [
    part("<x + 1>", "GET /notes/7?a=%20 HTTP/1.1\r\nAccept: */*\r\n"),
    part(
      "<x + 2>",
      'POST https://mail.test/notes\r\nContent-Type: application/json\r\n\r\n{"a":"ö"}',
    ),
    part("x3", "DELETE /notes/7 HTTP/1.1\r\n"),
    "--b--",
  ].join("");

  expect(await answers(body)).toEqual([
    {
      ...{ id: "<response-x + 1>", line: "HTTP/1.1 200 OK", length: true },
      body: { method: "GET", pathname: "/notes/7", query: "?a=%20", type: null, body: "" },
    },
    {
      ...{ id: "<response-x + 2>", line: "HTTP/1.1 404 Not Found", length: true },
      body: {
        ...{ method: "POST", pathname: "/notes", query: "", type: "application/json" },
        body: '{"a":"ö"}',
      },
    },
    { id: "response-x3", line: "HTTP/1.1 204 No Content", length: true, body: "" },
  ]);
});

test("a client that ends lines with a line feed is understood", async () => {
  const body = "--b\nContent-Type: application/http\n\nGET /notes\n\n--b--";

  expect(await answers(body)).toMatchObject([{ id: null, body: { pathname: "/notes" } }]);
});

test("calls run one after the other", async () => {
  let running = 0;
  const perform = async () => {
    expect(++running).toBe(1);
    await Bun.sleep(1);
    running--;
    return httpAnswer(204, {});
  };

  await run(`${part("1", "GET /a")}${part("2", "GET /b")}--b--`, TYPE, { ...RULES, perform });
});

test("calls are not made after answers that are too long", async () => {
  const made: string[] = [];
  const perform: BatchRules["perform"] = async ({ pathname }) => {
    made.push(pathname);
    return httpAnswer(200, {}, JSON.stringify("x".repeat(5 * 1024 * 1024)));
  };
  const body = `${["a", "b", "c"].map((name) => part(name, `GET /${name}`)).join("")}--b--`;

  const lines = (await answers(body, { ...RULES, perform })).map(({ line }) => line);

  expect(made).toEqual(["/a", "/b"]);
  expect(lines).toEqual([
    ...["HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 503 Service Unavailable"],
  ]);
});

test("calls are not made without room for their answers on the server", async () => {
  const asked: number[] = [];
  const hasRoom = (bytes: number) => asked.push(bytes) < 2;
  const body = `${["a", "b", "c"].map((name) => part(name, `DELETE /${name}`)).join("")}--b--`;

  const lines = (await answers(body, { ...RULES, hasRoom })).map(({ line }) => line);

  expect(lines).toEqual([
    "HTTP/1.1 204 No Content",
    ...["HTTP/1.1 503 Service Unavailable", "HTTP/1.1 503 Service Unavailable"],
  ]);
  expect(asked).toEqual([0, 0, 0]);
});

describe("a request is no batch with", () => {
  const fine = part("1", "GET /notes");

  test.each([
    ["another type", `${fine}--b--`, "application/json"],
    ["no boundary", `${fine}--b--`, "multipart/mixed"],
    ["no end", fine, TYPE],
    ["too many calls", `${fine.repeat(4)}--b--`, TYPE],
    ["a part that is no request", `${part("1", "hello")}--b--`, TYPE],
    ["a path that is none", `${part("1", "GET notes")}--b--`, TYPE],
    ["an invalid header", `${part("1", "GET /notes\r\nno header\r\n\r\n")}--b--`, TYPE],
  ])("%s", async (_case, body, type) => {
    await expect(run(body, type)).rejects.toThrow(/./);
  });

  test("an error of a call is a bug, which ends the batch", async () => {
    const perform = async () => {
      throw new TypeError("a bug");
    };

    await expect(run(`${fine}--b--`, TYPE, { ...RULES, perform })).rejects.toThrow("a bug");
  });
});

test("an empty batch has an empty answer", async () => {
  expect(textOf(await run("--b--"))).toMatch(/^--batch_[0-9a-f]{32}--\r\n$/);
});
