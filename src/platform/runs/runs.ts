/** Runs: what changed in an environment between two moments. */
import type { Capture } from "~/capture/capture";
import type { Pool } from "~/db/connect";
import { ApiError, unavailable } from "~/errors";
import type { Environments } from "~/platform/environments/environments";
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

  return {
    /** Begins a run. Every change from now on is recorded when this has returned. */
    async start(userId: string, { envId, testId, testSuiteId }: NewRun): Promise<StartedRun> {
      const environment = await environments.require(userId, envId);
      if (testId !== undefined) throw new ApiError("test_not_found", "There is no such test");
      if (testSuiteId !== undefined)
        throw new ApiError("suite_not_found", "There is no such suite");
      const { environmentId, schemaName } = environment;
      const run = {
        runId: newId(),
        environmentId,
        schemaName,
        userId,
        beforeSnapshot: newId(),
        capture: capture.kind,
      };
      const tables = await templates.tablesOf(environment);
      const keys = Object.fromEntries(tables.map(({ name, key }) => [name, key]));
      const started = await capture.start(
        { run: run.runId, schema: schemaName, keys },
        (sql, mark) => store.insertRun(sql, run, mark),
      );
      if (!started)
        throw new ApiError("run_already_exists", "The environment has a run that is not ended");
      return { runId: run.runId, status: "running", beforeSnapshot: run.beforeSnapshot };
    },

    /** Ends a run. Returns the answer as JSON text, with the diff as it was stored. */
    async diff(userId: string, runId: string): Promise<string> {
      const run = await requireRun(userId, runId);
      const ended =
        run.status === "running" &&
        (await capture.end({ run: runId, schema: run.schemaName, kind: run.capture }, (sql, mark) =>
          store.beginEnd(sql, runId, mark),
        ));
      if (!ended) throw new ApiError("run_already_completed", "The run has ended already");
      const result = await store.findRun(pool, runId);
      if (result?.status !== "completed")
        throw unavailable(`The run has failed: ${JSON.parse(result?.failures ?? "[]").join("; ")}`);
      return `{"runId":${JSON.stringify(runId)},"status":"completed","diff":${result.diff}}`;
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
