/** Runs: the changes of an environment between two moments. */
import { LRUCache } from "lru-cache";
import type { Capture, CaptureKind } from "~/capture/capture";
import type { Diff } from "~/capture/fold";
import type { Evaluator } from "~/capture/reader";
import type { ClockChanges } from "~/capture/records";
import { inTransaction, type Pool, type Sql } from "~/db/connect";
import { ApiError, runNotFound, unavailable } from "~/errors";
import type { FinalVerdict } from "~/evaluation/ending";
import { percentOf } from "~/evaluation/score";
import { pageOf, readPage } from "~/http/page";
import type { Environments } from "~/platform/environments/environments";
import { environmentId, notFound } from "~/platform/environments/id";
import type { Once } from "~/platform/keys/idempotency";
import { groupAttempts } from "~/platform/runs/attempts";
import { type Evaluation, NO_CALLS } from "~/platform/runs/evaluation";
import * as listing from "~/platform/runs/evaluation-store";
import type { Expiry } from "~/platform/runs/expiry";
import * as lifecycle from "~/platform/runs/lifecycle-store";
import {
  type EndedRun,
  LABELS_MAX,
  type NewRun,
  type RunChange,
  type RunQuery,
  type RunRef,
  type StartedRun,
} from "~/platform/runs/model";
import type { Starting } from "~/platform/runs/starting";
import * as store from "~/platform/runs/store";
import type { SuiteResultsQuery } from "~/platform/runs/suite-model";
import { type Suites, testNotFound } from "~/platform/suites/suites";

export type Runs = ReturnType<typeof createRuns>;

const EXPECTATIONS_MAX = 10_000;
/** Longer expectations are not cached. */
const EXPECTATION_LENGTH_MAX = 16_000;
const LIST = "runs";
/** Pairs of a test and a value of a label. */
const ATTEMPT_ROWS_MAX = 20_000;
const NO_EVENTS = { total: 0, events: [] };
const NOT_RUN = {
  ...{ status: null, passed: null, score: null, execution_time: null, gradable: null },
  ...{ success: null, reward: null, unsafeCount: null, ending: null, exitCode: null },
};

/** The error for a run that has already ended. For a run that was closed without a verdict it gives the reason. */
function completed({ status, isEvaluated, failures }: store.RunRow): ApiError {
  const isClosed = status === "failed" && !isEvaluated;
  const detail = isClosed
    ? `The run was closed before: ${JSON.parse(failures).join("; ")}`
    : "The run has ended already";
  return new ApiError("run_already_completed", detail);
}

/** The changes by the agent, then those by the clock. */
const withClock = (diff: Diff, clock: ClockChanges): Diff => ({
  inserts: [...diff.inserts, ...clock.inserts],
  updates: [...diff.updates, ...clock.updates],
  deletes: [...diff.deletes, ...clock.deletes],
});

/** Whether the run's end is still undecided. */
export const isOpen = (status: store.RunRow["status"]) =>
  status === "running" || status === "ending" || status === "evaluating";

const summary = (run: listing.ListedRun) => ({
  status: run.status,
  passed: run.passed,
  score: run.score,
  success: run.success,
  reward: run.reward,
  unsafeCount: run.unsafeCount,
  ending: run.ending,
  exitCode: run.exitCode,
  execution_time: run.executionSeconds,
  gradable: run.gradable,
  ...(run.cause !== null && { cause: run.cause }),
});

/** A run as lists show it. */
export const view = (run: listing.ListedRun) => ({
  runId: run.runId,
  environmentId: run.environmentId,
  testId: run.testId,
  testSuiteId: run.suiteId,
  startedAt: run.startedAt.toISOString(),
  labels: run.labels,
  ...summary(run),
});

