import { Elysia, t } from "elysia";
import { failures } from "~/http/errors";
import { PathId } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { Reasons } from "~/platform/runs/reasons";
import { RunReasons, TestWords } from "~/platform/runs/reasons-model";

export const reasonRoutes = (reasons: Reasons) =>
  new Elysia()
    .get(
      "/runs/:runId/reasons",
      ({ request, params }) => reasons.ofRun(principalOf(request).userId, params.runId),
      {
        params: t.Object({ runId: PathId }),
        response: { 200: RunReasons, ...failures("invalid_request", "run_not_found") },
        detail: {
          tags: ["runs"],
          operationId: "getRunReasons",
          summary: "Explain the verdict of a run in words",
          description:
            "Each assertion of its test with names for ids, the rows that decided it beside what was expected, and the changes that nobody asked for, each with its call. While it is running: what is expected.",
        },
      },
    )
    .get(
      "/tests/:testId/words",
      ({ request, params }) => reasons.ofTest(principalOf(request).userId, params.testId),
      {
        params: t.Object({ testId: PathId }),
        response: { 200: TestWords, ...failures("invalid_request", "test_not_found") },
        detail: {
          tags: ["suites"],
          operationId: "getTestWords",
          summary: "Get what a test expects, in words",
          description: "With the names of its template.",
        },
      },
    );
