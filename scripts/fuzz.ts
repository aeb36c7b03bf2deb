/**
 * Calls the server with valid and invalid input, generated from its OpenAPI document, its GraphQL schema and the listings
 * of its tools.
 *
 *   bun run fuzz [--minutes N] [--seed N --path P]
 *
 * Sequences of up to 30 calls with own, foreign, deleted and expired ids, and connections by hand
 * (scripts/fuzz/wire.ts). Past failures are in scripts/fuzz/corpus.json and are replayed first; a new failure is
 * shrunk, reported and added there.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc, { type Arbitrary } from "fast-check";
import { chatCall, platformCall, trackerCall } from "./fuzz/calls";
import { CHAT_PROBES, naming, TRACKER_PROBES } from "./fuzz/naming";
import { createPlayer, type Player, type Step } from "./fuzz/play";
import { startTarget } from "./fuzz/server";
import { toolCall } from "./fuzz/tools";
import { anyWire } from "./fuzz/wire";

const CORPUS = join(import.meta.dir, "fuzz/corpus.json");
const CALLS_MAX = 30;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string" },
    path: { type: "string" },
  },
});

type Entry = { readonly fault: string; readonly calls: readonly Step[] };

function anyStep({ operations, graphql }: Player): Arbitrary<Step> {
  const platform = operations.filter(({ path }) => path.startsWith("/api/platform"));
  const chat = operations.filter(({ path }) => /\/services\/chat\/(?!mcp)/.test(path));
  const chatCalls = fc.constantFrom(...chat).chain(chatCall);
  const trackerCalls = trackerCall(graphql);
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...platform).chain(platformCall) },
    { weight: 9, arbitrary: chatCalls },
    { weight: 12, arbitrary: trackerCalls },
    { weight: 6, arbitrary: toolCall },
    {
      weight: 2,
      arbitrary: naming("chat", fc.oneof(chatCalls, fc.constantFrom(...CHAT_PROBES))),
    },
    {
      weight: 1,
      arbitrary: naming("tracker", fc.oneof(trackerCalls, fc.constantFrom(...TRACKER_PROBES))),
    },
    { weight: 2, arbitrary: anyWire },
  );
}

const target = await startTarget();
const player = await createPlayer(target);

async function replayCorpus(): Promise<void> {
  const entries = (await Bun.file(CORPUS).json()) as Entry[];
  for (const { fault, calls } of entries)
    await player.play(calls).catch((error) => {
      throw new Error(`a past failure occurs again (${fault}): ${error.message}`);
    });
  console.log(`${entries.length} past failures replayed`);
}

async function keep(entry: Entry): Promise<void> {
  const entries = (await Bun.file(CORPUS).json()) as Entry[];
  await Bun.write(CORPUS, `${JSON.stringify([...entries, entry], null, 2)}\n`);
}

async function search(): Promise<boolean> {
  const calls = fc.array(anyStep(player), { minLength: 1, maxLength: CALLS_MAX, size: "max" });
  const details = await fc.check(fc.asyncProperty(calls, player.play), {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: Number(values.minutes) * 60_000,
    ...(values.seed ? { seed: Number(values.seed) } : {}),
    ...(values.path ? { path: values.path } : {}),
  });
  console.log(`seed ${details.seed}, ${details.numRuns} sequences`);
  if (!details.failed || details.counterexample === null) return true;
  const fault = details.errorInstance instanceof Error ? details.errorInstance.message : "failed";
  await keep({ fault, calls: details.counterexample[0] });
  console.log(`path ${details.counterexamplePath}\n${fault}`);
  console.log(JSON.stringify(details.counterexample[0], null, 2).slice(0, 4_000));
  return false;
}

/** Stalled connections outlast their sequence: their faults are reported at the end, without the sequence. */
async function settle(): Promise<boolean> {
  const faults = await player.settle();
  for (const { fault, wire } of faults) {
    await keep({ fault, calls: [wire] });
    console.log(`a stalled connection: ${fault}\n${JSON.stringify(wire)}`);
  }
  return faults.length === 0;
}

const memoryBefore = await target.memory();
let passed = false;
try {
  await replayCorpus();
  passed = await search();
  passed = (await settle()) && passed;
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
} finally {
  const memory = [memoryBefore, await target.memory()].map((bytes) => Math.round(bytes / 2 ** 20));
  const outcomes = player.outcomes();
  const calls = outcomes.reduce((sum, [, count]) => sum + count, 0);
  console.log(
    `${calls} calls and ${player.connections()} connections by hand in ${player.sequences()} sequences; memory ${memory.join(" → ")} MiB`,
  );
  console.log(JSON.stringify(Object.fromEntries(outcomes)));
  if (!passed) console.log(target.output().trimEnd().split("\n").at(-1)?.slice(0, 1_500));
  await target.stop();
}
console.log(passed ? "1 passed, 0 failed" : "0 passed, 1 failed");
process.exit(passed ? 0 : 1);
