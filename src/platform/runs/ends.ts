/** Ends of runs, on request: with their diff, or with a verdict on it. */
import { LRUCache } from "lru-cache";
import type { Actor } from "~/capture/actor";
import type { Capture, CaptureKind } from "~/capture/capture";
import type { Diff, JsonObject } from "~/capture/fold";
import { RUN_BYTES_MAX } from "~/capture/limits";
import type { Evaluator } from "~/capture/reader";
import type { OtherChanges } from "~/capture/records";
import { errorCode, type Pool, type Sql, UNDEFINED_SCHEMA, UNDEFINED_TABLE } from "~/db/connect";
import { ApiError, unavailable } from "~/errors";
import type { FinalVerdict } from "~/evaluation/ending";
import { errorFields, type Log } from "~/log";
import type { Acting } from "~/platform/environments/acting";
import type { Environments } from "~/platform/environments/environments";
import type { KeptEvents } from "~/platform/events/kept";
import { type Evaluation, NO_CALLS, NO_DELIVERIES } from "~/platform/runs/evaluation";
import * as lifecycle from "~/platform/runs/lifecycle-store";
import type { RunLookup } from "~/platform/runs/lookup";
import type { EndedRun, RunRef } from "~/platform/runs/model";
import * as store from "~/platform/runs/store";
import { consoleUrl } from "~/platform/runs/view";
import { createBudget, noRoom } from "~/wire/budget";

/** Errors of reading the tables of an environment that has none any more. */
const WITHOUT_TABLES = new Set([UNDEFINED_SCHEMA, UNDEFINED_TABLE]);
/** Characters of unchanged rows that all evaluations hold until their verdicts. */
const BASELINES_MAX = 4 * RUN_BYTES_MAX;
const EXPECTATIONS_MAX = 10_000;
/** Longer expectations are not cached. */
const EXPECTATION_LENGTH_MAX = 16_000;

/** The error for a run that has already ended. For a run that was closed without a verdict it gives the reason. */
function completed({ status, isEvaluated, failures }: store.RunRow): ApiError {
  const isClosed = status === "failed" && !isEvaluated;
  const detail = isClosed
    ? `The run was closed before: ${JSON.parse(failures).join("; ")}`
    : "The run has ended already";
  return new ApiError("run_already_completed", detail);
}

/** The changes by the agent, then those by some other actors. */
function withOthers(diff: Diff, others: OtherChanges, actors: readonly Actor[]): Diff {
  const isWanted = (row: JsonObject) => actors.some((actor) => actor === row["__actor__"]);
  return {
    inserts: [...diff.inserts, ...others.inserts.filter(isWanted)],
    updates: [...diff.updates, ...others.updates.filter(isWanted)],
    deletes: [...diff.deletes, ...others.deletes.filter(isWanted)],
  };
}

