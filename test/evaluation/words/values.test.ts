/** Values in words. */
import { expect, test } from "bun:test";
import { plainName, sayValue, type Words } from "~/evaluation/words/values";
import type { At } from "~/replicas/row-words";

const asked: [string, string, At | undefined][] = [];
const WORDS: Words = {
  tables: {},
  say(table, value, at) {
    asked.push([table, value, at]);
    return `${table} ${value}`;
  },
};
const say = (...[column, value, beside]: [object, unknown, object?]) =>
  sayValue(WORDS, column, value, beside as never);

test.each([
  [{}, null, "nothing"],
  [{}, undefined, "nothing"],
  [{}, "", "nothing"],
  [{}, true, "yes"],
  [{}, false, "no"],
  [{}, 12.5, "12.5"],
  [{}, "Ship it", "“Ship it”"],
  [{}, "2026-03-11T09:00:00.000Z", "2026-03-11T09:00:00.000Z"],
  [{}, ["a", "b", "c"], "“a”, “b” and “c”"],
  [{}, [1, 2, 3, 4, 5], "1, 2, 3, 4 and 5"],
  [{}, [1, 2, 3, 4, 5, 6, 7], "1, 2, 3, 4, 5 and 2 more"],
  [{}, { a: [1] }, '{"a":[1]}'],
  [{ values: { 1: "urgent" } }, 1, "urgent"],
  [{ values: { 1: "urgent" } }, 2, "2"],
  [{ values: { 1: "urgent" } }, [1, 2], "urgent and 2"],
  [{ part: "value" }, { value: "Hi", creator: "U1" }, "“Hi”"],
  [{ part: "value" }, { creator: "U1" }, '{"creator":"U1"}'],
  [{ read: (text: string) => text.toUpperCase() }, "hi", "“HI”"],
  [{ of: { table: "users" } }, "U1", "users U1"],
])("%j of %j is %s", (column, value, text) => {
  expect(say(column, value)).toBe(text);
});

test("a row is named by the column that says which one it is, and by what stands beside it", () => {
  asked.length = 0;
  say({ of: { table: "users" } }, "U1");
  say({ of: { table: "users", by: "email" } }, "a@acme.test");
  const message = { of: { table: "messages", by: "ts", within: "channel_id" } };
  say(message, "1.5", { channel_id: "C1" });
  say(message, "1.5", { channel_id: 7 });
  say(message, "1.5");

  expect(asked).toEqual([
    ["users", "U1", undefined],
    ["users", "a@acme.test", { by: "email" }],
    ["messages", "1.5", { by: "ts", within: ["channel_id", "C1"] }],
    ["messages", "1.5", { by: "ts" }],
    ["messages", "1.5", { by: "ts" }],
  ]);
});

test("a name is written as people write it", () => {
  expect(["dueDate", "due_date", "profile.email", "id"].map(plainName)).toEqual([
    "due date",
    "due date",
    "profile email",
    "id",
  ]);
});
