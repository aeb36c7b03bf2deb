import { Elysia, status, t } from "elysia";
import { schemaDocument } from "~/evaluation/spec";
import { failures } from "~/http/errors";
import { PathId } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { SuiteChanges } from "~/platform/suites/changes";
import { ImportedSuite, SuiteImport } from "~/platform/suites/import-model";
import {
  AddedTests,
  AssertionSchema,
  CreatedSuite,
  DeletedSuite,
  DeletedTest,
  NewSuite,
  NewTests,
  OneSuite,
  OneSuiteQuery,
  SingleTest,
  Suite,
  SuiteChange,
  SuiteList,
  SuiteQuery,
  SuiteRef,
  Test,
  TestChange,
} from "~/platform/suites/model";
import type { Suites } from "~/platform/suites/suites";

/** Errors of a suite's fields. */
const CODES = [
  "invalid_request",
  "invalid_assertion",
  "template_not_found",
  "impersonate_not_found",
  "request_too_large",
] as const;

export const suiteRoutes = (suites: Suites, changes: SuiteChanges) =>
  new Elysia({ tags: ["suites"] })
    .get("/testSuites", ({ request, query }) => suites.list(principalOf(request).userId, query), {
      query: SuiteQuery,
      response: { 200: SuiteList, ...failures("invalid_request") },
      detail: {
        operationId: "listTestSuites",
        summary: "List test suites",
        description: "Public ones and the caller's own, newest first.",
      },
    })
    .post(
      "/testSuites",
      async ({ request, body }) =>
        status(201, await suites.create(principalOf(request).userId, body)),
      {
        body: NewSuite,
        response: {
          201: CreatedSuite,
          ...failures(
            "invalid_request",
            "invalid_service",
            "invalid_assertion",
            "template_not_found",
            "impersonate_not_found",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "createTestSuite",
          summary: "Create a test suite",
          description: "With its tests, if given; stored as a whole or not at all.",
        },
      },
    )
    .get(
      "/testSuites/:suiteId",
      async ({ request, params: { suiteId }, query: { expand = "false" } }) => {
        const read = { false: "get", true: "getExpanded", tests: "getForAgentDiff" } as const;
        return Response.json(await suites[read[expand]](principalOf(request).userId, suiteId));
      },
      {
        params: t.Object({ suiteId: SuiteRef }),
        query: OneSuiteQuery,
        response: { 200: OneSuite, ...failures("invalid_request", "suite_not_found") },
        detail: {
          operationId: "getTestSuite",
          summary: "Get a test suite",
          description:
            "By its id; by its name or slug, among the caller's own suites and then the built-in ones; or as `owner/name`. Expanded, with its tests.",
        },
      },
    )
    .post(
      "/testSuites/import",
      ({ request, body }) => changes.import(principalOf(request).userId, body),
      {
        body: SuiteImport,
        response: { 200: ImportedSuite, ...failures(...CODES, "invalid_service") },
        detail: {
          operationId: "importTestSuite",
          summary: "Create a test suite, or bring it up to date",
          description:
            "Finds the caller's own suite by its name, and its tests by theirs; both keep their ids. Stored as a whole or not at all.",
        },
      },
    )
    .patch(
      "/testSuites/:suiteId",
      ({ request, params, body }) =>
        changes.update(principalOf(request).userId, params.suiteId, body),
      {
        params: t.Object({ suiteId: PathId }),
        body: SuiteChange,
        response: { 200: Suite, ...failures(...CODES, "suite_not_found") },
        detail: {
          operationId: "changeTestSuite",
          summary: "Change a test suite",
          description: "Only the caller's own. All tests must fit its new template.",
        },
      },
    )
    .delete(
      "/testSuites/:suiteId",
      ({ request, params }) => changes.remove(principalOf(request).userId, params.suiteId),
      {
        params: t.Object({ suiteId: PathId }),
        response: { 200: DeletedSuite, ...failures("suite_not_found") },
        detail: {
          operationId: "deleteTestSuite",
          summary: "Delete a test suite",
          description: "Only the caller's own, with its tests. The results of its runs stay.",
        },
      },
    )
    .post(
      "/testSuites/:suiteId/tests",
      async ({ request, params, body }) =>
        status(201, await suites.addTests(principalOf(request).userId, params.suiteId, body.tests)),
      {
        params: t.Object({ suiteId: PathId }),
        body: NewTests,
        response: {
          201: AddedTests,
          ...failures(
            "invalid_request",
            "invalid_assertion",
            "suite_not_found",
            "template_not_found",
            "impersonate_not_found",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "addTests",
          summary: "Add tests to a suite",
          description: "Only to the caller's own suites; all tests are stored or none.",
        },
      },
    )
    .get(
      "/tests/:testId",
      ({ request, params }) => suites.getTest(principalOf(request).userId, params.testId),
      {
        params: t.Object({ testId: PathId }),
        response: { 200: SingleTest, ...failures("test_not_found") },
        detail: {
          operationId: "getTest",
          summary: "Get a test",
          description: "With the template and the user that it takes from its suite.",
        },
      },
    )
    .patch(
      "/tests/:testId",
      ({ request, params, body }) =>
        changes.updateTest(principalOf(request).userId, params.testId, body),
      {
        params: t.Object({ testId: PathId }),
        body: TestChange,
        response: { 200: Test, ...failures(...CODES, "test_not_found") },
        detail: {
          operationId: "changeTest",
          summary: "Change a test",
          description: "Only of the caller's own suites. Active runs keep the test as it was.",
        },
      },
    )
    .delete(
      "/tests/:testId",
      ({ request, params }) => changes.removeTest(principalOf(request).userId, params.testId),
      {
        params: t.Object({ testId: PathId }),
        response: { 200: DeletedTest, ...failures("test_not_found") },
        detail: {
          operationId: "deleteTest",
          summary: "Delete a test",
          description: "Only of the caller's own suites. The results of its runs stay.",
        },
      },
    )
    .get("/assertion-schema", () => schemaDocument(), {
      response: {
        200: AssertionSchema,
        ...failures(),
      },
      detail: {
        operationId: "getAssertionSchema",
        summary: "The JSON Schema of a test's expectedOutput",
        description: "For editors; the tables and columns depend on the template.",
      },
    });
