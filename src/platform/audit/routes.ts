import { Elysia, t } from "elysia";
import { failures } from "~/http/errors";
import { principalOf } from "~/http/principal";
import type { Audits } from "~/platform/audit/audits";
import { AuditQuery, SuiteAudit } from "~/platform/audit/model";
import { SuiteRef } from "~/platform/suites/model";

export const auditRoutes = (audits: Audits) =>
  new Elysia({ tags: ["suites"] }).get(
    "/testSuites/:suiteId/audit",
    ({ request, params: { suiteId }, query: { runs, testId } }) =>
      audits.audit(principalOf(request).userId, suiteId, { wantsRuns: runs === "true", testId }),
    {
      params: t.Object({ suiteId: SuiteRef }),
      query: AuditQuery,
      response: {
        200: SuiteAudit,
        ...failures("invalid_request", "suite_not_found", "test_not_found"),
      },
      detail: {
        operationId: "auditTestSuite",
        summary: "Audit a test suite",
        description:
          "Changes the solution of each test in many ways, and reports the mutants that do not get the expected verdict. Nothing is executed. One audit at a time; it takes 20 seconds at most.",
      },
    },
  );
