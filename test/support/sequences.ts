/** Random sequences of calls, played against a service and a small model of it. */
import fc from "fast-check";

/** Sequences to play: few, and the same ones, unless `MODEL_RUNS` says how many. */
const RUNS = Number(process.env["MODEL_RUNS"] ?? 0);
const PARAMETERS = RUNS > 0 ? { numRuns: RUNS } : { numRuns: 12, seed: 20_261_124 };
const STEPS_MAX = 100;
/** Shorter sequences with the same failure are sought this long. */
const SHRINK_MS = 60_000;

/** A list that a step chooses from, by a number that fits any list. */
export const pick = <T>(list: readonly T[], choice: number): T => {
  const chosen = list[choice % list.length];
  if (chosen === undefined) throw new Error("there is nothing to choose from");
  return chosen;
};

/**
 * Plays sequences of steps. `play` begins with a new environment, and throws when the service and the model differ. A
 * failure shows the shortest sequence that was found, with the seed that repeats it.
 */
export async function playSequences<Step>(
  step: fc.Arbitrary<Step>,
  play: (steps: readonly Step[]) => Promise<void>,
): Promise<void> {
  // With its bias, most would be short.
  const steps = fc.noBias(fc.array(step, { minLength: 1, maxLength: STEPS_MAX, size: "max" }));
  await fc.assert(fc.asyncProperty(steps, play), {
    ...PARAMETERS,
    interruptAfterTimeLimit: SHRINK_MS,
  });
}
