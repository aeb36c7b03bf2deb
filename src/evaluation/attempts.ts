/** Success over several attempts at a test: unbiased estimators from the attempts that were made. */

/** Results of the attempts at a test that were graded. */
export type Attempts = { readonly passed: number; readonly failed: number };

/**
 * pass@k: the probability that at least one of k attempts passes. `1 - C(n-c, k) / C(n, k)` for c of n attempts that
 * passed, as a product, which does not overflow: Chen et al., Evaluating Large Language Models Trained on Code
 * (arXiv:2107.03374), section 2.1. Null with fewer than k attempts.
 */
export function passAtK({ passed, failed }: Attempts, k: number): number | null {
  const attempts = passed + failed;
  if (attempts < k) return null;
  let allFail = 1;
  for (let drawn = 0; drawn < k; drawn++)
    allFail *= Math.max(0, failed - drawn) / (attempts - drawn);
  return 1 - allFail;
}

/**
 * pass^k: the probability that all of k attempts pass. `C(c, k) / C(n, k)`: Yao et al., τ-bench: A Benchmark for
 * Tool-Agent-User Interaction in Real-World Domains (arXiv:2406.12045), section 3. Null with fewer than k attempts.
 */
export function passHatK({ passed, failed }: Attempts, k: number): number | null {
  const failsSome = passAtK({ passed: failed, failed: passed }, k);
  return failsSome === null ? null : 1 - failsSome;
}
