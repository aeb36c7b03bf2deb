/** The npm package: installed into an empty project, checked strictly and run by Node. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildTypeScript } from "../../../scripts/clients";
import { useDatabase } from "../../support/database";
import { run } from "../../support/packages";
import { useProgram } from "../../support/program";

const MINUTE = 60_000;
const README = join(import.meta.dir, "../../../src/clients/typescript/README.md");

const program = useProgram(useDatabase());
let tarball = "";
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "diorama-package-"));
  tarball = await buildTypeScript(folder);
}, MINUTE);
afterAll(() => rm(folder, { recursive: true }));

/** An empty project with the package and others. */
async function project(name: string, dependencies: Record<string, string>): Promise<string> {
  const cwd = join(folder, name);
  await Bun.write(
    join(cwd, "package.json"),
    JSON.stringify({ type: "module", dependencies: { ...dependencies, diorama: tarball } }),
  );
  await run(["bun", "install", "--silent"], { cwd });
  return cwd;
}

/** Strictly, the declarations of packages included. Writes main.js. */
const compile = (cwd: string, ...options: string[]) =>
  run(
    [
      ...[
        join(import.meta.dir, "../../../node_modules/typescript5/bin/tsc"),
        "main.ts",
        "--strict",
      ],
      ...["--module", "nodenext", "--target", "es2022", "--lib", "es2022,esnext.disposable,dom"],
      ...options,
    ],
    { cwd },
  );

/** The first example of the README. */
async function example(): Promise<string> {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(await Bun.file(README).text()) ?? [];
  return code;
}

describe("the package", () => {
  test(
    "runs the README's example under Node, beside the official clients",
    async () => {
      const cwd = await project("full", { "@slack/web-api": "8.2.0", "@linear/sdk": "98.0.0" });
      await Bun.write(join(cwd, "main.ts"), await example());

      await compile(cwd, "--skipLibCheck");
      const env = { ...process.env, DIORAMA_URL: program.url };
      const printed = await run(["node", "main.js"], { cwd, env });

      expect(printed).toContain("__table__: 'messages'");
      expect(printed).toContain("text: 'Hello'");
    },
    3 * MINUTE,
  );

  test(
    "has types that pass a strict check without the official clients",
    async () => {
      const cwd = await project("bare", {});
      await Bun.write(
        join(cwd, "main.ts"),
        `import { diorama, type Diff, type Suite } from "diorama";
         const env = await diorama.env("chat_default", { as: "U01AGENTONE", ttlSeconds: 60 });
         const { diff }: { diff: Diff } = await env.run(async () => 1);
         const suite: Suite = diorama.suite("Chat benchmark");
         // @ts-expect-error: an unknown option
         await diorama.env("chat_default", { ttl: 60 });
         console.log(diff.inserts, env.mcp.url, suite);`,
      );

      await compile(cwd);
    },
    MINUTE,
  );

  test(
    "names an official client that is missing",
    async () => {
      const cwd = await project("missing", {});
      await Bun.write(
        join(cwd, "main.js"),
        `import { diorama } from "diorama";
         const env = await diorama.env("chat_default", { as: "U01AGENTONE" });
         try { env.slack(); } catch (error) { console.log(error.message); }`,
      );
      const env = { ...process.env, DIORAMA_URL: program.url };

      const printed = await run(["node", "main.js"], { cwd, env });

      expect(printed).toBe("@slack/web-api is not installed: npm install @slack/web-api");
    },
    MINUTE,
  );
});
