import { describe, expect, spyOn, test } from "bun:test";
import { dirname } from "node:path";
import { type Command, CommanderError } from "commander";
import { createCommandLine } from "~/commands/command-line";
import { MAIN } from "../support/commands";

/** Runs a command line in this process; returns its output and effects. */
async function run(...words: string[]) {
  const printed: string[] = [];
  const done: unknown[] = [];
  const spies = [
    spyOn(console, "log").mockImplementation((text) => void printed.push(text)),
    spyOn(console, "error").mockImplementation((text) => void printed.push(text)),
  ];
  const line = createCommandLine({
    env: {},
    serve: async () => void done.push("serve"),
    interruption: () => AbortSignal.abort(),
    endWith: (code) => done.push(code),
  });
  const error = await line.parseAsync(words, { from: "user" }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  for (const spy of spies) spy.mockRestore();
  if (error !== undefined && !(error instanceof CommanderError)) throw error;
  return { printed: printed.join("\n"), done, exitCode: error?.exitCode };
}

/** Every command, as its words. */
function names(command: Command, path: readonly string[] = []): string[][] {
  return [[...path], ...command.commands.flatMap((each) => names(each, [...path, each.name()]))];
}
const context = { env: {}, serve: async () => {}, interruption: () => AbortSignal.abort() };
const all = names(createCommandLine({ ...context, endWith: () => {} }));

describe("help", () => {
  test("exists for each command", () => {
    expect(all.map((path) => path.join(" "))).toEqual([
      "",
      "serve",
      "task",
      "task finish",
      "health",
      "doctor",
      "keys",
      "keys create",
      "keys list",
      "keys revoke",
      "capture",
      "capture status",
      "capture drop-slot",
      "licenses",
      "suites",
      "suites run",
      "suites list",
      "suites results",
      "suites audit",
      "suites export",
      "suites import",
      "suites copy",
      "suites generate",
      "templates",
      "templates list",
      "templates export",
      "templates import",
      "templates copy",
      "templates generate",
      "env",
      "env list",
      "env create",
      "env delete",
      "env show",
      "env reset",
      "env fork",
      "env clock",
      "env faults",
      "env counterparts",
      "listen",
      "runs",
      "runs list",
      "runs show",
      "runs open",
      "runs export",
      "init",
      "setup",
      "mcp",
      "intercept",
      "version",
      "completion",
      "complete",
    ]);
  });

  test.each(all.flatMap((path) => [[[...path, "--help"]], [[...path, "-h"]]]))(
    "%p shows the help of the command, and does nothing else",
    async (words) => {
      const { printed, done, exitCode } = await run(...words);

      expect([exitCode, done]).toEqual([0, []]);
      expect(printed).toContain(`Usage: ${["diorama", ...words.slice(0, -1)].join(" ")} [`);
      expect(printed).toMatch(/\n\n[A-Z][^:]+\.\n/);
    },
  );

  test("of serve has the settings", async () => {
    const { printed } = await run("serve", "--help");
    expect(printed).toMatch(/\n {2}DATABASE_URL +PostgreSQL connection string/);
  });
});

test.each([
  [["serv"], "unknown command 'serv'\n(Did you mean serve?)"],
  [["keys", "lst"], "unknown command 'lst'\n(Did you mean list?)"],
  [["serve", "--prot", "1"], "unknown option '--prot'"],
  [["--hlep"], "unknown option '--hlep'\n(Did you mean --help?)"],
  [["keys", "create", "--user", "x", "--nam"], "unknown option '--nam'\n(Did you mean --name?)"],
  [["keys", "create"], "required option '--user <id>' not specified"],
  [
    ["keys", "create", "--user", "x", "--plan", "gold"],
    "Allowed choices are free, pro, enterprise",
  ],
  [["keys", "create", "--user", "x", "--days", "0"], "A number greater than 0 is needed"],
  [["keys", "revoke"], "missing required argument 'key-id'"],
  [["capture", "status", "now"], "too many arguments"],
  [["suites", "import", "f", "--visibility", "secret"], "Allowed choices are public, private"],
])("%p is reported, with the help", async (words, message) => {
  const { printed, done, exitCode } = await run(...words);

  expect(done).toEqual([]);
  expect(exitCode).toBe(1);
  expect(printed).toContain(message);
  expect(printed).toContain("Usage: diorama");
});

test("a command loads what a server needs only if it is one", async () => {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const scan = new Bun.Transpiler({ loader: "ts" });
  const load = async (file: string): Promise<void> => {
    if (seen.has(file) || !file.endsWith(".ts")) return;
    seen.add(file);
    for (const { kind, path } of scan.scanImports(await Bun.file(file).text())) {
      if (kind !== "import-statement") continue;
      if (path.startsWith("~/")) await load(Bun.resolveSync(path, dirname(file)));
      else packages.add(path);
    }
  };

  await load(MAIN);

  expect(seen.size).toBeGreaterThan(50);
  expect(packages).toContain("commander");
  for (const name of ["elysia", "graphql", "nodemailer"]) expect(packages).not.toContain(name);
});
