/** Runs the compiled fields of an object. */
import type { Given } from "~/graphql/arguments";
import type { Budget } from "~/graphql/budget";
import type { Errors, Key, Path } from "~/graphql/path";

/** A context has the budget of its request, or of a second attempt at it. */
export type Budgeted = { readonly budget: Budget };

/** One execution. */
export type Run = Given & { readonly context: Budgeted; readonly errors: Errors };

/** Completes the value at a place, perhaps later. Throws what makes the place null. Most places never need a path. */
export type Complete = (run: Run, value: unknown, above: Path | undefined, key: Key) => unknown;
/** The value of a field of an object, perhaps later. */
export type Field = (run: Run, source: unknown, above: Path | undefined) => unknown;
/** The fields of an object, in the order of the response. */
export type SetPlan = {
  readonly fields: readonly { readonly key: string; readonly start: Field }[];
  readonly create: () => Record<string, unknown>;
};

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { then?: unknown }).then === "function";

/** The fields of an object, started together. */
export function runSet(
  run: Run,
  { fields, create }: SetPlan,
  source: unknown,
  path: Path | undefined,
): unknown {
  const result = create();
  let waiting: string[] | undefined;
  try {
    for (const { key, start } of fields) {
      const value = start(run, source, path);
      result[key] = value;
      if (!isPromise(value)) continue;
      waiting ??= [];
      waiting.push(key);
    }
  } catch (error) {
    if (!waiting) throw error;
    return settled(result, waiting).finally(() => {
      throw error;
    });
  }
  return waiting ? settled(result, waiting) : result;
}

/** The object, once these fields have their values: one promise for all of them. */
function settled(result: Record<string, unknown>, waiting: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let left = waiting.length;
    for (const key of waiting)
      (result[key] as Promise<unknown>).then((value) => {
        result[key] = value;
        if (--left === 0) resolve(result);
      }, reject);
  });
}

/** The fields of a mutation, one after the other. */
export async function runInTurn(
  run: Run,
  { fields, create }: SetPlan,
  source: unknown,
  path: Path | undefined,
): Promise<unknown> {
  const result = create();
  for (const { key, start } of fields) result[key] = await start(run, source, path);
  return result;
}
