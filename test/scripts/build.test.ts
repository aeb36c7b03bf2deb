import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { run } from "../support/packages";

const ROOT = join(import.meta.dir, "../..");
const linesOf = async (file: string) => (await Bun.file(join(ROOT, file)).text()).split("\n");

test("what the Dockerfile copies exists, and is not ignored", async () => {
  const copied = (await linesOf("Dockerfile"))
    .filter((line) => line.startsWith("COPY ") && !line.includes("--from"))
    .flatMap((line) => line.split(" ").slice(1, -1));
  const sent = (await linesOf(".dockerignore")).map((line) => line.replace("!", ""));

  expect(copied).toContain("scripts/task");
  for (const path of copied) {
    expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
    expect(sent).toContain(path.split("/")[0] ?? "");
  }
});

test("the version of a build where there is no git is the package's", async () => {
  const script = join(ROOT, "scripts/build.ts");
  const code = `console.log(await (await import(${JSON.stringify(script)})).stamp())`;

  const printed = await run([process.execPath, "-e", code], { env: { PATH: "/nowhere" } });

  expect(printed).toBe(version);
});
