/** The length of client input is limited at every position among the arguments. */
import { expect, test } from "bun:test";
import { buildSchema } from "graphql";
import { type Lengths, requireLengths } from "~/graphql/lengths";

const schema = buildSchema(`
  scalar JSON
  input NameFilter { eq: String }
  input Part { title: String tags: [String!] data: JSON parts: [[Part!]] when: PartFilter }
  input PartFilter { name: NameFilter }
  type Query { find(id: String!, title: String, parts: [Part!], part: Part): Int }
`);
const fields = schema.getQueryType()?.getFields()["find"]?.args ?? [];
const LENGTHS: Lengths = {
  usual: 5,
  whole: /Filter$|^JSON(Object)?$/,
  json: 40,
  items: 2,
  texts: { title: 3, "Part.title": 4 },
};
const check = (args: Record<string, unknown>) => () => requireLengths(LENGTHS, args, fields);

test.each<[string, Record<string, unknown>]>([
  ["a text of the default length", { id: "12345" }],
  ["nothing", {}],
  ["null", { title: null, parts: null, part: { tags: null } }],
  ["a text with a specific length", { title: "123", part: { title: "1234" } }],
  ["as many items as allowed", { part: { tags: ["a", "b"] } }],
  ["JSON", { part: { data: { a: ["x".repeat(20)] } } }],
])("%s is accepted", (_what, args) => {
  expect(check(args)).not.toThrow();
});

test.each<[string, Record<string, unknown>, string]>([
  ["a text", { id: "123456" }, "id must be shorter than or equal to 5 characters"],
  ["a title", { title: "1234" }, "title must be shorter than or equal to 3 characters"],
  [
    "a title of another type",
    { part: { title: "12345" } },
    "title must be shorter than or equal to 4 characters",
  ],
  [
    "a title in a list of lists",
    { parts: [{ parts: [[{ title: "12345" }]] }] },
    "title must be shorter than or equal to 4 characters",
  ],
  ["a list", { part: { tags: ["a", "b", "c"] } }, "tags must contain no more than 2 elements"],
  ["a list of inputs", { parts: [{}, {}, {}] }, "parts must contain no more than 2 elements"],
  ["an item", { part: { tags: ["123456"] } }, "tags must be shorter than or equal to 5 characters"],
  [
    "JSON",
    { part: { data: { a: { b: "x".repeat(50) } } } },
    "data must be shorter than or equal to 40 characters",
  ],
  [
    "a filter",
    { part: { when: { name: { eq: "x".repeat(50) } } } },
    "when must be shorter than or equal to 40 characters",
  ],
])("%s that is too long is rejected", (_what, args, message) => {
  expect(check(args)).toThrow(message);
});
