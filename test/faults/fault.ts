/** What a row of the fault matrix is. */
import type { Stage } from "../support/stage";

export type Outcome = {
  /** What was seen, in a few words. */
  readonly happened: string;
  /** Until everything worked again. */
  readonly seconds?: number;
};

export type Fault = {
  readonly id: string;
  readonly fault: string;
  readonly expected: string;
  /** Throws when something else happens than what was expected. */
  readonly run: (stage: Stage) => Promise<Outcome>;
  /** Too long for every run of the tests: `bun run faults` only. */
  readonly slow?: true;
  /** Why this machine cannot play it; undefined when it can. */
  readonly obstacle?: () => string | undefined | Promise<string | undefined>;
};

/** A row that another test proves: its file, and a part of its name. */
export type Proof = {
  readonly id: string;
  readonly fault: string;
  readonly expected: string;
  readonly proofs: readonly { readonly file: string; readonly name: string }[];
};

/** Seconds that `work` takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Fails with what was found when it is not what must be. */
export function must(holds: boolean, found: unknown): asserts holds {
  if (!holds) throw new Error(`not as expected: ${JSON.stringify(found)}`);
}