export function createRuns(deps: {
  pool: Pool;
  environments: Environments;
  starting: Starting;
  suites: Suites;
  evaluation: Evaluation;
  capture: Capture;
  expiry: Expiry;
}) {
  const { pool, environments, starting, suites, evaluation, capture, expiry } = deps;
  /** Runs started by this server, so that ending one needs no lookup. */
  const expectations = new LRUCache<
    string,
    { userId: string; environmentId: string; expected: string | null }
  >({ max: EXPECTATIONS_MAX });

  /** Returns a run of this user; ends it first if its environment has expired. Throws `run_not_found`. */
  function requireRun(userId: string, runId: string): Promise<store.RunRow> {
    return requireAs(store.findRun, userId, runId);
  }

  async function requireAs<Row extends store.RunRow>(
    find: (sql: Sql, runId: string) => Promise<Row | undefined>,
    userId: string,
    runId: string,
  ): Promise<Row> {
    const run = await find(pool, runId);
    if (!run || run.userId !== userId) throw runNotFound(runId);
    if (run.status === "running" && !run.live) await expiry.end({ runId });
    // After a crash of Postgres, a result that was answered may have to be read from the log again.
    else if (run.status === "ending") await expiry.settle(runId);
    else return run;
    return (await find(pool, runId)) ?? run;
  }

  /** Returns the expectation to check a run against: a copy, so that later changes to the test do not matter. */
  async function expectation(userId: string, service: string, { testId, testSuiteId }: NewRun) {
    const suiteId = testSuiteId ?? null;
    const test = testId === undefined ? undefined : await suites.findTest(userId, testId);
    // A test that the user can see vouches for its suite, which saves a lookup.
    if (suiteId !== null && test?.suiteId !== suiteId) await suites.require(userId, suiteId);
    if (testId === undefined) return { testId: null, suiteId, expected: null };
    if (!test || (suiteId !== null && test.suiteId !== suiteId)) throw testNotFound(testId);
    if (test.service !== service)
      throw new ApiError("invalid_request", `testId: a test of the service ${test.service}`);
    return { testId, suiteId, expected: test.expectedOutput };
  }

  /** Ends a run. Throws `run_not_found`, `run_already_completed`, or 503. */
  async function end(
    userId: string,
    runId: string,
    evaluating?: { expectation: (sql: Sql) => Promise<lifecycle.Expectation>; evaluate: Evaluator },
  ) {
    const endAs = (way: CaptureKind) =>
      capture.end(
        runId,
        way,
        async (sql, mark) =>
          lifecycle.beginEnd(
            sql,
            { runId, userId, capture: way },
            mark,
            await evaluating?.expectation(sql),
          ),
        evaluating?.evaluate,
      );
    let ended = await endAs(capture.kind);
    if (!ended) {
      // The reason is looked up only now: success costs one statement.
      const run = await requireRun(userId, runId);
      if (run.capture !== capture.kind) ended = await endAs(run.capture);
      if (!ended) throw completed(run);
    }
    expectations.delete(runId);
    return ended;
  }

  /** Returns the expectation of a run that has not ended. Throws `run_not_found` or `run_already_completed`. */
  async function requireExpectation(userId: string, runId: string, needsTest: boolean) {
    const known = expectations.get(runId);
    if (known?.userId === userId && (!needsTest || known.expected !== null)) return known;
    const run = await requireRun(userId, runId);
    if (run.status !== "running") throw completed(run);
    return run;
  }

  async function attempts(userId: string, suiteId: string, label: string) {
    const rows = await listing.countAttempts(pool, userId, suiteId, label, ATTEMPT_ROWS_MAX + 1);
    if (rows.length <= ATTEMPT_ROWS_MAX) return rows;
    throw new ApiError("invalid_request", "groupBy: the label has too many values to compare");
  }

  async function failure(runId: string) {
    const run = await store.findRun(pool, runId);
    return unavailable(`The run has failed: ${JSON.parse(run?.failures ?? "[]").join("; ")}`);
  }

  return {
    require: requireRun,

    /** Starts a run. When it returns, every later change is recorded. */
    async start(userId: string, wanted: NewRun, once?: Once): Promise<StartedRun> {
      const id = environmentId(wanted.envId);
      const environment = id === undefined ? undefined : await environments.find(id, { userId });
      if (environment?.state !== "live") throw notFound(wanted.envId);
      const expected = await expectation(userId, environment.service, wanted);
      const run = starting.newRun(userId, environment.environmentId, wanted, expected);
      const { runId, beforeSnapshot } = run;
      const answer: StartedRun = { runId, status: "running", beforeSnapshot };
      const started = await starting.start(run, environment, (sql, start) => {
        if (!once) return lifecycle.insertRun(sql, run, start);
        const within = async (tx: Sql) => {
          await once.take(tx);
          const started = await lifecycle.insertRun(tx, run, start);
          if (started === "started") await once.keep(tx, answer);
          else await once.giveBack(tx);
          return started;
        };
        // A snapshot comparison starts in a transaction anyway.
        return capture.kind === "snapshot" ? within(sql) : inTransaction(pool, within);
      });
      if (!started) {
        await environments.require(userId, wanted.envId);
        throw new ApiError("run_already_exists", "The environment has an active run");
      }
      if ((run.expected?.length ?? 0) <= EXPECTATION_LENGTH_MAX) expectations.set(run.runId, run);
      return answer;
    },

    /** Ends a run. Returns the answer as JSON text, with the diff as it was stored. */
    async diff(userId: string, { runId, include = [] }: RunRef): Promise<string> {
      const { diff = (await store.findResult(pool, runId))?.diff } = await end(userId, runId);
      if (typeof diff !== "string") throw await failure(runId);
      const clock = include.length > 0 ? await store.findClockChanges(pool, runId) : null;
      const shown = clock === null ? diff : JSON.stringify(withClock(JSON.parse(diff), clock));
      return `{"runId":${JSON.stringify(runId)},"status":"completed","diff":${shown}}`;
    },

    /** Ends a run and checks its diff. A run that cannot be checked continues. */
    async evaluate(userId: string, { runId, expectedOutput, ...ended }: EndedRun) {
      const { ending = null, exitCode = null } = ended;
      const given = expectedOutput !== undefined;
      const expectation = await requireExpectation(userId, runId, !given);
      const expected = given ? JSON.stringify(expectedOutput) : expectation.expected;
      if (expected === null)
        throw new ApiError(
          "no_test_defined",
          "The run has no test, and no expectedOutput is given",
        );
      const { environmentId: id } = expectation;
      const spec = await evaluation.compile(id, expected, given);
      if (spec.hasCalls && !(await store.isJournaled(pool, runId)))
        throw new ApiError("invalid_request", NO_CALLS);
      let baselineRows = "{}";
      let verdict: FinalVerdict | undefined;
      const { diff } = await end(userId, runId, {
        async expectation(sql) {
          baselineRows = await evaluation.baselineRows(sql, id, spec, expected);
          return { ...(given && { expected }), baselineRows, ending, exitCode };
        },
        async evaluate(recorded) {
          if (spec.hasCalls) return undefined; // The journal has them all only later.
          const { clock = null, events = null } = recorded;
          const evaluated = {
            ...{ ...recorded, clock, events, runId, environmentId: id },
            ...{ expected, baselineRows, ending, exitCode },
          };
          verdict = await evaluation.evaluateRun(evaluated, spec);
          return verdict;
        },
      });
      // Without the diff here, the row has the verdict or waits for it.
      if (diff === undefined || !verdict) verdict = await evaluation.conclude(runId, spec);
      if (!verdict) throw await failure(runId);
      const status = verdict.passed ? ("passed" as const) : ("failed" as const);
      const gradable = verdict.cause !== "interrupted";
      return { runId, status, ...verdict, ending, exitCode, gradable };
    },

    /** Returns the results of a run, as JSON text. */
    async results(userId: string, runId: string): Promise<string> {
      const run = await requireAs(store.findResult, userId, runId);
      const { status, passed, score, failures, explanations, diff, cause, labels } = run;
      const verdict = run.verdict.slice(1, -1);
      const head = `{"runId":${JSON.stringify(runId)},"status"`;
      const { environmentId, testId, suiteId: testSuiteId, startedAt } = run;
      const origin = JSON.stringify({ environmentId, testId, testSuiteId, startedAt });
      const tail = `"labels":${labels},${origin.slice(1)}`;
      if (isOpen(status))
        return `${head}:"running","passed":null,"score":null,${verdict},"failures":[],"diff":null,"execution_time":null,"gradable":null,${tail}`;
      const explained = explanations === null ? "" : `,"explanations":${explanations}`;
      const caused = cause === null ? "" : `,"cause":"${cause}"`;
      return `${head}:"${status}","passed":${passed},"score":${score},${verdict},"failures":${failures}${explained},"diff":${diff},"execution_time":${run.executionSeconds},"gradable":${run.gradable}${caused},${tail}`;
    },

    /** Returns the individual changes of a run in order, as JSON text. Empty while it is running. */
    async events(userId: string, runId: string): Promise<string> {
      const run = await requireRun(userId, runId);
      const kept = isOpen(run.status) ? null : await listing.findEvents(pool, runId);
      const { total, events } = kept === null ? NO_EVENTS : JSON.parse(kept);
      const complete = kept !== null && events.length === total;
      return JSON.stringify({ runId, total, complete, events });
    },

    /** Lists this user's runs, in pages. */
    async list(userId: string, query: RunQuery, labels: { readonly [name: string]: string } = {}) {
      const page = readPage(query, LIST, userId);
      const { environmentId: envId, testId, testSuiteId: suiteId, status } = query;
      const filter = {
        environmentId: envId && (environmentId(envId) ?? envId),
        testId,
        suiteId,
        status,
        labels,
      };
      await expiry.end({ userId });
      const found = await listing.listRuns(pool, userId, filter, page);
      const { rows, ...rest } = pageOf(found, page, LIST, userId);
      return { runs: rows.map(view), ...rest };
    },

    /** Sets and removes labels of a run. Throws `run_not_found`, and `invalid_request` if there are too many. */
    async label(userId: string, runId: string, change: RunChange) {
      const labels = await lifecycle.changeLabels(pool, userId, runId, change.labels, LABELS_MAX);
      if (labels) return { runId, labels };
      await requireRun(userId, runId);
      throw new ApiError("invalid_request", `labels: a run has at most ${LABELS_MAX}`);
    },

    /** Sums up this user's latest runs of a suite's tests, and all attempts by a label. */
    async suiteResults(userId: string, suiteId: string, { groupBy, k }: SuiteResultsQuery) {
      if (k !== undefined && groupBy === undefined)
        throw new ApiError("invalid_request", "k: groupBy is needed with it");
      const { name } = await suites.require(userId, suiteId);
      await expiry.end({ userId });
      const latest = new Map(
        (await listing.latestOfSuite(pool, userId, suiteId)).map((run) => [run.testId, run]),
      );
      const tests = await suites.tests(suiteId);
      const results = tests.map((test) => {
        const run = latest.get(test.testId);
        const head = { testId: test.testId, name: test.name, runId: run?.runId ?? null };
        return run ? { ...head, ...summary(run) } : { ...head, ...NOT_RUN };
      });
      const testCount = results.length;
      const count = (...wanted: (string | null)[]) =>
        results.filter(({ status }) => wanted.includes(status)).length;
      const passed = count("passed");
      return {
        suiteId,
        name,
        testCount,
        passed,
        failed: count("failed", "completed"),
        running: count("running"),
        notRun: count(null),
        percent: testCount === 0 ? 0 : percentOf(passed, testCount),
        results,
        ...(groupBy !== undefined && {
          groupBy,
          groups: groupAttempts(
            await attempts(userId, suiteId, groupBy),
            tests,
            k === undefined ? undefined : Number(k),
          ),
        }),
      };
    },
  };
}
