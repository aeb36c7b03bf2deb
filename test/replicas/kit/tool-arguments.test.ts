import { describe, expect, test } from "bun:test";
import {
  type ArgumentRules,
  type ArgumentSchema,
  checkArguments,
  ITEMS_MAX,
  zodWords,
} from "~/replicas/kit/tool-arguments";

const SCHEMA: ArgumentSchema = {
  type: "object",
  additionalProperties: false,
  required: ["title"],
  properties: {
    title: { type: "string", minLength: 2 },
    limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
    share: { type: "number", exclusiveMinimum: 0 },
    state: { type: "string", enum: ["open", "closed"] },
    link: { type: "string", format: "uri" },
    at: { type: "string", format: "date-time", pattern: "^\\d{4}-" },
    key: { type: "string", pattern: "^[A-Z]+$" },
    done: { type: "boolean" },
    owner: { anyOf: [{ type: "string" }, { type: "null" }] },
    tags: { type: "array", minItems: 1, items: { type: "string" } },
    place: { type: "object", required: ["city"], properties: { city: { type: "string" } } },
    free: { type: "object" },
    change: {
      oneOf: [
        {
          type: "object",
          required: ["op", "by"],
          properties: { op: { const: "move" }, by: { type: "integer" } },
        },
      ],
    },
  },
};
const RULES: ArgumentRules = { words: zodWords, lengthOf: (name) => (name === "title" ? 20 : 9) };
const check = (given: object, rules = RULES) =>
  checkArguments(SCHEMA, given as Record<string, unknown>, rules);

test("arguments get the defaults of the schema", () => {
  expect(check({ title: "Ship", owner: null, change: { op: "move", by: 2 } })).toEqual({
    values: { title: "Ship", limit: 10, owner: null, change: { op: "move", by: 2 } },
  });
});

test("unknown keys inside are left out, and free objects stay", () => {
  const given = { title: "Ship", place: { city: "Oslo", zip: 1 }, free: { any: 1 } };

  expect(check(given)).toEqual({
    values: { title: "Ship", limit: 10, place: { city: "Oslo" }, free: { any: 1 } },
  });
});

describe("in the words of Zod", () => {
  test.each([
    [{}, "title: Invalid input: expected string, received undefined"],
    [{ title: "x" }, "title: Too small: expected string to have >=2 characters"],
    [{ title: "x".repeat(21) }, "title: Too big: expected string to have <=20 characters"],
    [{ title: null }, "title: Invalid input: expected string, received null"],
    [{ limit: "1" }, "limit: Invalid input: expected number, received string"],
    [{ limit: 1.5 }, "limit: Invalid input: expected int, received number"],
    [{ limit: 0 }, "limit: Too small: expected number to be >=1"],
    [{ limit: 51 }, "limit: Too big: expected number to be <=50"],
    [{ share: 0 }, "share: Too small: expected number to be >0"],
    [{ state: "new" }, 'state: Invalid option: expected one of "open"|"closed"'],
    [{ link: "here" }, "link: Invalid URL"],
    [{ at: "today" }, "at: Invalid ISO datetime"],
    [{ key: "a" }, "key: Invalid string: must match pattern /^[A-Z]+$/"],
    [{ done: 1 }, "done: Invalid input: expected boolean, received number"],
    [{ owner: 7 }, "owner: Invalid input: expected string, received number"],
    [{ tags: [] }, "tags: Too small: expected array to have >=1 items"],
    [{ tags: {} }, "tags: Invalid input: expected array, received object"],
    [{ tags: ["a", 2] }, "tags.1: Invalid input: expected string, received number"],
    [
      { tags: Array.from({ length: ITEMS_MAX + 1 }, () => "a") },
      `tags: Too big: expected array to have <=${ITEMS_MAX} items`,
    ],
    [{ place: {} }, "place.city: Invalid input: expected string, received undefined"],
    [{ place: [] }, "place: Invalid input: expected object, received array"],
    [{ free: 1 }, "free: Invalid input: expected record, received number"],
    [{ change: 1 }, "change: Invalid input: expected object, received number"],
    [{ change: { op: "turn" } }, "change.op: Invalid input"],
    [{ colour: 1, size: 2 }, 'Unrecognized keys: "colour", "size"'],
    [{ key: "A\u0000" }, "key: Invalid string: must match pattern /^[A-Z]+$/"],
    [{ tags: ["\ud800"] }, "tags.0: a string contains NUL or half a surrogate pair"],
  ])("%j is a mistake", (given, problem) => {
    expect(
      check({ title: "Ship", ...(problem.startsWith("title") && { title: undefined }), ...given }),
    ).toEqual({
      problems: [problem],
    });
  });

  test("all mistakes are listed, up to fifty", () => {
    const both = check({ limit: 0 });
    const many = check({ title: "Ship", tags: Array.from({ length: 90 }, () => 1) });

    expect("problems" in both && both.problems).toHaveLength(2);
    expect("problems" in many && many.problems).toHaveLength(50);
  });
});

test("the items of a list that is too long are not looked at", () => {
  const checked = check({ title: "Ship", tags: Array.from({ length: ITEMS_MAX + 1 }, () => 1) });

  expect("problems" in checked && checked.problems).toHaveLength(1);
});

test("null counts as no value where the vendor says so", () => {
  const rules = { ...RULES, isNullAbsent: true };

  expect(check({ title: "Ship", done: null }, rules)).toEqual({
    values: { title: "Ship", limit: 10 },
  });
  expect(check({ title: null }, rules)).toHaveProperty("problems");
});

test("another vendor's words are told all that there is to know", () => {
  const words: ArgumentRules["words"] = ({ path, schema, value }) =>
    `${path.join("/")} ${schema.type} ${typeof value}`;

  expect(check({ title: "Ship", tags: [1] }, { ...RULES, words })).toEqual({
    problems: ["tags/0 string number"],
  });
});
