import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Spec } from "~/evaluation/spec";
import { Count, Id, Kind, KindName, Timestamp, UserId } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";
import { Counterparts } from "~/platform/counterparts/model";
import { Faults } from "~/platform/faults/model";
import { NewEventApps } from "~/platform/outbox/model";
import { Description, TemplateName, TemplateRef, Visibility } from "~/platform/templates/model";

const TESTS_MAX = 1_000;
const PROMPT_MAX = 64_000;

const Name = t.String({ minLength: 1, maxLength: 255 });
export const TestName = t.String({ ...Name, examples: ["Say hello"] });
export const SuiteName = t.String({ ...Name, examples: ["First steps"] });
const Prompt = t.String({
  minLength: 1,
  maxLength: PROMPT_MAX,
  description: "The task for the agent",
  examples: ["Say hello in #general."],
});

/** In a path, where a slash is `%2F`. Looked up without validation: what is no reference is not found. */
export const SuiteRef = t.String({
  documented: t.String({
    description:
      "Id of the suite; name or slug of an own or a built-in one (`chat-benchmark`); or the id of its owner, a slash and its name",
    examples: Id["examples"],
  }),
});

/** Checked against the tables of the test's template; errors name the path of the first mistake. */
export const ExpectedOutput = t.Unknown({ documented: Spec });

const Surfaces = t.Array(t.Union([t.Literal("api"), t.Literal("mcp")], { title: "Surface" }), {
  uniqueItems: true,
  minItems: 1,
  maxItems: 2,
  description:
    "How the test can be solved: through the service's own API, through its tools over MCP. Unknown if absent",
  examples: [["api", "mcp"]],
});

const ofEnvironments = {
  description:
    "Of the environments that are created for it, unless initEnv names others. Omitted: none",
};
const TestFaults = { ...Faults, ...ofEnvironments, minItems: 1 };
const TestCounterparts = { ...Counterparts, ...ofEnvironments, minItems: 1 };
const TestEvents = { ...NewEventApps, ...ofEnvironments };

const ACCEPTED_MAX = 200;
const Audit = t.Object(
  {
    accept: t.Array(
      t.Object(
        {
          mutant: t.String({
            minLength: 1,
            maxLength: 300,
            description: "Its name, in which `*` stands for anything",
            examples: ["extra_column messages+1.*"],
          }),
          reason: t.String({
            minLength: 1,
            maxLength: 1_000,
            description: "Why it is as good as the solution; for people",
            examples: ["The prompt leaves it open"],
          }),
        },
        { title: "AcceptedMutant", description: "A mutant that is as good as the solution" },
      ),
      { maxItems: ACCEPTED_MAX, description: "Mutants that may pass" },
    ),
  },
  { title: "TestAuditing", description: "For the audit of the suite; has no effect on verdicts" },
);
export type TestAuditing = Static<typeof Audit>;

export const NewTest = t.Object(
  {
    name: TestName,
    prompt: Prompt,
    expectedOutput: ExpectedOutput,
    templateName: t.Optional(
      t.String({ ...TemplateRef, description: "In place of the suite's template" }),
    ),
    impersonateUserId: t.Optional(
      t.String({ ...UserId, description: "In place of the suite's user" }),
    ),
    surfaces: t.Optional(Surfaces),
    faults: t.Optional(TestFaults),
    counterparts: t.Optional(TestCounterparts),
    events: t.Optional(TestEvents),
    audit: t.Optional(Audit),
  },
  {
    title: "NewTest",
    description: "A task for an agent, and the expected changes",
  },
);
export type NewTest = Static<typeof NewTest>;

/** The body of a suite's creation, its export, and the shape of `seeds/suites`. */
export const NewSuite = t.Object(
  {
    name: SuiteName,
    description: t.Optional(Description),
    templateService: KindName,
    templateName: TemplateRef,
    impersonateUserId: t.Optional(UserId),
    visibility: t.Optional(Visibility),
    tests: t.Optional(t.Array(NewTest, { maxItems: TESTS_MAX, description: "Its first tests" })),
  },
  { title: "NewTestSuite", description: "A group of tests that share a template" },
);
export type NewSuite = Static<typeof NewSuite>;

export const SuiteChange = t.Object(
  {
    name: t.Optional(SuiteName),
    description: t.Optional(Description),
    templateName: t.Optional(TemplateRef),
    impersonateUserId: t.Optional(
      t.Nullable(UserId, { description: "Null: tests name their users themselves" }),
    ),
    visibility: t.Optional(Visibility),
  },
  { title: "TestSuiteChange", description: "The fields to change" },
);
export type SuiteChange = Static<typeof SuiteChange>;

const own = (schema: typeof UserId, what: string) =>
  t.Optional(
    t.Nullable(schema, { description: `In place of the suite's ${what}; null: the suite's` }),
  );

