/** The mistakes that `bun run mutants` makes in a file, and the tests that it asks. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { choose } from "../../scripts/mutants/choose";
import { mutantsOf } from "../../scripts/mutants/mutate";
import { relatedTests } from "../../scripts/mutants/related";
import { failingFile } from "../../scripts/mutants/tree";

const ROOT = join(import.meta.dir, "../..");
const PREFIX = "declare const a: any, b: any, f: any, sql: any, log: any;\n";

const mutated = (code: string) =>
  mutantsOf("src/x.ts", PREFIX + code).map(({ text }) => text.slice(PREFIX.length));

describe("a mutant", () => {
  test.each([
    ["f(a < 1);", ["f(a <= 1);", "f(a < 0);"]],
    ["f(a === b && !b);", ["f(a !== b && !b);", "f(a === b || !b);", "f(a === b && (b));"]],
    ["f(a ?? b);", ["f(b);"]],
    ["f(a ? 2 : b);", ["f((2));", "f((b));", "f(a ? (2 + 1) : b);"]],
    ["f(a, b);", ["f(b, a);"]],
    ["if (a) f();", ["if (false) f();", "if (a) ;"]],
    ["if (a) f(); else b();", ["if (true) f(); else b();"]],
    ["f(a.some(b));", ["f(a.every(b));"]],
    ["f(a.filter(b).length);", ["f(a.length);"]],
    ["f({ a, ...b });", ["f({ ...b });", "f({ a,  });"]],
    ["f(true);", ["f(false);"]],
    ["f(sql`\n  where a = 1\n    and b = 2\n`);", ["f(sql`\n  where a = 1\n\n`);"]],
  ])("of %j", (code, expected) => {
    expect(mutated(code)).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    ["an import", 'import { join } from "node:path";'],
    ["a type", "type A = { a: 1; b: true };"],
    ["a line of the log", 'log.info("text", { a: 1 });'],
    ["a description", 'export const x = { description: "text" + 1 };'],
    ["a condition that ends on another line", "const x = sql`\n  and (a = 1\n  or b = 2)\n`;"],
  ])("is not made of %s", (_case, code) => {
    expect(mutated(code)).toEqual([]);
  });

  test("is one change, on its line, that can be parsed", () => {
    const source = "const one = 5;\nconst two = one < 3 ? one : -one;\nexport { two };\n";
    const mutants = mutantsOf("src/x.ts", source);

    expect(mutants.length).toBeGreaterThan(4);
    for (const { line, text } of mutants) {
      const [before, after] = [source.split("\n"), text.split("\n")];
      expect(before.flatMap((each, at) => (each === after[at] ? [] : [at + 1]))).toEqual([line]);
    }
  });
});

test("a choice is the same for its seed, with one mutant for a line", () => {
  const items = Array.from({ length: 100 }, (_, n) => ({ file: "a.ts", line: n >> 1 }));

  expect(choose(items, 10, 1)).toEqual(choose(items, 10, 1));
  expect(choose(items, 10, 1)).not.toEqual(choose(items, 10, 2));
  const lines = choose(items, 100, 1).map(({ line }) => line);
  expect(lines).toHaveLength(50);
  expect(new Set(lines).size).toBe(50);
});

test("the tests of a file are its own, those beside them, those of the folders that it works with, of everything, and long ones", async () => {
  const [own, near, farther, general, long] = await relatedTests(ROOT, "src/capture/fold.ts");

  expect(own).toContain("test/capture/fold.test.ts");
  expect(near).toContain("test/capture/value.test.ts");
  expect(farther).toContain("test/evaluation/template-rows.test.ts");
  expect(general).toEqual(
    expect.arrayContaining(["test/http/openapi.test.ts", "test/tidy.test.ts"]),
  );
  expect(long).toContain("test/capture/oracle.long.test.ts");
  expect((await relatedTests(ROOT, "src/replicas/chat/store/pins.ts"))[1]).toContain(
    "test/replicas/chat/items.test.ts",
  );
  expect((await relatedTests(ROOT, "src/platform/environments/actions.ts"))[2]).toContain(
    "test/platform/counterparts/after.test.ts",
  );
});

test.each([
  [
    "test/a.test.ts:\n(pass) one\n\ntest/b.test.ts:\n(fail) two\n\ntest/c.test.ts:\n",
    "test/b.test.ts",
  ],
  ["test/a.test.ts:\nerror: text\n", "test/a.test.ts"],
  ["", ""],
])("the file that fails is the last one that is named before a failed test: %j", (report, file) => {
  expect(failingFile(report)).toBe(file);
});
