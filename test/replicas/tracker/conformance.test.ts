/** Every document that the official clients send fits the schema that the running server shows. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useDatabase } from "../../support/database";
import { useTracker } from "../../support/tracker";

const tracker = useTracker(useDatabase(), "tracker_base");
const ROOT = join(import.meta.dir, "../../..");
const TOOLS = join(ROOT, "../shared/tools");
const MINUTE = 60_000;

async function run(...args: string[]): Promise<string> {
  const child = Bun.spawn(["bun", ...args], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const output = `${await new Response(child.stdout).text()}${await new Response(child.stderr).text()}`;
  expect({ code: await child.exited, output: output.slice(-4_000) }).toMatchObject({ code: 0 });
  return output;
}

const validate = (sdk: string, ...more: string[]) =>
  run(
    join(TOOLS, "linear-conformance.mjs"),
    tracker.url,
    "--header",
    `X-API-Key: ${tracker.key}`,
    "--sdk",
    join(ROOT, "node_modules", sdk),
    "--min-core",
    "100",
    "--min-all",
    "100",
    ...more,
  );

describe("the schema takes all documents of", () => {
  test.each([
    ["SDK 98", "@linear/sdk", 674],
    ["SDK 86", "linear86", 641],
    ["SDK 58", "linear58", 540],
  ])(
    "%s",
    async (_version, sdk, documents) => {
      expect(await validate(sdk)).toMatch(
        new RegExp(`all operations +${documents} / +${documents} `),
      );
    },
    MINUTE,
  );
});

test(
  "its fields, arguments, inputs and enums are those of the reference",
  async () => {
    const reference = join(mkdtempSync(join(tmpdir(), "diorama-")), "reference.graphql");
    const modules = join(ROOT, "node_modules");
    await run(
      join(TOOLS, "linear-derive-sdl.mjs"),
      ...["--sdk", join(modules, "@linear/sdk")],
      ...["--typescript", join(modules, "typescript5")],
      ...["--out", reference],
    );

    const output = await validate("@linear/sdk", "--reference", reference);
    const [, audit = ""] = output.split("audit against reference");

    expect(audit.match(/100\.00 %/g)).toHaveLength(5);
    expect(audit).toContain("type mismatches 0, nullability differences 0");
  },
  MINUTE,
);
