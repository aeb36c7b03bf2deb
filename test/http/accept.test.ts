/** Media types by name, range and weight. */
import { expect, test } from "bun:test";
import { acceptsType } from "~/http/accept";

test.each([
  [null, true],
  ["", true],
  ["*/*", true],
  ["application/*", true],
  ["Application/JSON; charset=utf-8, text/html", true],
  ["text/html, application/json;q=0.1", true],
  ["text/*", false],
  ["application/jsonp", false],
  ["application/json;q=0", false],
  ["*/*, application/json; q=0", false],
  ["application/*;q=0, */*", false],
])("Accept: %s includes JSON: %p", (header, isIncluded) => {
  expect(acceptsType(header, "application/json")).toBe(isIncluded);
});
