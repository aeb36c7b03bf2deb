/** A row of the fault matrix. */
import type { Stage } from "../support/stage";

export type Outcome = {
  /** The outcome in a few words. */
  readonly happened: string;
  /** Until everything worked again. */
  readonly seconds?: number;
};

export type Fault = {
  readonly id: string;
  readonly fault: string;
  readonly expected: string;
  /** Throws if the outcome is not the expected one. */
  readonly run: (stage: Stage) => Promise<Outcome>;
  /** Too long for every test run: only in `bun run faults`. */
  readonly slow?: true;
  /** Why this machine cannot play it; undefined when it can. */
  readonly obstacle?: () => string | undefined | Promise<string | undefined>;
};

/** A row that another test proves: its file and part of its name. */
export type Proof = {
  readonly id: string;
  readonly fault: string;
  readonly expected: string;
  readonly proofs: readonly { readonly file: string; readonly name: string }[];
};

/** Measures the seconds that `work` takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Fails with `found` unless the condition holds. */
export function must(holds: boolean, found: unknown): asserts holds {
  if (!holds) throw new Error(`not as expected: ${JSON.stringify(found)}`);
}
