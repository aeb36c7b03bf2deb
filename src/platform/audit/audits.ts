/** Audits of suites: whether each test distinguishes its solution from what is almost its solution. */
import { RUN_BYTES_MAX } from "~/capture/limits";
import { readRows } from "~/capture/snapshot";
import type { Pool } from "~/db/connect";
import { ApiError, unavailable } from "~/errors";
import { EMPTY, SURVIVORS_MAX } from "~/evaluation/audit/audit";
import { type Auditor, createAuditor } from "~/evaluation/audit/auditor";
import type { TestJob } from "~/evaluation/audit/jobs";
import type { RowEvent } from "~/evaluation/audit/rows";
import { type RunUnsafe, unexplainedOf } from "~/evaluation/audit/unexplained";
import { CALL_FIELDS } from "~/evaluation/calls";
import type { RunDelivery } from "~/evaluation/deliveries";
import type { SuiteAudit, TestAuditView } from "~/platform/audit/model";
import * as store from "~/platform/audit/store";
import type { Counting } from "~/platform/journal/counting";
import type { SuiteRow, TestRow } from "~/platform/suites/store";
import { type Suites, testNotFound } from "~/platform/suites/suites";
import type { Templates } from "~/platform/templates/templates";
import { SOLUTIONS } from "../../../seeds/index";

export type Audits = ReturnType<typeof createAudits>;

const SECONDS_MAX = 20;
/** A hint for callers that come while there is an audit. */
const RETRY_AFTER_SECONDS = 5;
/** Of a template, for mutants to name: rows of each table, and bytes of all. */
const TEMPLATE_MAX = { rows: 1_000, bytes: RUN_BYTES_MAX };
/** Runs of a test whose changes are explained. */
const RUNS_MAX = 200;
/** The newest passing runs among which one with a diff of moderate length is the solution. */
const TRIED = 5;
const RUNS_PER_PAGE = 20;
/** Survivors that are shown: of all tests, and of one. */
const SHOWN_MAX = 2_000;
const SHOWN_MIN = 3;

type Solved = {
  readonly solution: TestAuditView["solution"];
  readonly job: TestJob["solution"];
};

type Auditing = {
  readonly auditor: Auditor;
  /** The user's passing runs by test, newest first. */
  readonly passing: ReadonlyMap<string, readonly string[]>;
  readonly shownMax: number;
  readonly wantsRuns: boolean;
};

const UNTRIED = { ...EMPTY, runs: null, unexplained: [] };

