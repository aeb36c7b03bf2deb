/** Why a run has its verdict, in words with names. */
import type { Diff } from "~/capture/fold";
import type { Pool } from "~/db/connect";
import { ApiError } from "~/errors";
import type { CompiledSpec } from "~/evaluation/compile";
import type { Findings } from "~/evaluation/findings";
import type { Spec } from "~/evaluation/spec";
import { sayReasons } from "~/evaluation/words/reasons";
import { reasonText } from "~/evaluation/words/text";
import { findFirstTime } from "~/platform/environments/clock-store";
import type { Environments } from "~/platform/environments/environments";
import { createCallNumbers } from "~/platform/journal/call-numbers";
import type { JournalListing } from "~/platform/journal/listing";
import type { Numbering } from "~/platform/journal/numbering";
import type { Evaluation } from "~/platform/runs/evaluation";
import { findGradable, type GradableRow } from "~/platform/runs/evaluation-store";
import { createNaming, type RunRow, type Where } from "~/platform/runs/naming";
import type { Runs } from "~/platform/runs/runs";
import type { RunRow as StoredRun } from "~/platform/runs/store";
import { consoleUrl, isOpen } from "~/platform/runs/view";
import { requireSpec } from "~/platform/suites/preparation";
import { namesTime, promptAt } from "~/platform/suites/prompt";
import type { Suites } from "~/platform/suites/suites";
import type { Templates } from "~/platform/templates/templates";
import { memberOf, WORLD } from "~/replicas/members";

export type Reasons = ReturnType<typeof createReasons>;

/** Characters of a diff that is searched for names. */
const DIFF_MAX = 8 * 1024 * 1024;
const PROBLEMS_MAX = 10;
const EMPTY = { assertions: [], closedWorld: null, allowed: [], unsafe: { count: 0, rows: [] } };

