/** The entries for vitest and jest: installed into a project with the runners themselves. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildTypeScript } from "../../../scripts/clients";
import { useDatabase } from "../../support/database";
import { run } from "../../support/packages";
import { useProgram } from "../../support/program";

const MINUTES = 4 * 60_000;
const RUNNERS = {
  "@slack/web-api": "8.2.0",
  "@jest/globals": "30.5.2",
  jest: "30.5.2",
  vitest: "4.1.12",
};

const program = useProgram(useDatabase(), { ENVIRONMENT_POOL_TARGETS: "chat_default:4" });
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "diorama-runners-"));
  const diorama = await buildTypeScript(folder);
  const dependencies = { ...RUNNERS, diorama };
  await Bun.write(join(folder, "package.json"), JSON.stringify({ dependencies }));
  await run(["bun", "install", "--silent"], { cwd: folder });
}, MINUTES);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The same tests for both, of which some fail. */
const CASES = `
const test = dioramaTest("chat_default", { as: "U01AGENTONE" });
const greet = (diorama, text) => diorama.slack().chat.postMessage({ channel: "C01GENERAL", text });

test("passes", async ({ diorama }) => {
  await greet(diorama, "Hello");
  const diff = await diorama.diff();
  expect(diff).toHaveAdded("messages", { text: /hello/i, channel_id: expect.stringContaining("C01") });
  expect(diff).not.toHaveAdded("messages", { text: "Bye" });
  expect(diff).not.toHaveRemoved("messages");
  expect(diff).toBeDiff({ inserts: [{ __table__: "messages", text: "Hello" }] });
});
test("lacks a row", async ({ diorama }) => {
  await greet(diorama, "Hi");
  expect(await diorama.diff()).toHaveAdded("messages", { text: "Hello" });
});
test("throws", async ({ diorama }) => {
  await greet(diorama, "Bye");
  throw new Error("broken");
});
`;

async function play(command: readonly string[]): Promise<{ code: number; out: string }> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...process.env, DIORAMA_URL: program.url, NO_COLOR: "1", FORCE_COLOR: "0", CI: "1" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out: out + err };
}

describe.each([
  [
    "vitest",
    "vitest.test.mjs",
    'import { expect } from "vitest";\nimport { dioramaTest } from "diorama/vitest";',
    ["node_modules/.bin/vitest", "run", "--testTimeout=60000", "vitest.test.mjs"],
  ],
  [
    "jest",
    "jest.test.js",
    'const { dioramaTest } = require("diorama/jest");\nconst { expect } = require("@jest/globals");',
    ["node_modules/.bin/jest", "--testTimeout=60000", "jest.test.js"],
  ],
] as const)("%s", (_name, file, imports, command) => {
  test(
    "passes and fails tests, whose report says what changed, and leaves no environment",
    async () => {
      await Bun.write(join(folder, file), `${imports}\n${CASES}`);

      const { code, out } = await play(command);

      expect(out).toMatch(/Tests: +2 failed, 1 passed|Tests +2 failed \| 1 passed/);
      expect(code).toBe(1);
      expect(out).toContain('missing in inserts: {"__table__":"messages","text":"Hello"}');
      expect(out).toContain('the nearest has {"text":"Hi"}');
      expect(out).toMatch(/Diorama diff:\n *\+ messages \{"channel_id":"C01GENERAL".*"text":"Hi"/);
      expect(out).toMatch(/Diorama calls:\n *1\. chat\.postMessage \{.*"Bye".*\} → 200/);
      expect(out).toMatch(
        new RegExp(`Diorama run:\\n *${program.url}/console/runs/[0-9a-f]{32}\\n`),
      );
      const { runs } = (await program.get("/runs?limit=3")).body;
      expect(runs.map(({ labels }: any) => labels)).toContainEqual({
        test: expect.stringMatching(/lacks a row$/),
      });
      const { environments } = (await program.get("/environments?status=active")).body;
      expect(environments).toEqual([]);
    },
    MINUTES,
  );
});

test(
  "the matchers and the fixture have types in both",
  async () => {
    const typed = `
test("typed", async ({ diorama }) => {
  const url: string = diorama.mcp.url;
  expect(await diorama.diff()).toHaveAdded("messages", { text: url });
  expect(await diorama.diff()).toBeDiff();
  // @ts-expect-error: a table is needed
  expect(await diorama.diff()).toHaveRemoved();
  // @ts-expect-error: an unknown field
  expect(await diorama.diff()).toBeDiff({ insert: [] });
});
// @ts-expect-error: an unknown option
dioramaTest("chat_default", { user: "U01AGENTONE" });
`;
    const head = 'const test = dioramaTest("chat_default", { as: "U01AGENTONE", ttlSeconds: 60 });';
    const files = {
      "vitest.mts": `import { expect } from "vitest";\nimport { dioramaTest } from "diorama/vitest";\n${head}${typed}`,
      "jest.cts": `import { expect } from "@jest/globals";\nimport { dioramaTest } from "diorama/jest";\n${head}${typed}`,
    };
    for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);

    await run(
      [
        join(import.meta.dir, "../../../node_modules/typescript5/bin/tsc"),
        ...Object.keys(files),
        ...["--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext"],
        ...["--target", "es2022", "--lib", "es2022,esnext.disposable,dom"],
      ],
      { cwd: folder },
    );
  },
  MINUTES,
);
