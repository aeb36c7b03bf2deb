import { Elysia, status, t } from "elysia";
import { ApiError } from "~/errors";
import { failures } from "~/http/errors";
import { IdempotencyHeader, PathId } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { Idempotency } from "~/platform/idempotency/idempotency";
import { json } from "~/platform/runs/json";
import { RunList, RunQuery } from "~/platform/runs/list-model";
import {
  ChangedRun,
  CompletedRun,
  EndedRun,
  EvaluatedRun,
  NewRun,
  RunChange,
  RunRef,
  StartedRun,
} from "~/platform/runs/model";
import type { Runs } from "~/platform/runs/runs";

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

export const runRoutes = (runs: Runs, idempotency: Idempotency) =>
  new Elysia({ tags: ["runs"] })
    .post(
      "/startRun",
      async (context) =>
        status(
          201,
          await idempotency.answerOnce(context, (once) =>
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
      ({ request, params, body }) => runs.change(principalOf(request).userId, params.runId, body),
      {
        params: t.Object({ runId: PathId }),
        body: RunChange,
        response: {
          200: ChangedRun,
          ...failures("invalid_request", "run_not_found", "request_too_large"),
        },
        detail: {
          operationId: "changeRun",
          summary: "Change labels, note and bookmark of a run",
          description: "Before or after its end. Labels that are not named stay.",
        },
      },
    );
