import { expect, test } from "bun:test";
import { pageToken, placeOfToken } from "~/replicas/kit/page-token";

test("a token names the place that its list gave it", () => {
  expect(placeOfToken(pageToken("notes", "a:b"), "notes", /^[a-z]:[a-z]$/)).toBe("a:b");
});

test.each([
  ["another list", pageToken("users", "7")],
  ["a place of another form", pageToken("notes", "x")],
  ["other bytes of the same text", `${pageToken("notes", "7")}=`],
  ["no base64", "?"],
  ["nothing", ""],
])("a token of %s names none", (_case, token) => {
  expect(placeOfToken(token, "notes", /^\d+$/)).toBeUndefined();
});
