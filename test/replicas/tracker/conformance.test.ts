/** Every document of the official clients is valid in the schema of the running server. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSchema, type GraphQLSchema, isObjectType } from "graphql";
import { trackerSchema } from "~/replicas/tracker/schema";
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

const folder = () => mkdtempSync(join(tmpdir(), "diorama-"));

const validate = (sdk: string, ...more: string[]) =>
  run(
    join(TOOLS, "linear-conformance.mjs"),
    tracker.url,
    "--header",
    `X-API-Key: ${tracker.key}`,
    "--sdk",
    join(ROOT, "node_modules", sdk),
    ...more,
  );

type Report = {
  readonly operations: readonly { readonly key: string; readonly errors: string[] }[];
};

/** Types that the service has changed since: calls with access keys, and what removing a pipeline returns. */
const CHANGED_SINCE_86 = [
  "DeleteReleasePipelineDocument",
  "LatestReleaseByAccessKeyDocument",
  "LatestReleaseByAccessKey_DocumentsDocument",
  "LatestReleaseByAccessKey_HistoryDocument",
  "LatestReleaseByAccessKey_IssuesDocument",
  "LatestReleaseByAccessKey_LinksDocument",
  "RecentReleasesByAccessKeyDocument",
  "ReleaseCompleteByAccessKeyDocument",
  "ReleasePipelineByAccessKeyDocument",
  "ReleasePipelineByAccessKey_ReleasesDocument",
  "ReleasePipelineByAccessKey_StagesDocument",
  "ReleasePipelineByAccessKey_TeamsDocument",
  "ReleaseSyncByAccessKeyDocument",
  "ReleaseUpdateByPipelineByAccessKeyDocument",
];
/** The types of relations of initiatives, and an argument that the service requires since. */
const CHANGED_SINCE_58 = [
  "InitiativeRelationDocument",
  "IntegrationSalesforceDocument",
  "UpdateInitiativeRelationDocument",
];

const fieldsOf = (schema: GraphQLSchema, type: string) => {
  const found = schema.getType(type);
  return isObjectType(found) ? Object.keys(found.getFields()) : [];
};

describe("the schema accepts all documents, except those that the service itself rejects now, of", () => {
  test.each([
    ["SDK 98", "@linear/sdk", 674, []],
    ["SDK 86", "linear86", 641, CHANGED_SINCE_86],
    ["SDK 58", "linear58", 540, CHANGED_SINCE_58],
  ] as const)(
    "%s",
    async (_version, sdk, documents, changed) => {
      const path = join(folder(), "report.json");
      await validate(sdk, "--json", path);
      const { operations }: Report = await Bun.file(path).json();

      expect(operations).toHaveLength(documents);
      expect(
        operations.flatMap(({ key, errors }) => (errors.length > 0 ? [key] : [])).toSorted(),
      ).toEqual([...changed]);
    },
    MINUTE,
  );
});

/** The SDK's type generator writes these names with other capitals than the service. */
const named = (sdl: string) =>
  sdl.replace(/\b(Issue|EntityIdentifier|)IdComparator\b/g, "$1IDComparator");

test(
  "its fields, arguments, inputs and enums are those of the reference",
  async () => {
    const reference = join(folder(), "reference.graphql");
    const modules = join(ROOT, "node_modules");
    await run(
      join(TOOLS, "linear-derive-sdl.mjs"),
      ...["--sdk", join(modules, "@linear/sdk")],
      ...["--typescript", join(modules, "typescript5")],
      ...["--out", reference],
    );
    const sdl = named(await Bun.file(reference).text());
    await Bun.write(reference, sdl);

    const output = await validate("@linear/sdk", "--reference", reference);
    const [, audit = ""] = output.split("audit against reference");

    expect(audit.match(/100\.00 %/g)).toHaveLength(5);
    expect(audit).toContain("type mismatches 0, nullability differences 0");
    const [theirs, ours] = [buildSchema(sdl, { assumeValidSDL: true }), trackerSchema()];
    for (const root of ["Query", "Mutation"])
      expect(fieldsOf(theirs, root).filter((name) => !fieldsOf(ours, root).includes(name))).toEqual(
        [],
      );
  },
  MINUTE,
);
