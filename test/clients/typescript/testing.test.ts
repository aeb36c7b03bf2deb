/** The matchers, in the runner of this repository. */
import { expect, test } from "bun:test";
import type { Diff } from "~/clients/typescript/index";
import { type ExpectedDiff, matchers } from "~/clients/typescript/testing";

const ROWS = ["Hello", "Lunch"].map((text) => ({ __table__: "messages", text, edited: null }));
const CHANGE = {
  __table__: "users",
  key: { id: "U1" },
  before: { name: "A" },
  after: { name: "B" },
};
const DIFF = { inserts: ROWS, updates: [CHANGE], deletes: [] } as unknown as Diff;

test.each<ExpectedDiff>([
  { inserts: ROWS, updates: [CHANGE] },
  { inserts: [{ text: "Lunch" }, { text: /hell/i }], updates: [{ after: { name: "B" } }] },
  // The first fits both rows, the second only the one that it would take.
  {
    inserts: [{ text: { asymmetricMatch: () => true } }, { text: "Hello" }],
    updates: [{ key: { id: "U1" } }],
  },
  { inserts: [{ text: "Hello" }], others: "allow" },
  { inserts: ROWS, ignore: ["users"] },
])("the diff is %j", (expected) => {
  expect(matchers.toBeDiff(DIFF, expected).pass).toBe(true);
});

test.each<[ExpectedDiff, string]>([
  [{}, 'not expected in inserts: {"__table__":"messages","text":"Hello"'],
  [{ inserts: ROWS }, 'not expected in updates: {"__table__":"users"'],
  [{ inserts: [...ROWS, ...ROWS], updates: [CHANGE] }, "missing in inserts"],
  [
    { inserts: [{ __table__: "messages", text: "Hi" }], others: "allow" },
    '  the nearest has {"text":"Hello"}',
  ],
  [{ deletes: [{ __table__: "messages" }], others: "allow" }, "missing in deletes"],
  [{ inserts: [{ missing: undefined }], others: "allow" }, "missing in inserts"],
  [{ updates: [{ after: { name: /^A/ } }], others: "allow" }, '{"after":{"name":"/^A/"}}'],
])("the diff is not %j", (expected, message) => {
  const { pass, message: text } = matchers.toBeDiff(DIFF, expected);

  expect(pass).toBe(false);
  expect(text()).toContain(message);
});

test("rows are found by their kind and table", () => {
  expect(matchers.toHaveAdded(DIFF, "messages", { text: "Lunch" }).pass).toBe(true);
  expect(matchers.toHaveAdded(DIFF, "users").pass).toBe(false);
  expect(matchers.toHaveChanged(DIFF, "users", { after: { name: "B" } }).pass).toBe(true);
  expect(matchers.toHaveChanged(DIFF, "users", { after: { name: "A" } }).pass).toBe(false);
  expect(matchers.toHaveRemoved(DIFF, "messages").pass).toBe(false);
  expect(matchers.toHaveAdded(DIFF, "messages").message()).toStartWith("not expected in inserts");
  expect(() => matchers.toHaveAdded({} as Diff, "messages")).toThrow("A diff is needed");
});
