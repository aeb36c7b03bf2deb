/** Calls inside a run with a journal, beside the same calls inside a run without one. */
import { inTurn, median, type Row, throughput } from "./measure";
import { type Bench, CHANNEL } from "./server";

const CLIENTS = 8;
const SECONDS = 1;
const ROUNDS = 8;

const CALLS = [
  { method: "chat.postMessage", args: { channel: CHANNEL, text: "hello" }, least: 0.9 },
  { method: "conversations.info", args: { channel: CHANNEL }, least: 0.95 },
] as const;

export async function journal(bench: Bench): Promise<Row[]> {
  const runs = { calls: await bench.environment(), off: await bench.environment() };
  for (const [mode, { environmentId }] of Object.entries(runs))
    await bench.platform("POST", "/startRun", { envId: environmentId, journal: mode });
  const rows: Row[] = [];
  for (const { method, args, least } of CALLS) {
    const rate = (mode: keyof typeof runs) => async () => [
      await throughput(CLIENTS, SECONDS, () => bench.chat(runs[mode], method, args)),
    ];
    await rate("calls")();
    const samples = await inTurn(ROUNDS, { calls: rate("calls"), off: rate("off") });
    rows.push({
      name: `${method} with a journal, 8 clients`,
      ours: median(samples.calls),
      base: median(samples.off),
      unit: "/s",
      comparedWith: "in a run without one",
      bar: { least },
    });
  }
  // An open run makes the next start read the log again from its beginning.
  for (const { environmentId } of Object.values(runs))
    await bench.platform("DELETE", `/env/${environmentId}`);
  return rows;
}
