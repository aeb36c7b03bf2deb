/** Suggestions for misspelt names. */
import { describe, expect, test } from "bun:test";
import { compile } from "~/evaluation/compile";
import { OPERATORS } from "~/evaluation/operators";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { nearest } from "~/input/nearest";

const spec = (operator: string) => ({
  assertions: [{ diff_type: "added", entity: "messages", where: { text: { [operator]: "x" } } }],
});
const world: Vocabulary = {
  tables: [{ name: "messages", columns: [{ name: "text", type: "text" }] }],
  derived: {},
  calls: new Set(),
};

test.each([
  ["icontains", "i_contains"],
  ["iContains", "i_contains"],
  ["I_CONTAINS", "i_contains"],
  ["i-contains", "i_contains"],
  ["istartswith", "i_starts_with"],
  ["startsWith", "starts_with"],
  ["notIn", "not_in"],
  ["nin", "not_in"],
  ["containss", "contains"],
  ["isNull", "is_null"],
  ["ilike", "i_contains"],
  ["equals", "eq"],
])("for %s suggests %s", (wrong, right) => {
  expect(() => compile(spec(wrong), world)).toThrow(
    `there is no operator "${wrong}"; the nearest is "${right}"`,
  );
});

test("suggests each operator for its name without separators", () => {
  for (const name of Object.keys(OPERATORS))
    expect(nearest(name.replaceAll("_", ""), Object.keys(OPERATORS))).toBe(
      `; the nearest is "${name}"`,
    );
});

test("suggests nothing for a name of a thousand letters", () => {
  expect(nearest("x".repeat(1_000), ["x"])).toBe("");
});

describe("of the fields of initEnv", () => {
  const fields = ["templateService", "templateName", "testId", "impersonateUserId", "ttlSeconds"];
  test.each([
    ["ttl", "ttlSeconds"],
    ["user_id", "impersonateUserId"],
    ["tmplateName", "templateName"],
    ["test", "testId"],
  ])("for %s suggests %s", (wrong, right) => {
    expect(nearest(wrong, fields)).toBe(`; the nearest is "${right}"`);
  });

  test.each(["x", "id", "model", "owner_id", "seconds_to_live", "текст", ""])(
    "for %p suggests nothing",
    (wrong) => {
      expect(nearest(wrong, fields)).toBe("");
    },
  );
});
