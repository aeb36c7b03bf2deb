/** Documents are cached by their use, within a bound on their size. */
import { expect, test } from "bun:test";
import { buildSchema } from "graphql";
import { createDocuments } from "~/graphql/documents";

const schema = buildSchema("type Query { a: Int b: Int c: Int }");

test("the most recently used documents are cached, as many as fit", () => {
  const documents = createDocuments(schema, 12);
  const [a, b] = [documents("{ a }"), documents("{ b }")];
  expect([documents("{ b }"), documents("{ a }")]).toEqual([b, a]);
  expect(documents("{ a }")).toBe(a);

  documents("{ c }");

  expect(documents("{ a }")).toBe(a);
  expect(documents("{ b }")).not.toBe(b);
});

test("a document larger than the cache is prepared each time", () => {
  const documents = createDocuments(schema, 4);
  expect(documents("{ a }")).not.toBe(documents("{ a }"));
});
