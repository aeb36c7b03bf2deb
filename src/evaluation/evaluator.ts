/**
 * Gives verdicts within a time limit. What may take long runs in a separate thread, because other calls must not wait
 * for it: at the limits of specs and diffs, conditions take minutes. A pattern takes at most its size times the length of
 * the text.
 */

import { unavailable } from "~/errors";
import type { Keys, RunEvidence } from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import { evaluate, type Verdict } from "~/evaluation/evaluate";
import { findingsOf } from "~/evaluation/findings";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { NO_ALIASES, valueWithoutAliases, withoutAliases } from "~/input/aliases";
import { sizeOf } from "~/input/json";
import { createFairSemaphore } from "~/semaphore";
import { threadUrl } from "~/thread";

/** A spec, which has been compiled before, and the evidence, as JSON texts except for calls and deliveries. */
type EvaluationInput = Pick<RunEvidence, "calls" | "deliveries"> & {
  readonly expected: string;
  readonly vocabulary: Vocabulary;
  readonly keys: Keys;
  readonly diff: string;
  /** The other fields of RunEvidence that a diff has. */
  readonly evidence: string;
  readonly baselineRows: string | null;
  readonly others: string | null;
  /** The run's changes in their order; null if they are not known. */
  readonly events: string | null;
};

const DEADLINE_SECONDS = 10;
/** One owner uses one: the evaluations of the others go on beside it. */
const THREADS_MAX = 2;
/** Slow evaluations of one owner that wait. Verdicts beyond are given later. */
const WAITING_MAX = 100;
/** Characters of the spec times those of the evidence. At worst, conditions compare as many in 0.2 s. */
const WORK_MAX = 1e9;
/** Added to a spec's characters, because evidence is parsed in any case. */
const PARSING = 1_000;

/** True if the spec's conditions on this evidence, as JSON texts or as values, take too little time to matter. */
export const isQuick = ({ hasPatterns }: CompiledSpec, expected: string, evidence: unknown) =>
  !hasPatterns && (expected.length + PARSING) * sizeOf(evidence, WORK_MAX / PARSING) <= WORK_MAX;

/** The results of an evaluation: the verdict, or the rows that decided it. */
const WAYS = { verdict: evaluate, findings: findingsOf } as const;
type Way = keyof typeof WAYS;
type Given<W extends Way> = ReturnType<(typeof WAYS)[W]>;
/** To a thread. */
export type EvaluationTask = { readonly way: Way; readonly input: EvaluationInput };

/** The verdict of a spec that has been compiled, or its findings. */
export function judge<W extends Way>(way: W, spec: CompiledSpec, input: EvaluationInput): Given<W> {
  const { calls, deliveries, keys, vocabulary, diff, evidence, baselineRows, others, events } =
    input;
  const { aliases = NO_ALIASES } = vocabulary;
  const present = (text: string) => withoutAliases(text, aliases);
  return WAYS[way](spec, keys, {
    ...(calls && { calls: valueWithoutAliases(calls, aliases) }),
    ...(deliveries && { deliveries: valueWithoutAliases(deliveries, aliases) }),
    events: events && present(events),
    diff: JSON.parse(present(diff)),
    ...JSON.parse(present(evidence)),
    baselineRows: JSON.parse(present(baselineRows ?? "{}")),
    others: JSON.parse(present(others ?? "null")),
  }) as Given<W>;
}

export function createEvaluator(seconds = DEADLINE_SECONDS) {
  const inTurn = createFairSemaphore({ limit: THREADS_MAX, waitingMax: WAITING_MAX }, () =>
    unavailable(`${WAITING_MAX} slow evaluations of this user are waiting`),
  );
  const busy = new Set<Worker>();
  /** Kept for the next evaluation: starting a thread takes time. */
  let idle: Worker | undefined;

  function take(): Worker {
    const thread = idle ?? new Worker(threadUrl("evaluation"));
    idle = undefined;
    busy.add(thread);
    thread.unref();
    return thread;
  }

  function giveBack(thread: Worker): void {
    if (!busy.delete(thread)) return;
    if (idle) thread.terminate();
    else idle = thread;
  }

  function end(thread: Worker): void {
    busy.delete(thread);
    thread.terminate();
  }

  async function ask<W extends Way>(way: W, input: EvaluationInput): Promise<Given<W> | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Given<W> | undefined>();
    const thread = take();
    thread.onmessage = ({ data }: MessageEvent<Given<W>>) => resolve(data);
    thread.onerror = ({ message }) => {
      end(thread);
      reject(new Error(message));
    };
    const timer = setTimeout(() => {
      end(thread);
      resolve(undefined);
    }, seconds * 1000);
    thread.postMessage({ way, input } satisfies EvaluationTask);
    return await promise.finally(() => {
      clearTimeout(timer);
      giveBack(thread);
    });
  }

  /** Undefined if it takes longer than the time limit. */
  async function give<W extends Way>(
    way: W,
    owner: string,
    spec: CompiledSpec,
    input: EvaluationInput,
  ): Promise<Given<W> | undefined> {
    const { expected, diff, evidence, baselineRows, others, calls, deliveries, events } = input;
    const found = [diff, evidence, baselineRows, others, calls, deliveries, events];
    if (isQuick(spec, expected, found)) return judge(way, spec, input);
    return await inTurn(owner, () => ask(way, input));
  }

  return {
    /**
     * An evaluation that exceeds the time limit fails. Slow ones of one owner run one after the other. Throws 503 if too
     * many of them wait.
     */
    async evaluate(owner: string, spec: CompiledSpec, input: EvaluationInput): Promise<Verdict> {
      const verdict = await give("verdict", owner, spec, input);
      if (verdict) return verdict;
      const total = spec.assertions.length;
      return {
        passed: false,
        success: false,
        attack: null,
        score: { passed: 0, total, percent: 0 },
        reward: 0,
        unsafe: null,
        undone: null,
        failures: [`the evaluation took longer than ${seconds} s`],
        explanations: [],
      };
    },

    /** As `evaluate`; undefined for an evaluation that exceeds the time limit. */
    findings: (owner: string, spec: CompiledSpec, input: EvaluationInput) =>
      give("findings", owner, spec, input),

    stop() {
      for (const thread of [...busy, ...(idle ? [idle] : [])]) end(thread);
      idle = undefined;
    },
  };
}
