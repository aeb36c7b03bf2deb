/** Grades the stored diff of a run again, as often as wanted. The first verdict never changes. */
import type { Pool } from "~/db/connect";
import { ApiError } from "~/errors";
import type { Assertion, Spec } from "~/evaluation/spec";
import { PAGE_LENGTH_MAX, pageOf, readPage } from "~/http/page";
import { type Evaluation, NO_CALLS, NO_DELIVERIES } from "~/platform/runs/evaluation";
import * as store from "~/platform/runs/evaluation-store";
import type { Grading, GradingQuery } from "~/platform/runs/grading-model";
import * as gradings from "~/platform/runs/grading-store";
import type { Runs } from "~/platform/runs/runs";
import { isOpen } from "~/platform/runs/view";
import type { Suites } from "~/platform/suites/suites";
import { tableInWorld, WORLD } from "~/replicas/members";
import type { NewId } from "~/source";

export type Regrading = ReturnType<typeof createRegrading>;

const LIST = "evaluations";
const NO_EVIDENCE = '{"unchangedColumns":[],"revertedRows":[],"transientRows":[]}';

export function createRegrading(deps: {
  pool: Pool;
  runs: Runs;
  suites: Suites;
  evaluation: Evaluation;
  newId: NewId;
}) {
  const { pool, runs, suites, evaluation, newId } = deps;

  /** Returns a run with a complete diff. Throws `run_not_found`, or `invalid_request` with the reason. */
  async function requireGradable(userId: string, runId: string): Promise<store.GradableRow> {
    const found = await store.findGradable(pool, userId, runId);
    if (found) return found;
    const run = await runs.require(userId, runId);
    if (isOpen(run.status))
      throw new ApiError("invalid_request", "The run has not ended; end it first");
    const ended = await store.findGradable(pool, userId, runId);
    if (ended) return ended;
    const what = run.gradable ? "has no diff to grade" : "is not gradable";
    throw new ApiError(
      "invalid_request",
      `The run ${what}: ${JSON.parse(run.failures).join("; ")}`,
    );
  }

  /** Returns the expectation as JSON text: of a test, of the call, or the run's own. */
  async function expectation(userId: string, run: store.GradableRow, wanted: Grading) {
    const { testId, expectedOutput } = wanted;
    if (testId !== undefined && expectedOutput !== undefined)
      throw new ApiError("invalid_request", "testId: either a test or an expectedOutput is needed");
    if (expectedOutput !== undefined) return { expected: JSON.stringify(expectedOutput) };
    const test = testId === undefined ? undefined : await suites.requireTest(userId, testId);
    if (test && test.service !== run.service)
      throw new ApiError("invalid_request", `testId: a test of the service ${test.service}`);
    const expected = test?.expectedOutput ?? run.expected;
    if (expected === null)
      throw new ApiError("no_test_defined", "The run has no test, and the body names none");
    return { expected };
  }

  return {
    /** Gives another verdict on a run that has ended. */
    async grade(userId: string, runId: string, wanted: Grading) {
      const run = await requireGradable(userId, runId);
      const { expected } = await expectation(userId, run, wanted);
      const spec = await evaluation.compile(run.environmentId, expected, {
        isNew: wanted.expectedOutput !== undefined,
      });
      requireBaseline(run, JSON.parse(expected));
      const verdict = await evaluation.evaluateRun(
        { ...run, runId, expected, evidence: evidenceOf(run) },
        spec,
      );
      if (!verdict)
        throw new ApiError("invalid_request", spec.hasDeliveries ? NO_DELIVERIES : NO_CALLS);
      // Of the attempt, not of this verdict on it.
      const { cause: _, ...graded } = verdict;
      const testId = wanted.testId ?? (wanted.expectedOutput === undefined ? run.testId : null);
      const evaluationId = newId();
      const row = { evaluationId, testId, ...graded };
      const createdAt = await gradings.insertEvaluation(pool, { ...row, runId, expected });
      return view({ ...row, createdAt }, runId);
    },

    /** Lists the verdicts that `grade` gave, newest first. */
    async list(userId: string, runId: string, query: GradingQuery) {
      const page = readPage(query, LIST, runId);
      await runs.require(userId, runId);
      const found = await gradings.listEvaluations(pool, runId, page, PAGE_LENGTH_MAX);
      const fitting = found.filter(({ fits }) => fits).length;
      const limit = Math.max(1, Math.min(page.limit, fitting));
      const { rows, ...rest } = pageOf(found, { ...page, limit }, LIST, runId);
      const evaluations = rows.map(({ place: _, fits: __, ...row }) => view(row, runId));
      return { runId, evaluations, ...rest };
    },
  };
}

const view = ({ createdAt, ...row }: gradings.EvaluationRow, runId: string) => ({
  ...row,
  runId,
  createdAt: createdAt.toISOString(),
  status: row.passed ? ("passed" as const) : ("failed" as const),
});

/** The stored evidence. It can be missing only where no update depends on it. */
function evidenceOf({ diff, evidence }: store.GradableRow): string {
  if (evidence !== null) return evidence;
  if (JSON.parse(diff).updates.length === 0) return NO_EVIDENCE;
  throw new ApiError(
    "invalid_request",
    "The columns that updates did not change were too long to keep with this run, so it cannot be graded again",
  );
}

/** Rejects assertions on unchanged rows that the run did not keep: it keeps those of its own assertions. */
function requireBaseline(run: store.GradableRow, spec: Spec): void {
  const { baselineRows, expected, service: kind } = run;
  const own = baselineRows === null || expected === null ? [] : unchangedOf(JSON.parse(expected));
  const tableOf = ({ entity, service }: Assertion) =>
    kind === WORLD && service !== undefined ? tableInWorld(service, entity) : entity;
  const keeps = (wanted: Assertion) =>
    own.some(
      (each) =>
        tableOf(each) === tableOf(wanted) &&
        (Object.keys(each.where ?? {}).length === 0 ||
          Bun.deepEquals(each.where, wanted.where ?? {})),
    );
  for (const assertion of unchangedOf(spec))
    if (!keeps(assertion))
      throw new ApiError(
        "invalid_assertion",
        `assertion ${spec.assertions.indexOf(assertion) + 1}: the unchanged rows of ${tableOf(assertion)} are not stored with this run; only evaluateRun can read them, or a run that was evaluated with an unchanged assertion of the same where`,
      );
}

const unchangedOf = ({ assertions }: Spec) =>
  assertions.filter(({ diff_type }) => diff_type === "unchanged");
