/**
 * Gives verdicts within a time limit. What may take long runs in a separate thread, because other calls must not wait
 * for it: at the limits of specs and diffs, conditions take minutes. A pattern takes at most its size times the length of
 * the text.
 */
import type { Keys, RunEvidence } from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import { evaluate, type Verdict } from "~/evaluation/evaluate";
import type { World } from "~/evaluation/world";
import { sizeOf } from "~/json";
import { createSemaphore } from "~/semaphore";
import { threadUrl } from "~/thread";

/** A spec, which has been compiled before, and the evidence, as JSON texts except for the calls. */
export type EvaluationInput = Pick<RunEvidence, "calls"> & {
  readonly expected: string;
  readonly world: World;
  readonly keys: Keys;
  readonly diff: string;
  /** The other fields of RunEvidence that a diff has. */
  readonly evidence: string;
  readonly baselineRows: string | null;
  readonly clock: string | null;
  /** The run's changes in their order; null if they are not known. */
  readonly events: string | null;
};

const DEADLINE_SECONDS = 10;
/** Characters of the spec times those of the evidence. At worst, conditions compare as many in 0.2 s. */
const WORK_MAX = 1e9;
/** Added to a spec's characters, because evidence is parsed in any case. */
const PARSING = 1_000;

/** True if the spec's conditions on this evidence, as JSON texts or as values, take too little time to matter. */
export const isQuick = ({ hasPatterns }: CompiledSpec, expected: string, evidence: unknown) =>
  !hasPatterns && (expected.length + PARSING) * sizeOf(evidence, WORK_MAX / PARSING) <= WORK_MAX;

/** The verdict of a spec that has been compiled. */
export function judge(spec: CompiledSpec, input: EvaluationInput): Verdict {
  const { calls, keys, diff, evidence, baselineRows, clock, events } = input;
  return evaluate(spec, keys, {
    ...(calls && { calls }),
    events,
    diff: JSON.parse(diff),
    ...JSON.parse(evidence),
    baselineRows: JSON.parse(baselineRows ?? "{}"),
    clock: JSON.parse(clock ?? "null"),
  });
}

export function createEvaluator(seconds = DEADLINE_SECONDS) {
  const oneAtATime = createSemaphore(1);
  let thread: Worker | undefined;

  function end() {
    thread?.terminate();
    thread = undefined;
  }

  async function ask(input: EvaluationInput): Promise<Verdict | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Verdict | undefined>();
    thread ??= new Worker(threadUrl("evaluation"));
    thread.unref();
    thread.onmessage = ({ data }: MessageEvent<Verdict>) => resolve(data);
    thread.onerror = ({ message }) => {
      end();
      reject(new Error(message));
    };
    const timer = setTimeout(() => {
      end();
      resolve(undefined);
    }, seconds * 1000);
    thread.postMessage(input);
    return await promise.finally(() => clearTimeout(timer));
  }

  return {
    /** An evaluation that exceeds the time limit fails. */
    async evaluate(spec: CompiledSpec, input: EvaluationInput): Promise<Verdict> {
      const { expected, diff, evidence, baselineRows, clock, calls, events } = input;
      if (isQuick(spec, expected, [diff, evidence, baselineRows, clock, calls, events]))
        return judge(spec, input);
      const verdict = await oneAtATime(() => ask(input));
      if (verdict) return verdict;
      const total = spec.assertions.length;
      return {
        passed: false,
        success: false,
        score: { passed: 0, total, percent: 0 },
        reward: 0,
        unsafe: null,
        undone: null,
        failures: [`the evaluation took longer than ${seconds} s`],
        explanations: [],
      };
    },

    stop: end,
  };
}
