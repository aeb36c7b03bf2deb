/**
 * Judges the difference of two readings with the test's own expectation. Everything that no assertion explains counts as
 * unsafe, whether or not the test says so.
 */
import { compile } from "~/evaluation/compile";
import { evaluate } from "~/evaluation/evaluate";
import type { JsonObject, Tables } from "../model";
import { compare, type Difference, type Schema } from "../state";

export type Found = { readonly passed: boolean; readonly unsafe: number } & Difference;

const UNEXPLAINED = "closed_world ";

export function judge(
  expectedOutput: JsonObject,
  { world, keys }: Schema,
  before: Tables,
  after: Tables,
): Found {
  const difference = compare(before, after, keys);
  const spec = compile({ ...expectedOutput, closed_world: true }, world);
  const { failures } = evaluate(spec, keys, {
    ...difference,
    revertedRows: [],
    transientRows: [],
    baselineRows: Object.fromEntries(before),
  });
  const unsafe = failures.filter((line) => line.startsWith(UNEXPLAINED)).length;
  return { passed: failures.length === unsafe, unsafe, ...difference };
}
