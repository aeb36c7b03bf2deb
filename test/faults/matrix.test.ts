/** The fault matrix is complete: `bun run faults` plays the slow rows too and prints the table. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FAULTS, PROOFS } from "./matrix";
import { report } from "./play";

const ROOT = join(import.meta.dir, "../..");

describe("the fault matrix", () => {
  for (const { id, fault, expected, proofs } of PROOFS) {
    test(`${id} ${fault}: is proven by the tests that it names`, () => {
      const missing = proofs.filter(
        ({ file, name }) => !readFileSync(join(ROOT, file), "utf8").includes(name),
      );
      expect(missing).toEqual([]);
      report({ id, fault, expected, proofs });
    });
  }

  test("has every row once", () => {
    const ids = [...FAULTS, ...PROOFS].map(({ id }) => id).toSorted();
    const wanted = [
      ...Array.from({ length: 46 }, (_, index) => index + 1),
      ...Array.from({ length: 17 }, (_, index) => index + 50),
    ].map((number) => `F${String(number).padStart(2, "0")}`);
    expect(ids).toEqual(wanted);
  });
});
