/** Evaluates specs in a separate thread. Only `evaluator.ts` starts it and sends it messages. */

import { compile } from "~/evaluation/compile";
import { type EvaluationInput, judge } from "~/evaluation/evaluator";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<EvaluationInput>) => {
  self.postMessage(judge(compile(JSON.parse(data.expected), data.vocabulary), data));
};
