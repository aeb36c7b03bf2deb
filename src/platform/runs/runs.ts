/** Runs: what changed in an environment between two moments. */
import type { Capture, CaptureKind } from "~/capture/capture";
import type { Pool } from "~/db/connect";
import { ApiError, unavailable } from "~/errors";
import { type Environments, environmentId, notFound } from "~/platform/environments/environments";
import type { NewRun, StartedRun } from "~/platform/runs/model";
import * as store from "~/platform/runs/store";
import type { Templates } from "~/platform/templates/templates";

export type Runs = ReturnType<typeof createRuns>;

const newId = () => crypto.randomUUID().replaceAll("-", "");

const NO_SCORE = "null";

export function createRuns(deps: {
  pool: Pool;
  environments: Environments;
  templates: Templates;
  capture: Capture;
}) {
  const { pool, environments, templates, capture } = deps;

  /** A run of this user; closed first when its environment is over. Throws `run_not_found`. */
  async function requireRun(userId: string, runId: string): Promise<store.RunRow> {
    const run = await store.findRun(pool, runId);
    if (!run || run.userId !== userId) throw new ApiError("run_not_found", "There is no such run");
    if (run.status !== "running" || run.live) return run;
    await store.abandonExpired(pool, runId, capture.closeMark(pool));
    return (await store.findRun(pool, runId)) ?? run;
  }

  /** Ends a run and returns its diff as JSON text. Throws `run_not_found`, `run_already_completed`, or 503. */
  async function end(userId: string, runId: string): Promise<string> {
    const endAs = (way: CaptureKind) =>
      capture.end(runId, way, (sql, mark) =>
        store.beginEnd(sql, { runId, userId, capture: way }, mark),
      );
    let ended = await endAs(capture.kind);
    if (!ended) {
      // Only now is it looked at why: what goes well costs one statement.
      const run = await requireRun(userId, runId);
      if (run.capture !== capture.kind) ended = await endAs(run.capture);
      if (!ended) throw new ApiError("run_already_completed", "The run has ended already");
    }
    if (ended.diff !== undefined) return ended.diff;
    const run = await store.findRun(pool, runId);
    if (run?.status === "completed" && run.diff !== null) return run.diff;
    throw unavailable(`The run has failed: ${JSON.parse(run?.failures ?? "[]").join("; ")}`);
  }

  return {
    /** Begins a run. Every change from now on is recorded when this has returned. */
    async start(userId: string, { envId, testId, testSuiteId }: NewRun): Promise<StartedRun> {
      const id = environmentId(envId);
      const environment = id === undefined ? undefined : await environments.find(id, { userId });
      if (environment?.state !== "live") throw notFound();
      if (testId !== undefined) throw new ApiError("test_not_found", "There is no such test");
      if (testSuiteId !== undefined)
        throw new ApiError("suite_not_found", "There is no such suite");
      const run = {
        runId: newId(),
        environmentId: environment.environmentId,
        userId,
        beforeSnapshot: newId(),
        capture: capture.kind,
      };
      const tables = await templates.tablesOf(environment);
      const keys = Object.fromEntries(tables.map(({ name, key }) => [name, key]));
      const started = await capture.start(
        { run: run.runId, schema: environment.schemaName, keys },
        (sql, mark) => store.insertRun(sql, run, mark),
      );
      if (!started) {
        await environments.require(userId, envId);
        throw new ApiError("run_already_exists", "The environment has a run that is not ended");
      }
      return { runId: run.runId, status: "running", beforeSnapshot: run.beforeSnapshot };
    },

    /** Ends a run. Returns the answer as JSON text, with the diff as it was stored. */
    async diff(userId: string, runId: string): Promise<string> {
      const diff = await end(userId, runId);
      return `{"runId":${JSON.stringify(runId)},"status":"completed","diff":${diff}}`;
    },

    /** What a run has come to, as JSON text. */
    async results(userId: string, runId: string): Promise<string> {
      const run = await requireRun(userId, runId);
      const status = run.status === "ending" ? "running" : run.status;
      const time = status === "running" ? null : run.executionSeconds;
      return `{"runId":${JSON.stringify(runId)},"status":"${status}","passed":${run.passed},"score":${run.score ?? NO_SCORE},"failures":${run.failures},"diff":${run.diff},"execution_time":${time}}`;
    },
  };
}
