/** Evaluates specs in a separate thread. Only `pattern-worker.ts` starts it and sends it messages. */

import { compile } from "~/evaluation/compile";
import { evaluate } from "~/evaluation/evaluate";
import type { EvaluationInput } from "~/evaluation/pattern-worker";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<EvaluationInput>) => {
  const { expected, world, keys, evidence } = data;
  self.postMessage(evaluate(compile(JSON.parse(expected), world), keys, evidence));
};
