import { Elysia, status, t } from "elysia";
import { ApiError } from "~/errors";
import { failures } from "~/http/errors";
import { IdempotencyHeader, PathId } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { Idempotency } from "~/platform/keys/idempotency";
import type { Regrading } from "~/platform/runs/grading";
import {
  ChangedRun,
  CompletedRun,
  EndedRun,
  EvaluatedRun,
  EvaluationList,
  GradedRun,
  Grading,
  GradingQuery,
  NewRun,
  Results,
  RunChange,
  RunEvents,
  RunList,
  RunQuery,
  RunRef,
  StartedRun,
} from "~/platform/runs/model";
import type { Runs } from "~/platform/runs/runs";
import { SuiteResults, SuiteResultsQuery } from "~/platform/runs/suite-model";

/** Sends stored JSON text unchanged: a diff may be megabytes long. */
const json = (text: string) =>
  new Response(text, { headers: { "Content-Type": "application/json; charset=utf-8" } });

const LABEL = /^labels\[(.*)\]$/;

/** The labels of a query string, each as `labels[name]=value`. */
function labelsOf(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url);
  if (searchParams.has("labels"))
    throw new ApiError("invalid_request", "labels: write each label as labels[name]=value");
  return Object.fromEntries(
    [...searchParams].flatMap(([key, value]) => {
      const [, name] = LABEL.exec(key) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

const RESULTS = {
  params: t.Object({ runId: PathId }),
  response: { 200: Results, ...failures("run_not_found") },
};

export const runRoutes = (runs: Runs, regrading: Regrading, idempotency: Idempotency) => {
  const resultsOf = (request: Request, { runId }: { runId: string }) =>
    runs.results(principalOf(request).userId, runId);

  return new Elysia({ tags: ["runs"] })
    .post(
      "/startRun",
      async (context) =>
        status(
          201,
          await idempotency.perform(context, (once) =>
            runs.start(principalOf(context.request).userId, context.body, once),
          ),
        ),
      {
        body: NewRun,
        headers: IdempotencyHeader,
        response: {
          201: StartedRun,
          ...failures(
            "invalid_request",
            "environment_not_found",
            "run_already_exists",
            "test_not_found",
            "suite_not_found",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "startRun",
          summary: "Start a run",
          description: "Records every change to the environment until the run ends.",
        },
      },
    )
    .post(
      "/diffRun",
      async ({ request, body }) => json(await runs.diff(principalOf(request).userId, body)),
      {
        body: RunRef,
        response: {
          200: CompletedRun,
          ...failures(
            "invalid_request",
            "run_not_found",
            "run_already_completed",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "diffRun",
          summary: "End a run and get its diff",
          description: "The net effect of every transaction that committed between start and end.",
        },
      },
    )
    .post("/evaluateRun", ({ request, body }) => runs.evaluate(principalOf(request).userId, body), {
      body: EndedRun,
      response: {
        200: EvaluatedRun,
        ...failures(
          "invalid_request",
          "invalid_assertion",
          "run_not_found",
          "run_already_completed",
          "no_test_defined",
          "request_too_large",
        ),
      },
      detail: {
        operationId: "evaluateRun",
        summary: "End a run and check it against its test",
        description:
          "Uses the test as it was when the run started, or the given expectedOutput. Without either, the run continues.",
      },
    })
    .get(
      "/runs",
      ({ request, query }) => runs.list(principalOf(request).userId, query, labelsOf(request)),
      {
        query: RunQuery,
        response: { 200: RunList, ...failures("invalid_request") },
        detail: {
          operationId: "listRuns",
          summary: "List runs",
          description: "The caller's own, newest first.",
        },
      },
    )
    .patch(
      "/runs/:runId",
      ({ request, params, body }) => runs.label(principalOf(request).userId, params.runId, body),
      {
        params: t.Object({ runId: PathId }),
        body: RunChange,
        response: {
          200: ChangedRun,
          ...failures("invalid_request", "run_not_found", "request_too_large"),
        },
        detail: {
          operationId: "changeRun",
          summary: "Change the labels of a run",
          description: "Before or after its end. Sets and removes those that are named.",
        },
      },
    )
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
