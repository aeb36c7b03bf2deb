/**
 * Verdicts: compares a run's diff with the expectation of its test.
 *
 * The server that records the diff leaves the run `evaluating`, with everything the verdict needs in its row. Then the
 * server that received the call gives the verdict, or another one if that server has died.
 */
import { LRUCache } from "lru-cache";
import { megabytes, RUN_BYTES_MAX, RUN_ROWS_MAX } from "~/capture/limits";
import { failureOf } from "~/capture/loss";
import { readRows } from "~/capture/snapshot";
import type { Pool, Sql } from "~/db/connect";
import { ApiError } from "~/errors";
import { callsWanted } from "~/evaluation/calls";
import type { CompiledSpec } from "~/evaluation/compile";
import { deliveriesWanted } from "~/evaluation/deliveries";
import { afterEnding, type Ending, type FinalVerdict } from "~/evaluation/ending";
import { createEvaluator, isQuick } from "~/evaluation/evaluator";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { type Aliases, valueWithoutAliases } from "~/input/aliases";
import type { Environments } from "~/platform/environments/environments";
import type { KeptEvents } from "~/platform/events/kept";
import type { Counting } from "~/platform/journal/counting";
import * as store from "~/platform/runs/evaluation-store";
import { abandon, finish } from "~/platform/runs/lifecycle-store";
import type { OverdueVerdicts } from "~/platform/runs/overdue-verdicts";
import { requireSpec } from "~/platform/suites/preparation";
import type { Templates } from "~/platform/templates/templates";
import { createSemaphore } from "~/semaphore";

export type Evaluation = ReturnType<typeof createEvaluation>;

export const NO_CALLS = "An assertion counts calls, and the run's journal does not have them all";
export const NO_DELIVERIES =
  "An assertion counts deliveries, and the events of the run are not known: its environment had no apps when it began, or some are missing";
const COMPILED_MAX = 200;
const COMPILED_LENGTH_MAX = 64_000;
/** Evaluations that read unchanged rows at the same time: each has several copies of them in memory. */
const BASELINES = 2;

/** The verdict on a run whose calls or events cannot be counted because it made too many. */
const tooMany = (loss: "too_many_calls" | "too_many_events"): FinalVerdict => ({
  passed: false,
  success: false,
  attack: null,
  reward: 0,
  unsafe: null,
  undone: null,
  score: { passed: 0, total: 0, percent: 0 },
  failures: [failureOf(loss)],
  explanations: [],
  cause: "agent_limit",
});

/** JSON text. */
type Evaluated = Omit<store.EvaluatingRow, "baselineRows"> &
  Ending & { readonly baselineRows: string | null };

type RunVocabulary = Omit<Vocabulary, "tables" | "aliases"> & {
  readonly tables: Awaited<ReturnType<Templates["tablesOf"]>>;
  readonly aliases: Aliases;
};

