/** Declares a test for each row of the fault matrix, by its id. */
import { describe, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { createStage } from "../support/stage";
import type { Fault } from "./fault";

const REPORT = process.env["FAULTS_REPORT"];
const PLAY_MS = REPORT ? 900_000 : 120_000;

/** Adds a row to the report, if one is requested. */
export const report = (row: object) => {
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
    report({ id, fault, expected, ...outcome, ...stage.ledger, took });
    await stage.end();
  }
}

/** The rows that this machine can play; slow ones only for a report. */
export async function declareFaults(name: string, faults: readonly Fault[]): Promise<void> {
  const plays: Fault[] = [];
  for (const fault of faults) {
    if (fault.slow && !REPORT) continue;
    const obstacle = await fault.obstacle?.();
    if (obstacle === undefined) plays.push(fault);
    else report({ id: fault.id, fault: fault.fault, expected: fault.expected, obstacle });
  }
  if (plays.length === 0) throw new Error("no fault can be played");
  describe(name, () => {
    for (const fault of plays) test(`${fault.id} ${fault.fault}`, () => play(fault), PLAY_MS);
  });
}