export function createReasons(deps: {
  pool: Pool;
  runs: Runs;
  environments: Environments;
  templates: Templates;
  suites: Suites;
  evaluation: Evaluation;
  numbering: Numbering;
  listing: JournalListing;
}) {
  const { pool, runs, environments, templates, suites, evaluation, numbering, listing } = deps;
  const naming = createNaming({ pool, templates });
  const callNumbers = createCallNumbers({ pool, numbering, pageOf: listing.pageOf });

  /** Undefined without a diff to explain, and if it takes too long. */
  async function findingsOf(
    userId: string,
    run: StoredRun,
    spec: CompiledSpec,
  ): Promise<{ findings: Findings; run: GradableRow } | undefined> {
    if (isOpen(run.status)) return undefined;
    const gradable = await findGradable(pool, userId, run.runId);
    if (!gradable || run.expected === null) return undefined;
    const { evidence } = gradable;
    if (evidence === null && JSON.parse(gradable.diff).updates.length > 0) return undefined;
    const whole = { ...gradable, runId: run.runId, expected: run.expected };
    const findings = await evaluation.findings(
      { ...whole, evidence: evidence ?? NO_EVIDENCE },
      spec,
    );
    return findings && { findings, run: gradable };
  }

  /** The prompt of a run's test, as the agent got it. */
  async function promptOf(userId: string, run: StoredRun): Promise<string | null> {
    const test = run.testId === null ? undefined : await suites.findTest(userId, run.testId);
    if (!test) return null;
    const { prompt } = test;
    const time = namesTime(prompt) ? await findFirstTime(pool, run.environmentId) : undefined;
    return promptAt(prompt, time ?? run.startedAt);
  }

  return {
    /** Throws `run_not_found`. */
    async ofRun(userId: string, runId: string) {
      const run = await runs.require(userId, runId);
      const { status, expected } = run;
      const isRunning = isOpen(status);
      const head = {
        runId,
        status: isRunning ? ("running" as const) : (status as "completed" | "passed" | "failed"),
        consoleUrl: consoleUrl(runId),
        prompt: await promptOf(userId, run),
        problems: isRunning ? [] : problemsOf(JSON.parse(run.failures)),
      };
      const environment = await environments.find(run.environmentId);
      if (expected === null || !environment)
        return { ...head, complete: true, ...EMPTY, text: reasonText({ ...head, ...EMPTY }) };
      const spec = await evaluation.compile(run.environmentId, expected, { isNew: false });
      const found = await findingsOf(userId, run, spec);
      const said = await naming.withNames(
        environment,
        found ? rowsOf(found.run.diff) : [],
        (words) => sayReasons(words, spec, descriptionsOf(expected), found?.findings),
      );
      const rows = [
        ...said.assertions.flatMap(({ rows, nearest }) => [...rows, ...nearest]),
        ...said.unsafe.rows,
      ];
      const events = rows.flatMap(({ event }) => event ?? []);
      const numbers = await callNumbers.of(runId, new Set(events));
      const service = environment.service;
      const linked = <Row extends (typeof rows)[number]>(row: Row) => ({
        ...row,
        service: service === WORLD ? (memberOf(row.table) ?? null) : service,
        call: row.call ?? (row.event === null ? null : (numbers.get(row.event) ?? null)),
      });
      const whole = {
        ...head,
        complete: isRunning || found !== undefined,
        ...said,
        assertions: said.assertions.map(({ rows, nearest, ...assertion }) => ({
          ...assertion,
          rows: rows.map(linked),
          nearest: nearest.map(linked),
        })),
        unsafe: { ...said.unsafe, rows: said.unsafe.rows.map(linked) },
      };
      return { ...whole, text: reasonText(whole) };
    },

    /** The sentences of a test, with the names of its template. Throws `test_not_found`. */
    async ofTest(userId: string, testId: string) {
      const test = await suites.requireTest(userId, testId);
      const { expectedOutput, service, templateName } = test;
      const template = await templates.require(userId, service, templateName).catch((error) => {
        if (error instanceof ApiError) return undefined;
        throw error;
      });
      if (!template) return { testId, assertions: [], closedWorld: null, allowed: [] };
      const vocabulary = await templates.vocabulary(template);
      const spec = requireSpec(JSON.parse(expectedOutput), vocabulary, { isNew: false });
      const { schemaName } = template;
      const where: Where = {
        userId,
        service,
        templateName,
        schemaName,
        templateSchema: schemaName,
        members: null,
      };
      const said = await naming.withNames(where, [], (words) =>
        sayReasons(words, spec, descriptionsOf(expectedOutput), undefined),
      );
      return {
        testId,
        assertions: said.assertions.map(({ assertion, expected, description, harm }) => ({
          assertion,
          expected,
          description,
          harm,
        })),
        closedWorld: said.closedWorld?.expected ?? null,
        allowed: said.allowed,
      };
    },
  };
}

const NO_EVIDENCE = '{"unchangedColumns":[],"revertedRows":[],"transientRows":[]}';

const descriptionsOf = (expected: string) =>
  ((JSON.parse(expected) as Spec).assertions ?? []).map(({ description }) => description);

/** Failures that no assertion and no closed world is the reason of. */
const problemsOf = (failures: readonly string[]) =>
  failures.filter((failure) => !/^(assertion#|closed_world )/.test(failure)).slice(0, PROBLEMS_MAX);

/** The rows that the run made, removed and changed, as they were before if they were. */
function rowsOf(diff: string): RunRow[] {
  if (diff.length > DIFF_MAX) return [];
  const { inserts, updates, deletes } = JSON.parse(diff) as Diff;
  return [
    ...[...inserts, ...deletes].map((row) => ({ table: `${row["__table__"]}`, row })),
    ...updates.map((update) => ({
      table: `${update["__table__"]}`,
      row: { ...(update["key"] as object), ...(update["before"] as object) },
    })),
  ];
}
