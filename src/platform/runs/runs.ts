/** Runs: the changes of an environment between two moments. */
import type { Capture } from "~/capture/capture";
import { inTransaction, type Pool, type Sql } from "~/db/connect";
import { ApiError } from "~/errors";
import { pageOf, readPage } from "~/http/page";
import type { Log } from "~/log";
import type { Acting } from "~/platform/environments/acting";
import type { Environments } from "~/platform/environments/environments";
import { environmentId, notFound } from "~/platform/environments/id";
import type { KeptEvents } from "~/platform/events/kept";
import type { Once } from "~/platform/idempotency/idempotency";
import { createEnds } from "~/platform/runs/ends";
import type { Evaluation } from "~/platform/runs/evaluation";
import { countRuns, listRuns } from "~/platform/runs/evaluation-store";
import type { Expiry } from "~/platform/runs/expiry";
import * as lifecycle from "~/platform/runs/lifecycle-store";
import { COUNT_MAX, type RunQuery } from "~/platform/runs/list-model";
import { createRunLookup } from "~/platform/runs/lookup";
import { LABELS_MAX, type NewRun, type RunChange, type StartedRun } from "~/platform/runs/model";
import { changeRun } from "~/platform/runs/note-store";
import { createResults } from "~/platform/runs/results";
import { findNeighbours, listAttempts } from "~/platform/runs/siblings-store";
import type { Starting } from "~/platform/runs/starting";
import { createSuiteResults } from "~/platform/runs/suite-results";
import { consoleUrl, view } from "~/platform/runs/view";
import { type Suites, testNotFound } from "~/platform/suites/suites";

export type Runs = ReturnType<typeof createRuns>;

const LIST = "runs";
const ATTEMPTS_MAX = 100;

/** Throws `invalid_request`. */
function momentOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(text);
  const year = moment.getUTCFullYear();
  // Postgres reads no year 0, and a year beyond 9999 would be written with a sign.
  if (/^\d{4}-\d\d-\d\d/.test(text) && year >= 1 && year <= 9999) return moment;
  throw new ApiError("invalid_request", `${name}: a time such as 2026-01-05T09:00:00Z is needed`);
}

export function createRuns(deps: {
  pool: Pool;
  environments: Environments;
  starting: Starting;
  suites: Suites;
  evaluation: Evaluation;
  capture: Capture;
  expiry: Expiry;
  kept: KeptEvents;
  acting: Pick<Acting, "settle">;
  log: Log;
}) {
  const { pool, environments, starting, suites, expiry, capture } = deps;
  const lookup = createRunLookup({ pool, expiry });
  const { remember, diff, evaluate } = createEnds({ ...deps, lookup });

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

  return {
    require: lookup.require,
    diff,
    evaluate,
    ...createResults({ pool, lookup }),
    ...createSuiteResults({ pool, suites, expiry }),

    /** Starts a run. When it returns, every later change is recorded. */
    async start(userId: string, wanted: NewRun, once?: Once): Promise<StartedRun> {
      const id = environmentId(wanted.envId);
      const environment = id === undefined ? undefined : await environments.find(id, { userId });
      if (environment?.state !== "live") throw notFound(wanted.envId);
      const expected = await expectation(userId, environment.service, wanted);
      const run = starting.newRun(userId, environment.environmentId, wanted, expected);
      const { runId, beforeSnapshot } = run;
      const url = consoleUrl(runId);
      const answer: StartedRun = { runId, status: "running", beforeSnapshot, consoleUrl: url };
      const started = await starting.start(run, environment, (sql, start) => {
        const within = async (tx: Sql) => {
          await once?.take(tx);
          const started = await lifecycle.insertRun(tx, run, start);
          if (started === "started") await once?.keep(tx, answer);
          else await once?.giveBack(tx);
          return started;
        };
        // A snapshot comparison starts in a transaction anyway.
        return capture.kind === "snapshot" ? within(sql) : inTransaction(pool, within);
      });
      if (!started) {
        await environments.require(userId, wanted.envId);
        throw new ApiError("run_already_exists", "The environment has an active run");
      }
      remember(run);
      return answer;
    },

    /** Lists this user's runs, in pages. */
    async list(userId: string, query: RunQuery, labels: { readonly [name: string]: string } = {}) {
      const page = readPage(query, LIST, userId);
      const { environmentId: envId, testId, testSuiteId: suiteId, status, verdict, text } = query;
      const filter = {
        environmentId: envId && (environmentId(envId) ?? envId),
        testId,
        suiteId,
        status,
        verdict,
        text,
        from: momentOf("from", query.from),
        to: momentOf("to", query.to),
        bookmarked: query.bookmarked === "true",
        labels,
      };
      await expiry.end({ userId });
      const [found, counts] = await Promise.all([
        listRuns(pool, userId, filter, page),
        query.count && countRuns(pool, userId, filter, COUNT_MAX),
      ]);
      const { rows, ...rest } = pageOf(found, page, LIST, userId);
      return { runs: rows.map(view), ...(counts && { counts }), ...rest };
    },

    /** Lists the attempts beside a run. Throws `run_not_found`. */
    async siblings(userId: string, runId: string) {
      const { testId } = await lookup.require(userId, runId);
      const [attempts, around] = await Promise.all([
        testId === null ? [] : listAttempts(pool, userId, runId, ATTEMPTS_MAX),
        findNeighbours(pool, userId, runId),
      ]);
      return { runId, attempts: attempts.map(view), ...around };
    },

    /** Changes labels, note, bookmark and cost. Throws `run_not_found`, and `invalid_request` for too many labels. */
    async change(userId: string, runId: string, change: RunChange) {
      const changed = await changeRun(pool, userId, runId, change, LABELS_MAX);
      if (changed) return { runId, ...changed };
      await lookup.require(userId, runId);
      throw new ApiError("invalid_request", `labels: a run has at most ${LABELS_MAX}`);
    },
  };
}
