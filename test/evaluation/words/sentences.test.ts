/** Assertions and expected values in words. */
import { expect, test } from "bun:test";
import { compile } from "~/evaluation/compile";
import type { OperatorName } from "~/evaluation/operators";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { sayExpected } from "~/evaluation/words/conditions";
import { sayAssertion } from "~/evaluation/words/sentences";
import type { Words } from "~/evaluation/words/values";

const VOCABULARY: Vocabulary = {
  tables: [
    {
      name: "notes",
      columns: [
        { name: "id", type: "text" },
        { name: "title", type: "text" },
        { name: "size", type: "integer" },
        { name: "tags", type: "text[]" },
        { name: "done", type: "boolean" },
      ],
    },
  ],
  derived: {},
  calls: new Set(["post"]),
};
const WORDS: Words = {
  tables: { notes: { one: "note", many: "notes" } },
  say: (table, value) => `${table} ${value}`,
};

test.each<[object, string]>([
  [{}, "At least one new note"],
  [{ expected_count: 0 }, "No new note"],
  [{ expected_count: 1 }, "Exactly one new note"],
  [{ expected_count: 2 }, "Exactly 2 new notes"],
  [{ expected_count: { min: 0 } }, "Any number of new notes"],
  [{ expected_count: { min: 2 } }, "At least 2 new notes"],
  [{ expected_count: { max: 1 } }, "At most one new note"],
  [{ expected_count: { max: 3 } }, "At most 3 new notes"],
  [{ expected_count: { min: 2, max: 4 } }, "2 to 4 new notes"],
  [{ diff_type: "removed", where: { id: "A" } }, "At least one note whose id is “A”, deleted"],
  [
    { diff_type: "unchanged", where: { title: "x" }, expected_count: 1 },
    "Exactly one note whose title is “x”, left as before",
  ],
  [
    {
      ...{ diff_type: "changed", where: { id: "A" }, actor: "clock" },
      expected_changes: { title: { from: "a", to: { contains: "b" } }, size: {} },
    },
    "At least one note whose id is “A”, changed: title from “a” to contains “b” and size, by the clock",
  ],
  [
    { where: { title: { is_null: true }, size: { gt: 3 } } },
    "At least one new note without a title, whose size is above 3",
  ],
  [
    { where: { done: true, tags: { has_any: ["a", "b"] } } },
    "At least one new note with “done”, whose tags has any of “a” or “b”",
  ],
  [{ where: { not: { title: "a" } } }, "At least one new note but not whose title is “a”"],
  [
    { where: { or: [{ title: "a" }, { not: { title: { starts_with: "b" } } }] } },
    "At least one new note whose title is “a” or not whose title begins with “b”",
  ],
  [{ diff_type: "called", entity: "post", expected_count: { max: 1 } }, "At most one call of post"],
  [
    { diff_type: "called", entity: "*", where: { status: { gte: 400 } }, expected_count: 0 },
    "No call whose status is 400 or above",
  ],
])("%j is said", (part, sentence) => {
  const spec = { assertions: [{ diff_type: "added", entity: "notes", ...part }] };
  const [assertion] = compile(spec, VOCABULARY).assertions;
  expect(assertion && sayAssertion(WORDS, assertion)).toBe(sentence);
});

test.each<[OperatorName, unknown, string]>([
  ["eq", null, "nothing"],
  ["eq", "a", "“a”"],
  ["ne", "a", "is not “a”"],
  ["in", ["a", "b"], "“a” or “b”"],
  ["is_null", true, "nothing"],
  ["is_null", false, "a value"],
  ["not_null", true, "a value"],
  ["not_null", false, "nothing"],
  ["exists", true, "a value"],
  ["exists", false, "nothing"],
  ["regex", "a+", "matches /a+/"],
  ["has_all", ["a", "b"], "has all of “a” and “b”"],
  ["gte", 3, "is 3 or above"],
])("what %s %j expects is said", (operator, operand, words) => {
  expect(sayExpected(WORDS, "notes", { path: "title", operator, operand })).toBe(words);
});
