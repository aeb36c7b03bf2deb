/** Evaluates specs in a separate thread. Only `evaluator.ts` starts it and sends it messages. */

import { compile } from "~/evaluation/compile";
import { type EvaluationTask, judge } from "~/evaluation/evaluator";

declare const self: Worker;

self.onmessage = ({ data: { way, input } }: MessageEvent<EvaluationTask>) => {
  self.postMessage(judge(way, compile(JSON.parse(input.expected), input.vocabulary), input));
};
