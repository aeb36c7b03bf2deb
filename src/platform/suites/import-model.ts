import { type Static, t } from "elysia";
import { Id } from "~/http/model";
import { NewSuite, SuiteName, TestName, Warnings } from "~/platform/suites/model";

export const SuiteImport = t.Object(
  {
    ...NewSuite.properties,
    prune: t.Optional(
      t.Boolean({ default: false, description: "Whether to delete tests that are not given" }),
    ),
  },
  {
    title: "TestSuiteImport",
    description: "A suite and all its tests; without a visibility, an existing suite keeps its own",
  },
);
export type SuiteImport = Static<typeof SuiteImport>;

const names = (description: string, ...examples: string[]) =>
  t.Array(TestName, { description, examples: [examples] });
export const ImportedSuite = t.Object(
  {
    suiteId: Id,
    name: SuiteName,
    outcome: t.Union([t.Literal("created"), t.Literal("changed"), t.Literal("unchanged")], {
      description: "Of the suite with its tests",
      examples: ["changed"],
    }),
    tests: t.Object(
      {
        created: names("New tests", "Say hello"),
        changed: names("Tests that differed; they keep their ids"),
        unchanged: names("Tests that were as given"),
        removed: names("Tests that were not given, with `prune`"),
        kept: names("Tests that were not given, without `prune`"),
      },
      { description: "Names of tests, each once" },
    ),
    warnings: Warnings,
  },
  { title: "ImportedTestSuite", description: "The effect of the import" },
);
export type ImportedSuite = Static<typeof ImportedSuite>;
