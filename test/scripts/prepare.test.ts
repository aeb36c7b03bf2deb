import { expect, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";

test("an interrupted installation is repeated", async () => {
  const project = await mkdtemp(join(tmpdir(), "diorama-"));
  for (const script of ["bun", "prepare"])
    await cp(join(import.meta.dir, "../../scripts", script), join(project, "scripts", script));
  await Bun.write(join(project, "part/package.json"), '{ "name": "part", "main": "index.js" }');
  await Bun.write(join(project, "part/index.js"), "module.exports = 'there';");
  const dependencies = { part: "file:./part" };
  await Bun.write(join(project, "package.json"), JSON.stringify({ name: "whole", dependencies }));
  await $`bun install`.cwd(project).quiet();
  const use = () => $`./scripts/bun -p 'require("part")'`.cwd(project).quiet().nothrow().text();
  expect(await use()).toBe("there\n");

  await $`rm -r node_modules && mkdir node_modules`.cwd(project);

  expect(await use()).toBe("there\n");
  await rm(project, { recursive: true });
});
