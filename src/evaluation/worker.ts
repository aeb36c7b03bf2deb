/** Verdicts in a thread of their own. Speaks to `aside.ts` in messages; started by it only. */

import { compile } from "~/evaluation/compile";
import { evaluate } from "~/evaluation/evaluate";
import type { EvaluationInput } from "~/evaluation/pattern-worker";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<EvaluationInput>) => {
  const { expected, world, keys, evidence } = data;
  self.postMessage(evaluate(compile(JSON.parse(expected), world), keys, evidence));
};