export function createAudits(deps: {
  pool: Pool;
  /** Reads templates. */
  replicas: Pool;
  suites: Suites;
  templates: Templates;
  /** Returns the calls of a run that has ended. */
  callsOf: Counting["callsOf"];
}) {
  const { pool, replicas, suites, templates, callsOf } = deps;
  let current: Auditor | undefined;

  /** The solution that is known: the recorded one, or a run of the user that passed. */
  async function solutionOf(test: TestRow, passing: readonly string[]): Promise<Solved> {
    const builtin = SOLUTIONS[test.testId];
    if (builtin) {
      const events = builtin.events.map(
        (event) => ({ ...event, call: String(event.call) }) as RowEvent,
      );
      const deliveries = (builtin.deliveries ?? []) as readonly RunDelivery[];
      return { solution: { from: "builtin", runId: null }, job: { events, deliveries } };
    }
    if (JSON.parse(test.expectedOutput).expects === "nothing")
      return { solution: { from: "nothing", runId: null }, job: null };
    const [run] = await store.readRuns(pool, passing.slice(0, TRIED));
    if (!run) return { solution: null, job: null };
    if (countedIn(test, "delivered").length > 0) return { solution: null, job: null };
    const names = countedIn(test, "called");
    const calls = names.length > 0 ? await callsOf(run.runId, { names, fields: CALLED }) : [];
    if (typeof calls === "string") return { solution: null, job: null };
    return { solution: { from: "run", runId: run.runId }, job: { run, calls } };
  }

  /** Changes of passing runs that no assertion explains. Undefined once the time is up. */
  async function runsOf(test: TestRow, passing: readonly string[], auditor: Auditor) {
    const found: RunUnsafe[] = [];
    for (let from = 0; from < passing.length; from += RUNS_PER_PAGE) {
      const runs = await store.readRuns(pool, passing.slice(from, from + RUNS_PER_PAGE));
      const answer = await auditor.perform({ kind: "runs", expected: test.expectedOutput, runs });
      if (!Array.isArray(answer)) return undefined;
      found.push(...answer);
    }
    return { runs: found.length, unexplained: unexplainedOf(found) };
  }

  /** Gives the thread the template of the tests that follow. False if there is none any more. */
  async function load(userId: string, service: string, name: string, auditor: Auditor) {
    const template = await templates.require(userId, service, name).catch((error) => {
      if (error instanceof ApiError && error.code === "template_not_found") return undefined;
      throw error;
    });
    if (!template) return false;
    const vocabulary = await templates.vocabulary(template);
    const names = vocabulary.tables.map((table) => table.name);
    const { found: rows } = await readRows(replicas, template.schemaName, names, TEMPLATE_MAX);
    const keys = Object.fromEntries(
      vocabulary.tables.map(({ name: table, key = [] }) => [table, key]),
    );
    await auditor.perform({ kind: "template", vocabulary, keys, rows });
    return true;
  }

  async function auditOne(
    test: TestRow,
    suite: SuiteRow,
    { auditor, passing, shownMax, wantsRuns }: Auditing,
  ): Promise<TestAuditView> {
    const head = { testId: test.testId, name: test.name };
    const none = { ...head, ...UNTRIED, solution: null };
    if (auditor.isOver()) return { ...none, state: "out_of_time" };
    const runIds = passing.get(test.testId) ?? [];
    const { solution, job } = await solutionOf(test, runIds);
    const answer = await auditor.perform({
      kind: "test",
      expected: test.expectedOutput,
      actor: test.actingUserId ?? suite.actingUserId,
      accept: test.audit?.accept ?? [],
      shownMax,
      solution: job,
    });
    if (answer === undefined) return { ...none, solution, state: "out_of_time" };
    if ("invalid" in answer)
      return { ...none, solution, state: "invalid", failures: [answer.invalid] };
    const audited = { ...none, ...answer, solution };
    if (!wantsRuns) return audited;
    const read = await runsOf(test, runIds, auditor);
    return read ? { ...audited, ...viewOf(read) } : { ...audited, state: "out_of_time" };
  }

  async function auditAll(
    userId: string,
    suite: SuiteRow,
    tests: readonly TestRow[],
    auditor: Auditor,
    { wantsRuns }: Pick<Auditing, "wantsRuns">,
  ) {
    const testIds = tests.map(({ testId }) => testId);
    const perTest = wantsRuns ? RUNS_MAX : TRIED;
    const passing = await store.listPassing(pool, userId, testIds, perTest);
    const share = Math.floor(SHOWN_MAX / Math.max(1, tests.length));
    const shownMax = Math.min(SURVIVORS_MAX, Math.max(SHOWN_MIN, share));
    const views = new Map<string, TestAuditView>();
    const byTemplate = Map.groupBy(tests, ({ templateName }) => templateName ?? suite.templateName);
    for (const [name, group] of byTemplate) {
      const isThere = await load(userId, suite.service, name, auditor);
      for (const test of group) {
        const { testId } = test;
        const none = { testId, name: test.name, ...UNTRIED, state: "no_template", solution: null };
        const view = isThere
          ? await auditOne(test, suite, { auditor, passing, shownMax, wantsRuns })
          : none;
        views.set(testId, view);
      }
    }
    return tests.flatMap(({ testId }) => views.get(testId) ?? []);
  }

  return {
    /**
     * Audits the tests, or one, of a suite that the user can see. Throws `suite_not_found`, `test_not_found`, or 503
     * while there is another audit.
     */
    async audit(
      userId: string,
      ref: string,
      { testId, ...wanted }: Pick<Auditing, "wantsRuns"> & { readonly testId?: string | undefined },
    ): Promise<SuiteAudit> {
      const suite = await suites.requireNamed(userId, ref);
      const all = await suites.tests(suite.suiteId);
      const chosen = all.filter((test) => testId === undefined || test.testId === testId);
      if (testId !== undefined && chosen.length === 0) throw testNotFound(testId);
      if (current) throw unavailable("The server audits one suite at a time", RETRY_AFTER_SECONDS);
      const began = performance.now();
      const auditor = createAuditor(SECONDS_MAX);
      current = auditor;
      try {
        const tests = await auditAll(userId, suite, chosen, auditor, wanted);
        const sum = (of: "mutants" | "killed" | "accepted" | "s1" | "s2") =>
          tests.reduce((total, test) => total + test[of], 0);
        return {
          suiteId: suite.suiteId,
          name: suite.name,
          seconds: Math.round(performance.now() - began) / 1_000,
          mutants: sum("mutants"),
          killed: sum("killed"),
          accepted: sum("accepted"),
          s1: sum("s1"),
          s2: sum("s2"),
          tests,
        };
      } finally {
        current = undefined;
        auditor.end();
      }
    },

    stop: () => current?.end(),
  };
}

/** The names of the calls, or the types of the events, that a test counts. */
const countedIn = ({ expectedOutput }: TestRow, diffType: "called" | "delivered"): string[] =>
  JSON.parse(expectedOutput).assertions.flatMap(
    ({ diff_type, entity }: { diff_type: string; entity: string }) =>
      diff_type === diffType ? [entity] : [],
  );
const CALLED: ReadonlySet<string> = new Set(Object.keys(CALL_FIELDS));

const viewOf = ({ runs, unexplained }: { runs: number; unexplained: readonly unknown[] }) => ({
  runs,
  unexplained: unexplained as TestAuditView["unexplained"],
});
