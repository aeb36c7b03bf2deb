import { Elysia, status, t } from "elysia";
import { schemaDocument } from "~/evaluation/spec";
import { failures } from "~/http/errors";
import { PathId } from "~/http/model";
import { principalOf } from "~/http/principal";
import {
  AddedTests,
  AssertionSchema,
  CreatedSuite,
  NewSuite,
  NewTests,
  OneSuite,
  OneSuiteQuery,
  SingleTest,
  SuiteList,
  SuiteQuery,
} from "~/platform/suites/model";
import type { Suites } from "~/platform/suites/suites";

export const suiteRoutes = (suites: Suites) =>
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
      ({ request, params, query }) =>
        suites.get(principalOf(request).userId, params.suiteId, query.expand === "true"),
      {
        params: t.Object({ suiteId: PathId }),
        query: OneSuiteQuery,
        response: { 200: OneSuite, ...failures("invalid_request", "suite_not_found") },
        detail: {
          operationId: "getTestSuite",
          summary: "Get a test suite",
          description: "Expanded, with its tests.",
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
