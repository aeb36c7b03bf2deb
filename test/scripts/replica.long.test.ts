/** The scaffold of a service, in a copy of the project: every check of the project passes on it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const COPIED = [
  ...["package.json", "tsconfig.json", "bunfig.toml", "biome.json", ".gitignore", ".github"],
  ...["README.md", "Dockerfile", "LICENSE", "scripts", "seeds", "src", "test"],
];
const SERVICE = "billing";
/** The compiler reads every source, on a machine that may be busy. */
const CHECKS_MS = 300_000;
/** With a Postgres of their own. */
const TESTS_MS = 600_000;

let copy: string;

function run(...command: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: copy });
  return { exitCode, output: `${stdout}${stderr}` };
}
const scaffold = (name: string) =>
  run(process.execPath, join(ROOT, "scripts/replica.ts"), name, "--root", copy);

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "diorama-replica-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  expect(scaffold(SERVICE)).toMatchObject({ exitCode: 0 });
}, CHECKS_MS);
afterAll(() => {
  rmSync(copy, { recursive: true });
});

describe("the scaffold of a service", () => {
  test.each([
    ["the compiler", ["tsc"]],
    ["the compiler of the console", ["tsc", "-p", "src/console"]],
    [
      "the linter",
      ["biome", "ci", "src/replicas", "src/console/services", "seeds", "test/replicas"],
    ],
  ])(
    "passes %s, its tests included",
    (_case, [tool = "", ...args]) => {
      const tested = run(process.execPath, "--bun", `node_modules/.bin/${tool}`, ...args);

      expect(tested).toMatchObject({ exitCode: 0 });
    },
    CHECKS_MS,
  );

  test(
    "passes its own tests, and every test that reads all services",
    () => {
      const files = [
        ...[`test/replicas/${SERVICE}`, "test/replicas/services.test.ts", "test/tidy.test.ts"],
        ...["test/http/openapi.test.ts", "test/http/control.test.ts", "test/http/mcp.test.ts"],
        ...["test/docs", "test/scripts/rows.test.ts"],
      ];

      const { exitCode, output } = run(process.execPath, "test", "--timeout", "60000", ...files);

      for (const own of ["notes > are listed in pages", "a tool creates a note, over MCP"])
        expect(output).toContain(`(pass) ${own}`);
      expect({ exitCode, failed: output.match(/^\(fail\).*/gm) }).toEqual({
        exitCode: 0,
        failed: null,
      });
    },
    TESTS_MS,
  );

  test("is in the lists of services, of seeds and of the console", async () => {
    const { REPLICAS } = await import(join(copy, "src/replicas/index.ts"));
    const { SEEDS } = await import(join(copy, "seeds/index.ts"));
    const { KINDS } = await import(join(copy, "src/console/services/records.ts"));

    expect([...REPLICAS.keys()]).toEqual(["chat", "tracker", "mail", "calendar", SERVICE]);
    expect(KINDS).toEqual(["chat", "tracker", "mail", "calendar", SERVICE, "world"]);
    expect(SEEDS).toContainEqual(expect.objectContaining({ template: `${SERVICE}_default` }));
  });

  test("works twice", () => {
    expect(scaffold("notes")).toMatchObject({ exitCode: 0 });
  });
});

test.each([
  ["a name that is taken", "chat", "src/replicas/chat exists already"],
  ["the name of the kit", "kit", "src/replicas/kit exists already"],
  ["a name that is no identifier", "../billing", "usage: bun scripts/replica.ts NAME"],
])("rejects %s", (_case, name, problem) => {
  const { exitCode, output } = scaffold(name);

  expect(exitCode).toBe(64);
  expect(output).toContain(problem);
});
