/**
 * Evaluates specs with patterns outside the event loop and within a time limit. A pattern takes at most its size times
 * the length of the text. At both limits that is a minute, and other calls must not wait for it.
 */
import type { Keys, RunEvidence } from "~/evaluation/candidates";
import type { World } from "~/evaluation/compile";
import type { Verdict } from "~/evaluation/evaluate";
import { createSemaphore } from "~/semaphore";
import { threadUrl } from "~/thread";

/** A spec as JSON text, which has been compiled before, and the evidence. */
export type EvaluationInput = {
  readonly expected: string;
  readonly world: World;
  readonly keys: Keys;
  readonly evidence: RunEvidence;
};

const DEADLINE_SECONDS = 3;

export function createPatternWorker(seconds = DEADLINE_SECONDS) {
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
    async evaluate(input: EvaluationInput): Promise<Verdict> {
      const verdict = await oneAtATime(() => ask(input));
      if (verdict) return verdict;
      const total = JSON.parse(input.expected).assertions.length;
      return {
        passed: false,
        score: { passed: 0, total, percent: 0 },
        failures: [`the patterns took longer than ${seconds} s`],
        explanations: [],
      };
    },

    stop: end,
  };
}
