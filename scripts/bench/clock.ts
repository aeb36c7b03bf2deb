/** Posting in an environment with a clock of its own, beside posting in real time. */
import { inTurn, median, type Row, throughput } from "./measure";
import { type Bench, CHANNEL } from "./server";

const CLIENTS = 8;
/** Short turns: the machine is as busy for each of the three. */
const SECONDS = 0.25;
const ROUNDS = 32;
const NOW = "2026-03-11T09:00:00Z";

export async function clock(bench: Bench): Promise<Row[]> {
  const environments = {
    own: await bench.environment(undefined, undefined, { clock: { now: NOW } }),
    real: await bench.environment(undefined, undefined, { clock: "real" }),
    steps: await bench.environment(undefined, undefined, {
      clock: { now: NOW, mode: "step" },
      seed: 7,
    }),
  };
  const rate = (which: keyof typeof environments) => async () => [
    await throughput(CLIENTS, SECONDS, () =>
      bench.chat(environments[which], "chat.postMessage", { channel: CHANNEL, text: "hello" }),
    ),
  ];
  await rate("own")();
  const samples = await inTurn(ROUNDS, {
    own: rate("own"),
    real: rate("real"),
    steps: rate("steps"),
  });
  const row = (name: string, ours: number, bar: Row["bar"]): Row => ({
    name: `chat.postMessage with ${name}, 8 clients`,
    ours,
    base: median(samples.real),
    unit: "/s",
    comparedWith: "in real time",
    bar,
  });
  return [
    row("a clock of its own", median(samples.own), { least: 0.97 }),
    row("a seed and a clock in steps", median(samples.steps), {}),
  ];
}
