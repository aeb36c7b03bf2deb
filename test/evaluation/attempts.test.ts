import { describe, expect, test } from "bun:test";
import { passAtK, passHatK } from "~/evaluation/attempts";

describe("of n attempts, c of which passed", () => {
  // By hand: C(n-c, k), C(c, k) and C(n, k).
  test.each([
    // n, c, k, pass@k, pass^k
    [1, 1, 1, 1, 1],
    [1, 0, 1, 0, 0],
    [4, 1, 1, 1 / 4, 1 / 4],
    [4, 2, 2, 1 - 1 / 6, 1 / 6],
    [5, 2, 3, 1 - 1 / 10, 0],
    [5, 3, 2, 1 - 1 / 10, 3 / 10],
    [5, 3, 3, 1, 1 / 10],
    [10, 3, 5, 1 - 21 / 252, 0],
    [10, 7, 5, 1, 21 / 252],
    [10, 10, 10, 1, 1],
    [10, 9, 10, 1, 0],
    [10, 0, 10, 0, 0],
  ])("%d, %d: pass@%d is %d, and pass^k %d", (attempts, passed, k, at, hat) => {
    const made = { passed, failed: attempts - passed };

    expect(passAtK(made, k)).toBeCloseTo(at, 12);
    expect(passHatK(made, k)).toBeCloseTo(hat, 12);
  });

  test("fewer than k have no estimate", () => {
    expect(passAtK({ passed: 2, failed: 1 }, 4)).toBeNull();
    expect(passHatK({ passed: 2, failed: 1 }, 4)).toBeNull();
  });

  test("a thousand do not overflow", () => {
    const made = { passed: 500, failed: 500 };

    expect(passAtK(made, 100)).toBeCloseTo(1, 12);
    expect(passHatK(made, 1)).toBeCloseTo(0.5, 12);
  });
});