export const TestChange = t.Object(
  {
    name: t.Optional(TestName),
    prompt: t.Optional(Prompt),
    expectedOutput: t.Optional(ExpectedOutput),
    templateName: own(TemplateRef, "template"),
    impersonateUserId: own(UserId, "user"),
    surfaces: t.Optional(t.Nullable(Surfaces, { description: "Null: unknown" })),
    faults: t.Optional(t.Nullable(TestFaults, { description: "Null: none" })),
    counterparts: t.Optional(t.Nullable(TestCounterparts, { description: "Null: none" })),
    events: t.Optional(t.Nullable(TestEvents, { description: "Null: none" })),
    audit: t.Optional(t.Nullable(Audit, { description: "Null: none" })),
  },
  { title: "TestChange", description: "The fields to change" },
);
export type TestChange = Static<typeof TestChange>;

export const DeletedSuite = t.Object(
  { suiteId: Id, status: t.Literal("deleted") },
  { title: "DeletedTestSuite", description: "A suite that was deleted" },
);
export const DeletedTest = t.Object(
  { testId: Id, status: t.Literal("deleted") },
  { title: "DeletedTest", description: "A test that was deleted" },
);

export const Warnings = t.Optional(
  t.Array(t.String(), {
    description:
      "What may be a mistake in the new specs, such as ids that the template does not have",
    examples: [[]],
  }),
);

export const CreatedSuite = t.Object(
  { suiteId: Id, name: SuiteName, warnings: Warnings },
  { title: "CreatedTestSuite", description: "The new suite" },
);

export const Test = t.Object(
  {
    id: Id,
    name: TestName,
    prompt: Prompt,
    expectedOutput: ExpectedOutput,
    templateName: t.Optional(
      t.String({ ...TemplateName, description: "In place of the suite's template" }),
    ),
    impersonateUserId: t.Optional(
      t.String({ ...UserId, description: "In place of the suite's user" }),
    ),
    surfaces: t.Optional(Surfaces),
    faults: t.Optional(TestFaults),
    counterparts: t.Optional(TestCounterparts),
    events: t.Optional(TestEvents),
    audit: t.Optional(Audit),
  },
  { title: "Test", description: "A task for an agent, and the expected changes" },
);
export type Test = Static<typeof Test>;

export const NewTests = t.Object(
  {
    tests: t.Array(NewTest, {
      minItems: 1,
      maxItems: TESTS_MAX,
      description: "All are stored, or none",
    }),
  },
  { title: "NewTests", description: "Tests to add to a suite" },
);

export const AddedTests = t.Object(
  {
    suiteId: Id,
    tests: t.Array(Test, { description: "Those that were added" }),
    testCount: Type.Integer({ ...Count, description: "All tests of the suite" }),
    warnings: Warnings,
  },
  { title: "AddedTests", description: "The tests as they are stored" },
);

const Impersonated = t.Nullable(UserId, { description: "The user that agents act as by default" });

export const SingleTest = t.Object(
  {
    ...Test.properties,
    renderedPrompt: t.String({
      description: "The prompt as an agent gets it, with the time of a new environment",
      examples: ["It is Tuesday 10 March 2026, 09:00 UTC. Say hello in #general."],
    }),
    suiteId: Id,
    templateService: Kind,
    templateName: TemplateName,
    impersonateUserId: Impersonated,
  },
  { title: "TestDetails", description: "A test, with the template and user of its suite" },
);

export const Suite = t.Object(
  {
    id: Id,
    name: SuiteName,
    description: Description,
    templateService: Kind,
    templateName: TemplateName,
    impersonateUserId: Impersonated,
    visibility: Visibility,
    testCount: Type.Integer({ ...Count, description: "Number of its tests" }),
    createdAt: Timestamp,
  },
  { title: "TestSuite", description: "A group of tests that share a template" },
);

export const SuiteQuery = t.Object({
  name: t.Optional(t.String({ maxLength: 255, description: "Part of the name, in any case" })),
  visibility: t.Optional(Visibility),
  ...PageQuery,
});
export type SuiteQuery = Static<typeof SuiteQuery>;

export const SuiteList = t.Object(
  { testSuites: t.Array(Suite, { description: "One page" }), nextCursor: NextCursor },
  { title: "TestSuiteList", description: "A page of suites, newest first, without their tests" },
);

export const OneSuite = t.Object(
  {
    id: Id,
    name: SuiteName,
    description: Description,
    testCount: t.Optional(
      Type.Integer({ ...Count, description: "Number of its tests; when not expanded" }),
    ),
    templateService: t.Optional(t.String({ ...Kind, description: "When expanded" })),
    templateName: t.Optional(t.String({ ...TemplateName, description: "When expanded" })),
    impersonateUserId: t.Optional(t.Nullable(UserId, { description: "When expanded" })),
    tests: t.Optional(t.Array(Test, { description: "When expanded" })),
  },
  {
    title: "TestSuiteDetails",
    description: "A suite; when expanded, with its tests",
    examples: [
      { id: Id["examples"][0], name: "First steps", description: "For a start", testCount: 1 },
    ],
  },
);

export const AssertionSchema = t.Record(t.String(), t.Unknown(), {
  title: "AssertionSchema",
  description: "A JSON Schema",
  examples: [{ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" }],
});

/** Of a query string. */
const Expand = Type.Boolean({ default: false, description: "Whether the answer has the tests" });
export const OneSuiteQuery = t.Object({
  expand: t.Optional(
    // `tests` is what the SDK agent-diff sends.
    t.Union([t.Literal("true"), t.Literal("false"), t.Literal("tests")], { documented: Expand }),
  ),
});
