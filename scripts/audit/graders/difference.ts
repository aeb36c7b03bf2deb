/** Judges the difference of two readings with the test's own expectation, by the evaluator of the server. */
import { compile } from "~/evaluation/compile";
import { evaluate } from "~/evaluation/evaluate";
import type { JsonObject, Judgement, Tables, Trace } from "../model";
import { compare, type Schema } from "../state";
import { isInDiff } from "../trace";

export function judge(
  { expectedOutput, traces }: { expectedOutput: JsonObject; traces: readonly Trace[] },
  { world, keys }: Schema,
  before: Tables,
  after: Tables,
): Omit<Judgement, "ms"> {
  const difference = compare(before, after, keys);
  const { passed, unsafe } = evaluate(compile(expectedOutput, world), keys, {
    ...difference,
    revertedRows: [],
    transientRows: [],
    baselineRows: Object.fromEntries(before),
  });
  const lost = traces.filter((trace) => !isInDiff(difference.diff, trace)).length;
  return { passed, unsafe: unsafe?.count ?? 0, undone: 0, lost };
}
