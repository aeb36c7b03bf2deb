import { describe, expect, test } from "bun:test";
import { createLog, errorFields } from "~/log";

function lineOf(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog("debug", "test", (line) => lines.push(line)));
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

describe("a line", () => {
  test.each(['\n{"level":"fatal"}', "\u001b[31mred\u001b[0m", "\r\n", "\u2028", "\u0000"])(
    "stays one, and JSON, with %p in it (S145)",
    (odd) => {
      const line = lineOf((log) => log.warn(odd, { field: odd, list: [odd] }));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect(line).not.toMatch(/[\u0000-\u001f]/);
      expect(JSON.parse(line)).toMatchObject({ level: "warn", msg: odd, field: odd, list: [odd] });
    },
  );

  test.each([null, undefined, "text", 5, { message: "text" }])(
    "tells the kind of what was thrown, and no more, when it is no error: %p (S147)",
    (thrown) => {
      expect(errorFields(thrown)).toEqual({ error: typeof thrown });
    },
  );
});