export function createEvaluation(deps: {
  pool: Pool;
  environments: Environments;
  templates: Templates;
  /** Returns the calls of a run that has ended. */
  callsOf: Counting["callsOf"];
  kept: Pick<KeptEvents, "deliveriesOf">;
  overdue: OverdueVerdicts;
}) {
  const { pool, environments, templates, callsOf, kept, overdue } = deps;
  const evaluator = createEvaluator();
  const baselineInTurn = createSemaphore(BASELINES);
  /** Cache of compiled specs with the names that they were compiled for: tests run again and again. */
  const compiled = new LRUCache<string, { spec: CompiledSpec; vocabulary: RunVocabulary }>({
    max: COMPILED_MAX,
  });

  /** Returns the names that assertions can use in an environment, even after its end. */
  async function vocabularyOf(environmentId: string): Promise<RunVocabulary & { userId: string }> {
    const environment = await environments.find(environmentId);
    if (!environment) throw new Error("a run without an environment");
    return { userId: environment.userId, ...(await templates.vocabularyOf(environment)) };
  }

  /** Returns the input of an evaluation. A text: why its calls or deliveries cannot be counted. */
  async function inputOf(run: Evaluated, known?: CompiledSpec) {
    const { userId, ...vocabulary } = await vocabularyOf(run.environmentId);
    const spec = known ?? requireSpec(JSON.parse(run.expected), vocabulary, { isNew: false });
    const keys = Object.fromEntries(vocabulary.tables.map(({ name, key }) => [name, key]));
    const all = [...spec.assertions, ...spec.attack];
    const calls = spec.hasCalls ? await callsOf(run.runId, callsWanted(all)) : [];
    if (typeof calls === "string") return calls === "own" ? "too_many_calls" : calls;
    const deliveries = spec.hasDeliveries
      ? await kept.deliveriesOf(run.runId, deliveriesWanted(all))
      : [];
    if (typeof deliveries === "string") return deliveries === "own" ? "too_many_events" : "lost";
    return { userId, spec, input: { ...run, vocabulary, keys, calls, deliveries } };
  }

  /** Undefined if the calls or deliveries that the spec counts are not known. */
  async function evaluateRun(
    run: Evaluated,
    known?: CompiledSpec,
  ): Promise<FinalVerdict | undefined> {
    const given = await inputOf(run, known);
    if (given === "lost") return undefined;
    if (typeof given === "string") return afterEnding(tooMany(given), run);
    return afterEnding(await evaluator.evaluate(given.userId, given.spec, given.input), run);
  }

  async function conclude(runId: string, spec?: CompiledSpec): Promise<FinalVerdict | undefined> {
    const run = await store.findEvaluating(pool, runId);
    if (!run) return await store.findVerdict(pool, runId);
    const verdict = await evaluateRun(run, spec);
    if (verdict) await finish(pool, runId, verdict);
    else await abandon(pool, runId, "verdict_failed");
    return verdict;
  }

  return {
    /** Compiles an expectation, given as JSON text. Throws `invalid_assertion`. `isNew`: it was not stored before. */
    async compile(
      environmentId: string,
      expected: string,
      { isNew }: { isNew: boolean },
    ): Promise<CompiledSpec> {
      const vocabulary = await vocabularyOf(environmentId);
      const cached = `${isNew} ${expected}`;
      const known = compiled.get(cached);
      if (
        known?.vocabulary.tables === vocabulary.tables &&
        known.vocabulary.aliases === vocabulary.aliases
      )
        return known.spec;
      const spec = requireSpec(JSON.parse(expected), vocabulary, { isNew });
      if (expected.length > COMPILED_LENGTH_MAX) return spec;
      compiled.set(cached, { spec, vocabulary });
      return spec;
    },

    /**
     * Returns rows for assertions on unchanged rows, as JSON text. Read before the run ends: rows that the diff does
     * not mention did not change, and for the others the evidence is authoritative.
     */
    async baselineRows(
      sql: Sql,
      environmentId: string,
      spec: CompiledSpec,
      expected: string,
    ): Promise<string> {
      const wanted = spec.assertions.filter(({ diffType }) => diffType === "unchanged");
      if (wanted.length === 0) return "{}";
      const schema = (await environments.find(environmentId))?.schemaName ?? "";
      const names = [...new Set(wanted.map(({ entity }) => entity))];
      return await baselineInTurn(async () => {
        const limits = { rows: RUN_ROWS_MAX, bytes: RUN_BYTES_MAX };
        const { found, cut } = await readRows(sql, schema, names, limits);
        if (cut[0] !== undefined)
          throw new ApiError(
            "invalid_assertion",
            `${cut[0]} has too many rows for unchanged: more than ${RUN_ROWS_MAX}, or more than ${megabytes(RUN_BYTES_MAX)} with the other tables of unchanged`,
          );
        if (!isQuick(spec, expected, found)) return JSON.stringify(found);
        const { aliases } = await vocabularyOf(environmentId);
        for (const [table, rows] of Object.entries(valueWithoutAliases(found, aliases))) {
          const asked = wanted.filter(({ entity }) => entity === table);
          found[table] = rows.filter((row) => asked.some(({ matches }) => matches(row)));
        }
        return JSON.stringify(found);
      });
    },

    evaluateRun,

    /** Returns the rows that decide the verdict; undefined if they cannot be known, or take too long. */
    async findings(run: Evaluated, known: CompiledSpec) {
      const given = await inputOf(run, known);
      if (typeof given === "string") return undefined;
      return await evaluator.findings(given.userId, given.spec, given.input);
    },

    /**
     * Returns the verdict of a run that has ended: gives it if the run still waits for it, otherwise reads it.
     * Undefined for a run that failed without a verdict.
     */
    conclude: (runId: string, spec?: CompiledSpec) =>
      overdue.giving(runId, () => conclude(runId, spec)),

    /** Begins to give the verdicts of servers that have died. */
    concludeOverdue: () => overdue.begin(conclude),

    stop() {
      overdue.stop();
      evaluator.stop();
    },
  };
}
