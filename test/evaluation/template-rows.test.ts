/** The rows of a template that those of a solution refer to, and the ones that they could have referred to instead. */
import { describe, expect, test } from "bun:test";
import { createTemplateRows } from "~/evaluation/audit/template-rows";
import type { Vocabulary } from "~/evaluation/vocabulary";

const VOCABULARY: Vocabulary = { tables: [], derived: {}, calls: new Set() };
const KEYS = { users: ["id"], messages: ["channel", "ts"], settings: ["name"] };
const LONG = "alpha beta gamma ".repeat(20);
const user = (id: string, name: string, about: string | null = null) => ({ id, name, about });
const message = (channel: string, ts: string) => ({ channel, ts });
const ROWS = createTemplateRows(
  {
    users: [
      user("USER-3", "Dana Patel"),
      user("USER-1", "Sam Rivera", LONG),
      user("USER-2", "Sam Patel", LONG),
      user("USER-4", "Robin Alpha"),
    ],
    messages: [
      message("CHANNEL-1", "1770000000.1"),
      message("CHANNEL-1", "1770000000.2"),
      message("CHANNEL-2", "1770000000.3"),
    ],
    settings: [{ name: "theme", value: null }],
  },
  KEYS,
  VOCABULARY,
);
const NONE = new Map();

describe("a value that names a row", () => {
  test("could name another of its table, the most similar one first, whatever their long texts say", () => {
    const reference = (id: string) => ROWS.reference("notes", { owner: id }, "owner", NONE);

    expect(reference("USER-1")).toEqual({ table: "users", others: ["USER-2", "USER-3", "USER-4"] });
    expect(reference("USER-3")?.others[0]).toBe("USER-2");
    expect(reference("USER-9")).toBeUndefined();
    expect(reference("theme")).toBeUndefined();
  });

  test("could name a row of the solution", () => {
    const made = user("USER-5", "Robin");
    const created = new Map([["USER-5", { table: "users", row: made }]]);
    const found = ROWS.reference("notes", { owner: "USER-5" }, "owner", created);
    expect(found?.others[0]).toBe("USER-4");
  });

  test("by a part of a key could name one beside the same other parts", () => {
    const pin = { channel: "CHANNEL-1", ts: "1770000000.1" };
    expect(ROWS.reference("pins", pin, "ts", NONE)).toEqual({
      ...{ table: "messages", others: ["1770000000.2"] },
    });
  });
});

test("another value of a column is one that differs, null included", () => {
  expect(ROWS.otherValue("users", "name", "Sam Rivera")).toBe("Sam Patel");
  expect(ROWS.otherValue("users", "name", "x")).toBe("Sam Rivera");
  expect(ROWS.otherValue("users", "about", LONG)).toBe(null);
  expect(ROWS.otherValue("users", "about", null)).toBe(LONG);
  expect(ROWS.otherValue("settings", "value", null)).toBeUndefined();
  expect(ROWS.otherValue("nothing", "value", null)).toBeUndefined();
});
