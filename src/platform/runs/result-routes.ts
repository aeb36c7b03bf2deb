/** The outcome of a run: its changes, its verdicts, and those of a suite. */
import { Elysia, t } from "elysia";
import { failures } from "~/http/errors";
import { PathId } from "~/http/model";
import { principalOf } from "~/http/principal";
import { RunEvents } from "~/platform/runs/event-model";
import type { Regrading } from "~/platform/runs/grading";
import { EvaluationList, GradedRun, Grading, GradingQuery } from "~/platform/runs/grading-model";
import { json } from "~/platform/runs/json";
import { Siblings } from "~/platform/runs/list-model";
import { Results } from "~/platform/runs/model";
import type { Runs } from "~/platform/runs/runs";
import { SuiteResults, SuiteResultsQuery } from "~/platform/runs/suite-model";

const RESULTS = {
  params: t.Object({ runId: PathId }),
  response: { 200: Results, ...failures("run_not_found") },
};

export const resultRoutes = (runs: Runs, regrading: Regrading) => {
  const resultsOf = (request: Request, { runId }: { runId: string }) =>
    runs.results(principalOf(request).userId, runId);

  return new Elysia({ tags: ["runs"] })
    .get(
      "/runs/:runId/events",
      async ({ request, params }) =>
        json(await runs.events(principalOf(request).userId, params.runId)),
      {
        params: t.Object({ runId: PathId }),
        response: { 200: RunEvents, ...failures("run_not_found") },
        detail: {
          operationId: "listRunEvents",
          summary: "List the individual changes of a run, in order",
          description:
            "The changes that the diff sums up, after the run has ended. Empty for a run that compares snapshots.",
        },
      },
    )
    .post(
      "/runs/:runId/evaluate",
      ({ request, params, body }) =>
        regrading.grade(principalOf(request).userId, params.runId, body),
      {
        params: t.Object({ runId: PathId }),
        body: Grading,
        response: {
          200: GradedRun,
          ...failures(
            "invalid_request",
            "invalid_assertion",
            "run_not_found",
            "test_not_found",
            "no_test_defined",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "gradeRun",
          summary: "Grade the stored diff of a run again",
          description:
            "Any number of times, after the run has ended. The run's first verdict does not change.",
        },
      },
    )
    .get(
      "/runs/:runId/evaluations",
      ({ request, params, query }) =>
        regrading.list(principalOf(request).userId, params.runId, query),
      {
        params: t.Object({ runId: PathId }),
        query: GradingQuery,
        response: { 200: EvaluationList, ...failures("invalid_request", "run_not_found") },
        detail: {
          operationId: "listEvaluations",
          summary: "List the later verdicts on a run",
          description: "Those of grading it again, newest first.",
        },
      },
    )
    .get(
      "/runs/:runId/siblings",
      ({ request, params }) => runs.siblings(principalOf(request).userId, params.runId),
      {
        params: t.Object({ runId: PathId }),
        response: { 200: Siblings, ...failures("run_not_found") },
        detail: {
          operationId: "listRunSiblings",
          summary: "List the runs around a run",
          description: "The attempts at the same test with the same labels, and its neighbours.",
        },
      },
    )
    .get(
      "/testSuites/:suiteId/results",
      ({ request, params, query }) =>
        runs.suiteResults(principalOf(request).userId, params.suiteId, query),
      {
        params: t.Object({ suiteId: PathId }),
        query: SuiteResultsQuery,
        response: { 200: SuiteResults, ...failures("invalid_request", "suite_not_found") },
        detail: {
          operationId: "getTestSuiteResults",
          summary: "Sum up a suite",
          description:
            "The caller's latest run of each test that was started with the suite's id; with groupBy, also all attempts.",
        },
      },
    )
    .get("/results/:runId", async ({ request, params }) => json(await resultsOf(request, params)), {
      ...RESULTS,
      detail: {
        operationId: "getResults",
        summary: "Get run results",
        description: "`running` until it ends; then its result, for as long as results are kept.",
      },
    })
    .get("/runs/:runId", async ({ request, params }) => json(await resultsOf(request, params)), {
      ...RESULTS,
      detail: {
        operationId: "getRun",
        summary: "Get a run",
        description: "The same as getResults, at the address of the run.",
      },
    });
};
