/** Verdicts in a thread of their own. Speaks to `aside.ts` in messages; started by it only. */
import type { Trial } from "~/evaluation/aside";
import { compile } from "~/evaluation/compile";
import { evaluate } from "~/evaluation/evaluate";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<Trial>) => {
  const { expected, world, keys, evidence } = data;
  self.postMessage(evaluate(compile(JSON.parse(expected), world), keys, evidence));
};
