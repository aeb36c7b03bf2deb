import { type Static, t } from "elysia";
import { EXPECTED_OUTPUT } from "~/evaluation/spec";
import { Count, ServiceName, Timestamp } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";
import { Visibility } from "~/platform/templates/model";

export const TESTS_MAX = 1_000;
const PROMPT_MAX = 64_000;

const Name = t.String({ minLength: 1, maxLength: 255 });
const Described = t.String({ maxLength: 10_000 });

/** Checked against the tables of the test's template, with the place of the first mistake. */
export const ExpectedOutput = t.Unknown({ title: EXPECTED_OUTPUT });

export const NewTest = t.Object({
  name: Name,
  prompt: t.String({ minLength: 1, maxLength: PROMPT_MAX }),
  expectedOutput: ExpectedOutput,
  templateName: t.Optional(t.String({ ...Name, description: "In place of the suite's" })),
  impersonateUserId: t.Optional(t.String({ ...Name, description: "In place of the suite's" })),
});
export type NewTest = Static<typeof NewTest>;

/** The body of a suite's creation, its export, and the shape of `seeds/suites`. */
export const NewSuite = t.Object({
  name: Name,
  description: t.Optional(Described),
  templateService: ServiceName,
  templateName: Name,
  impersonateUserId: t.Optional(Name),
  visibility: t.Optional(Visibility),
  tests: t.Optional(t.Array(NewTest, { maxItems: TESTS_MAX })),
});
export type NewSuite = Static<typeof NewSuite>;

export const CreatedSuite = t.Object({ suiteId: t.String(), name: t.String() });

export const Test = t.Object({
  id: t.String(),
  name: t.String(),
  prompt: t.String(),
  expectedOutput: ExpectedOutput,
  templateName: t.Optional(t.String()),
  impersonateUserId: t.Optional(t.String()),
});
export type Test = Static<typeof Test>;

export const NewTests = t.Object({
  tests: t.Array(NewTest, { minItems: 1, maxItems: TESTS_MAX }),
});

export const AddedTests = t.Object({
  suiteId: t.String(),
  tests: t.Array(Test),
  testCount: Count,
});

export const SingleTest = t.Object({
  ...Test.properties,
  suiteId: t.String(),
  templateService: t.String(),
  templateName: t.String(),
  impersonateUserId: t.Nullable(t.String()),
});

export const Suite = t.Object({
  id: t.String(),
  name: t.String(),
  description: t.String(),
  templateService: t.String(),
  templateName: t.String(),
  impersonateUserId: t.Nullable(t.String()),
  visibility: Visibility,
  testCount: Count,
  createdAt: Timestamp,
});

export const SuiteQuery = t.Object({
  name: t.Optional(
    t.String({ maxLength: 255, description: "Part of the name, whatever the case" }),
  ),
  visibility: t.Optional(Visibility),
  ...PageQuery,
});
export type SuiteQuery = Static<typeof SuiteQuery>;

export const SuiteList = t.Object({ testSuites: t.Array(Suite), nextCursor: NextCursor });

export const OneSuite = t.Object({
  id: t.String(),
  name: t.String(),
  description: t.String(),
  testCount: t.Optional(t.Number({ ...Count, description: "When not expanded" })),
  templateService: t.Optional(t.String({ description: "When expanded, as what follows" })),
  templateName: t.Optional(t.String()),
  impersonateUserId: t.Optional(t.Nullable(t.String())),
  tests: t.Optional(t.Array(Test)),
});
