import { describe, expect, test } from "bun:test";
import { chooseFormat, createLog, errorFields, type Format, type Log } from "~/log";

function lineOf(write: (log: Log) => void, format: Format = "json"): string {
  const lines: string[] = [];
  write(createLog({ level: "debug", format, write: (line) => lines.push(line) }));
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

const ODD = [
  '\n{"level":"fatal"}',
  "\u001b[31mred\u001b[0m",
  "\r\n",
  "\u2028",
  "\u0000",
  "\u009b1m",
];

describe("a line", () => {
  test.each(ODD)("stays one, and JSON, with %p in it (S145)", (odd) => {
    const line = lineOf((log) => log.warn(odd, { field: odd, list: [odd] }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(line).not.toMatch(/[\u0000-\u001f]/);
    expect(JSON.parse(line)).toMatchObject({ level: "warn", msg: odd, field: odd, list: [odd] });
  });

  test.each([null, undefined, "text", 5, { message: "text" }])(
    "has only the type of a thrown value that is no error: %p (S147)",
    (thrown) => {
      expect(errorFields(thrown)).toEqual({ error: typeof thrown });
    },
  );
});

describe("text for people", () => {
  const line = (format: Format, fields = {}) =>
    lineOf((log) => log.warn("schema not recycled", fields), format).replace(/^\S*Z/, "TIME");

  test("has time, level, message and fields", () => {
    const text = lineOf((log) => log.info("started", { url: "http://h", ms: 3 }), "text");
    expect(text).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}started url=http:\/\/h ms=3$/);
  });

  test("quotes values that could be read as several fields, and omits undefined ones", () => {
    const fields = { a: "b c", d: 'e"f', g: "h=i", j: "", k: undefined, l: null, m: false };
    expect(line("text", fields)).toBe(
      `TIME WARN  schema not recycled a="b c" d="e\\"f" g="h=i" j="" l=null m=false`,
    );
  });

  test("prints the items of a list on indented lines", () => {
    expect(line("text", { error: "Error", stack: ["at a", "at b"] })).toBe(
      "TIME WARN  schema not recycled error=Error\n    at a\n    at b",
    );
  });

  test("has colors only on request", () => {
    const strip = (text: string) => Bun.stripANSI(text);
    expect(line("color", { a: 1 })).not.toBe(line("text", { a: 1 }));
    expect(strip(line("color", { a: 1 })).replace(/^\S*Z/, "TIME")).toBe(line("text", { a: 1 }));
  });

  test.each(ODD)("never has a control character: %p (S145)", (odd) => {
    const text = lineOf((log) => log.warn(odd, { [odd]: odd, list: [odd] }), "text");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(text.replace("\n    ", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028]/);
  });
});

const COLORS = { isTTY: true, hasColors: (): boolean => true };
const NO_COLORS = { isTTY: true, hasColors: (): boolean => false };

test.each([
  ["auto", {}, "json"],
  ["auto", { isTTY: true }, "text"],
  ["auto", COLORS, "color"],
  ["auto", NO_COLORS, "text"],
  ["text", {}, "text"],
  ["text", { ...COLORS, isTTY: false }, "text"],
  ["json", COLORS, "json"],
] as const)("LOG_FORMAT %s on a stream that is %p is %s", (wanted, stream, format) => {
  expect(chooseFormat(wanted, stream)).toBe(format);
});
