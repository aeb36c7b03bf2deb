import { describe, expect, test } from "bun:test";
import { parseTemplate } from "~/replicas/kit/path-template";

const match = (template: string, path: string) => parseTemplate(template).match(path);

describe("a template", () => {
  test.each([
    ["notes", "notes", {}],
    ["v1.2/notes", "v1.2/notes", {}],
    ["$discovery/{api}", "$discovery/notes", { api: "notes" }],
    ["users/{userId}/notes/{id}", "users/me/notes/7", { userId: "me", id: "7" }],
    ["users/{userId}", "users/ann%40acme.test%2Fx", { userId: "ann@acme.test/x" }],
    ["notes/{id}:archive", "notes/a:b:archive", { id: "a:b" }],
    ["notes/{id}", "notes/7:archive", { id: "7:archive" }],
  ])("%s matches %s", (template, path, parameters) => {
    expect(match(template, path)).toEqual(parameters);
  });

  test.each([
    ["notes", "notes/"],
    ["notes", "note"],
    ["v1.2/notes", "v1x2/notes"],
    ["notes/{id}", "notes/"],
    ["notes/{id}", "notes/7/more"],
    ["notes/{id}", "notes/%e2%28"],
    ["notes/{id}:archive", "notes/7:archived"],
    ["notes/{id}:archive", "notes/:archive"],
  ])("%s does not match %s", (template, path) => {
    expect(match(template, path)).toBeUndefined();
  });

  test.each(["", "/notes", "notes/", "notes/{id}x", "notes/{}", "notes/(id)", "a b"])(
    "cannot be %j",
    (template) => {
      expect(() => parseTemplate(template)).toThrow("a segment that is none");
    },
  );
});

test("a more specific template ranks before a general one", () => {
  const templates = ["notes/{id}", "{a}/{b}", "notes/send", "notes/{id}:archive"];

  const ranked = templates.toSorted((a, b) =>
    parseTemplate(a).rank < parseTemplate(b).rank ? -1 : 1,
  );

  expect(ranked).toEqual(["notes/send", "notes/{id}:archive", "notes/{id}", "{a}/{b}"]);
});
