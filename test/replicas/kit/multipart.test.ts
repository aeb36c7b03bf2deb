import { describe, expect, test } from "bun:test";
import { MultipartError, readHead, readParts } from "~/replicas/kit/multipart";

const TYPE = "multipart/mixed; boundary=xyz";
const read = (body: string | Uint8Array, type = TYPE, max = 5) =>
  readParts(type, Buffer.from(body), max).map(({ headers, content }) => [
    headers.entries(),
    content.toString("latin1"),
  ]);

const crlf = (text: string) => text.replaceAll("\n", "\r\n");
const BODY = "--xyz\nA: 1\nb: two\n\nfirst\nline\n--xyz\n\nsecond\n--xyz--\n";
describe("the parts of a body", () => {
  test.each([
    ["lines that end with a carriage return and a line feed", crlf(BODY)],
    ["lines that end with a line feed, as of Python", BODY],
    ["text before and after", `before\n${BODY}after`],
    ["padding after boundaries", BODY.replaceAll("--xyz\n", "--xyz \t\n")],
    ["no line after the last boundary", BODY.trimEnd()],
  ])("are read from %s", (_case, body) => {
    const lines = body.includes("\r") ? "first\r\nline" : "first\nline";
    const headers: [string, string][] = [
      ["a", "1"],
      ["b", "two"],
    ];
    expect(read(body)).toEqual([
      [headers, lines],
      [[], "second"],
    ]);
  });

  test("may contain the boundary within a line, or in a longer word", () => {
    expect(read("--xyz\n\na --xyz\n--xyzz\n--xyz--")).toEqual([[[], "a --xyz\n--xyzz"]]);
  });

  test("may be bytes, or empty", () => {
    const bytes = Buffer.concat([Buffer.from("--xyz\r\n\r\n"), Buffer.from([0, 255, 13, 10, 13])]);

    expect(read(Buffer.concat([bytes, Buffer.from("\r\n--xyz--")]))).toEqual([
      [[], "\u0000\u00ff\r\n\r"],
    ]);
    expect(read("--xyz\r\n\r\n\r\n--xyz--")).toEqual([[[], ""]]);
    expect(read("--xyz--")).toEqual([]);
  });

  test("may have a boundary in quotes, and headers of several lines", () => {
    expect(read("--a b\nX: 1\n  2\n\n.\n--a b--", 'multipart/mixed; Boundary="a b"')).toEqual([
      [[["x", "1 2"]], "."],
    ]);
  });
});

test.each([
  ["no boundary", BODY, "multipart/mixed"],
  ["another boundary", BODY, "multipart/mixed; boundary=abc"],
  ["no end", "--xyz\n\nfirst\n", TYPE],
  ["a line that is no header", "--xyz\nno header\n\n.\n--xyz--", TYPE],
  ["too many parts", `${"--xyz\n\n.\n".repeat(6)}--xyz--`, TYPE],
  [
    "too many headers",
    `--xyz\n${Array.from({ length: 51 }, (_, n) => `h${n}: 1\n`).join("")}\n.\n--xyz--`,
    TYPE,
  ],
  ["headers that are too long", `--xyz\na: ${"x".repeat(20_000)}\n\n.\n--xyz--`, TYPE],
])("a body with %s is rejected", (_case, body, type) => {
  expect(() => read(body, type)).toThrow(MultipartError);
});

test("a head may begin with lines of its own", () => {
  const { lines, headers, content } = readHead(Buffer.from("GET /x HTTP/1.1\nA: 1\n\nbody"), 1);

  expect([lines, headers.entries(), content.toString()]).toEqual([
    ["GET /x HTTP/1.1"],
    [["a", "1"]],
    "body",
  ]);
});
