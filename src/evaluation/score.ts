/** `part` of `whole` in percent, rounded to two digits. */
export const percentOf = (part: number, whole: number) => Math.round((10_000 * part) / whole) / 100;

/** The part of the assertions that hold, from 0 to 1. A test without assertions has passed or failed as a whole. */
export const rewardOf = (passed: boolean, score: { passed: number; total: number }) =>
  score.total === 0 ? Number(passed) : score.passed / score.total;