export function createEnds(deps: {
  pool: Pool;
  capture: Capture;
  evaluation: Evaluation;
  lookup: RunLookup;
  environments: Pick<Environments, "find">;
  acting: Pick<Acting, "settle">;
  kept: Pick<KeptEvents, "keep" | "hasEvents">;
  log: Log;
}) {
  const { pool, capture, evaluation, lookup, environments, acting, kept, log } = deps;
  const baselines = createBudget(BASELINES_MAX);
  /** Runs started by this server, so that ending one needs no lookup. */
  const expectations = new LRUCache<
    string,
    { userId: string; environmentId: string; expected: string | null }
  >({ max: EXPECTATIONS_MAX });

  /**
   * Ends a run, after everything that its last calls set off. Throws `run_not_found`, `run_already_completed`, or 503.
   */
  async function end(
    userId: string,
    runId: string,
    evaluating?: { expectation: (sql: Sql) => Promise<lifecycle.Expectation>; evaluate: Evaluator },
  ) {
    let hasEvents = false;
    const endAs = (way: CaptureKind, isSettled: boolean) =>
      capture.end(
        runId,
        way,
        async (sql, mark) => {
          const ending = await lifecycle.beginEnd(
            sql,
            { runId, userId, capture: way, isSettled },
            mark,
            await evaluating?.expectation(sql),
          );
          hasEvents = ending?.hasEvents ?? false;
          return ending?.schemaName;
        },
        evaluating?.evaluate,
      );
    let ended = await endAs(capture.kind, false).catch((error) => {
      // Its environment ends or is reset meanwhile, and the run with it.
      if (WITHOUT_TABLES.has(errorCode(error) ?? "")) return undefined;
      throw error;
    });
    if (!ended) {
      // The reason is looked up only now: success costs one statement.
      const run = await lookup.require(userId, runId);
      if (run.status === "running") {
        const environment = await environments.find(run.environmentId);
        if (environment?.state === "live") await acting.settle(environment);
        ended = await endAs(run.capture, true);
      }
      if (!ended) throw completed(run);
    }
    expectations.delete(runId);
    if (hasEvents)
      await kept.keep(runId).catch((error) => {
        // They are kept later; the run has ended all the same.
        log.warn("events not kept yet", { runId, ...errorFields(error) });
      });
    return ended;
  }

  /** Returns the expectation of a run that has not ended. Throws `run_not_found` or `run_already_completed`. */
  async function requireExpectation(
    userId: string,
    runId: string,
    { needsTest }: { needsTest: boolean },
  ) {
    const known = expectations.get(runId);
    if (known?.userId === userId && (!needsTest || known.expected !== null)) return known;
    const run = await lookup.require(userId, runId);
    if (run.status !== "running") throw completed(run);
    return run;
  }

  async function failure(runId: string) {
    const run = await store.findRun(pool, runId);
    return unavailable(`The run has failed: ${JSON.parse(run?.failures ?? "[]").join("; ")}`);
  }

  return {
    /** Notes a run that this server has started. */
    remember(run: lifecycle.NewRunRow): void {
      if ((run.expected?.length ?? 0) <= EXPECTATION_LENGTH_MAX) expectations.set(run.runId, run);
    },

    /** Ends a run. Returns the answer as JSON text, with the diff as it was stored. */
    async diff(userId: string, { runId, include = [] }: RunRef): Promise<string> {
      const { diff = (await store.findResult(pool, runId))?.diff } = await end(userId, runId);
      if (typeof diff !== "string") throw await failure(runId);
      const others = include.length > 0 ? await store.findOtherChanges(pool, runId) : null;
      const shown = others ? JSON.stringify(withOthers(JSON.parse(diff), others, include)) : diff;
      return `{"runId":${JSON.stringify(runId)},"status":"completed","diff":${shown},"consoleUrl":"${consoleUrl(runId)}"}`;
    },

    /** Ends a run and checks its diff. A run that cannot be checked continues. */
    async evaluate(userId: string, { runId, expectedOutput, ...ended }: EndedRun) {
      const { ending = null, exitCode = null, costUsd = null } = ended;
      const given = expectedOutput !== undefined;
      const expectation = await requireExpectation(userId, runId, { needsTest: !given });
      const expected = given ? JSON.stringify(expectedOutput) : expectation.expected;
      if (expected === null)
        throw new ApiError(
          "no_test_defined",
          "The run has no test, and no expectedOutput is given",
        );
      const { environmentId: id } = expectation;
      const spec = await evaluation.compile(id, expected, { isNew: given });
      if (spec.hasCalls && !(await store.isJournaled(pool, runId)))
        throw new ApiError("invalid_request", NO_CALLS);
      if (spec.hasDeliveries && !(await kept.hasEvents(runId)))
        throw new ApiError("invalid_request", NO_DELIVERIES);
      let baselineRows = "{}";
      const owner = { keyId: userId, environmentId: id };
      const claim = baselines.claim();
      let verdict: FinalVerdict | undefined;
      const { diff } = await end(userId, runId, {
        async expectation(sql) {
          baselineRows = await evaluation.baselineRows(sql, id, spec, expected);
          if (!claim(baselineRows.length, owner)) throw noRoom();
          return { ...(given && { expected }), baselineRows, ending, exitCode, costUsd };
        },
        async evaluate(recorded) {
          if (spec.hasCalls || spec.hasDeliveries) return undefined; // They are known only later.
          const { others = null, events = null } = recorded;
          const own = { runId, environmentId: id, expected, baselineRows, ending, exitCode };
          verdict = await evaluation.evaluateRun({ ...recorded, others, events, ...own }, spec);
          return verdict;
        },
      }).finally(() => claim(0, owner));
      // Without the diff here, the row has the verdict or waits for it.
      if (diff === undefined || !verdict) verdict = await evaluation.conclude(runId, spec);
      if (!verdict) throw await failure(runId);
      const status = verdict.passed ? ("passed" as const) : ("failed" as const);
      const gradable = verdict.cause !== "interrupted";
      return {
        runId,
        status,
        ...verdict,
        ending,
        exitCode,
        gradable,
        consoleUrl: consoleUrl(runId),
      };
    },
  };
}
