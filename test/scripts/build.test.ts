import { expect, test } from "bun:test";
import { join } from "node:path";
import { version } from "../../package.json";
import { run } from "../support/packages";

test("the version of a build where there is no git is the package's", async () => {
  const script = join(import.meta.dir, "../../scripts/build.ts");
  const code = `console.log(await (await import(${JSON.stringify(script)})).stamp())`;

  const printed = await run([process.execPath, "-e", code], { env: { PATH: "/nowhere" } });

  expect(printed).toBe(version);
});
