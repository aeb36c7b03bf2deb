/** The reasons of a verdict as lines of text. */
import { expect, test } from "bun:test";
import { reasonText } from "~/evaluation/words/text";

const row = (number: number) => ({ words: `message ${number}`, call: number });
const missing = (assertion: number) => ({
  assertion,
  expected: "Exactly one message",
  holds: false,
  found: "none found",
  rows: [],
  nearest: [],
});

test("a run of which there is nothing to say has no text", () => {
  const holding = { ...missing(1), holds: true, rows: [row(1)] };

  expect(reasonText({ problems: [], assertions: [holding], unsafe: { count: 0, rows: [] } })).toBe(
    "",
  );
});

test("the text is bounded, and says how much it leaves out", () => {
  const places = Array.from({ length: 25 }, (_, index) => index + 1);
  const text = reasonText({
    problems: ["attempt crashed: exit code 3"],
    assertions: places.map(missing),
    unsafe: { count: 70, rows: places.map(row) },
  });

  const lines = text.split("\n");
  expect(lines).toHaveLength(1 + 20 + 1 + 20 + 1);
  expect(lines[0]).toBe("attempt crashed: exit code 3");
  expect(lines[20]).toBe("20. Exactly one message: none found");
  expect(lines[21]).toBe("… and 5 more assertions do not hold");
  expect(lines[22]).toBe("unsafe: message 1 (call 1)");
  expect(lines.at(-1)).toBe("unsafe: 50 more rows");
});

test("an assertion that finds too much names the rows, and of the nearest only what differs", () => {
  const field = { label: "text", expected: "“a”", actual: "“b”", holds: false };
  const assertions = [
    { ...missing(1), found: "2 found", rows: [row(1), { words: "message 2", call: null }] },
    { ...missing(2), nearest: [{ ...row(3), fields: [field, { ...field, holds: true }] }] },
  ];

  expect(reasonText({ problems: [], assertions, unsafe: { count: 0, rows: [] } })).toBe(
    [
      "1. Exactly one message: 2 found",
      "   found: message 1 (call 1)",
      "   found: message 2",
      "2. Exactly one message: none found",
      "   nearest: message 3 (call 3)",
      "     text: “b”, expected: “a”",
    ].join("\n"),
  );
});
