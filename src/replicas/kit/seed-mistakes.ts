/** Mistakes of a seed: found together as far as they are independent, and reported together. */
import type { TSchema } from "@sinclair/typebox";
import { findMisfits, linesOf, type Misfit } from "~/input/shape";

/** A seed that cannot become rows, with the places of its mistakes: `channels[2].members[0]`. */
export class SeedError extends Error {
  override readonly name = "SeedError";
  readonly mistakes: readonly Misfit[];
  constructor(path: string, problem: string, others: readonly Misfit[] = []) {
    const mistakes = [{ path, problem }, ...others];
    super(linesOf(mistakes.map(lineOf)));
    this.mistakes = mistakes;
  }
}

const lineOf = ({ path, problem }: Misfit) => `${path || "the seed"}: ${problem}`;

function throwAny([first, ...others]: readonly Misfit[]): void {
  if (first) throw new SeedError(first.path, first.problem, others);
}

/** Throws SeedError unless the seed has this shape. */
export const requireShape = (shape: TSchema, seed: unknown) => throwAny(findMisfits(shape, seed));

/** Collects the mistakes of entries: the first one of each. */
export class SeedMistakes {
  readonly #found: Misfit[] = [];

  each<Entry>(entries: readonly Entry[], handle: (entry: Entry, place: number) => void): void {
    for (const [place, entry] of entries.entries())
      try {
        handle(entry, place);
      } catch (error) {
        if (!(error instanceof SeedError)) throw error;
        this.#found.push(...error.mistakes);
      }
  }

  /** Throws SeedError if there are any. */
  end(): void {
    throwAny(this.#found);
  }
}
