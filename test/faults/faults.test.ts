/**
 * The fault matrix: one test for each row, by its id. `bun run faults` plays the slow ones too and prints the table;
 * rows that other tests prove are checked to name them.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createStage } from "../support/stage";
import type { Fault } from "./fault";
import { FAULTS, PROOFS } from "./matrix";

const ROOT = join(import.meta.dir, "../..");
const REPORT = process.env["FAULTS_REPORT"];
const PLAY_MS = REPORT ? 900_000 : 60_000;

const tell = (row: object) => {
  if (REPORT) appendFileSync(REPORT, `${JSON.stringify(row)}\n`);
};

async function play({ id, fault, expected, run }: Fault): Promise<void> {
  const stage = createStage();
  const started = performance.now();
  let outcome = {};
  try {
    outcome = await run(stage);
  } catch (error) {
    outcome = { failed: error instanceof Error ? error.message : String(error) };
    throw error;
  } finally {
    const took = (performance.now() - started) / 1000;
    tell({ id, fault, expected, ...outcome, ...stage.ledger, took });
    await stage.end();
  }
}

const plays: Fault[] = [];
for (const fault of FAULTS) {
  if (fault.slow && !REPORT) continue;
  const obstacle = await fault.obstacle?.();
  if (obstacle === undefined) plays.push(fault);
  else tell({ id: fault.id, fault: fault.fault, expected: fault.expected, obstacle });
}

describe("the fault matrix", () => {
  for (const fault of plays) test(`${fault.id} ${fault.fault}`, () => play(fault), PLAY_MS);

  for (const { id, fault, expected, proofs } of PROOFS) {
    test(`${id} ${fault}: is proven by the tests that it names`, () => {
      const missing = proofs.filter(
        ({ file, name }) => !readFileSync(join(ROOT, file), "utf8").includes(name),
      );
      expect(missing).toEqual([]);
      tell({ id, fault, expected, proofs });
    });
  }

  test("has every row once", () => {
    const ids = [...FAULTS, ...PROOFS].map(({ id }) => id).toSorted();
    const wanted = [
      ...Array.from({ length: 45 }, (_, index) => index + 1),
      ...Array.from({ length: 17 }, (_, index) => index + 50),
    ].map((number) => `F${String(number).padStart(2, "0")}`);
    expect(ids).toEqual(wanted);
  });
});

afterAll(() => {
  if (plays.length === 0) throw new Error("no fault was played");
});
