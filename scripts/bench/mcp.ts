/** Tools over MCP beside the same work through the service's own API: rate, and processor time of the server per call. */
import { inTurn, median, type Row, throughput } from "./measure";
import { spent, timesOf } from "./processes";
import { AGENT, type Answer, type Bench, CHANNEL } from "./server";

const CLIENTS = 8;
const SECONDS = 2;
const ROUNDS = 4;

/** One message of the protocol. Throws unless it has a result. */
export async function ask(
  bench: Bench,
  { mcpUrl, token }: Answer,
  method: string,
  params?: object,
) {
  const response = await fetch(`${bench.url}${mcpUrl}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: { isError?: boolean } };
  if (!answer.result || answer.result.isError)
    throw new Error(`${method}: ${JSON.stringify(answer)}`);
}

/** Calls per second, and milliseconds of the server's processor per call. */
export async function measured(bench: Bench, call: (client: number) => Promise<unknown>) {
  const before = await timesOf([bench.pid]);
  const rate = await throughput(CLIENTS, SECONDS, call);
  return { rate, cpu: spent(before, await timesOf([bench.pid])) / (rate * SECONDS) };
}

export async function tools(bench: Bench): Promise<Row[]> {
  const environments = await Promise.all(
    Array.from({ length: CLIENTS }, () => bench.environment()),
  );
  const at = (client: number) => environments[client] ?? {};
  const cpu = { ours: [] as number[], base: [] as number[] };
  const sampled = async (which: "ours" | "base", call: (client: number) => Promise<unknown>) => {
    const found = await measured(bench, call);
    cpu[which].push(found.cpu);
    return [found.rate];
  };
  const rates = await inTurn(ROUNDS, {
    ours: () =>
      sampled("ours", (client) =>
        ask(bench, at(client), "tools/call", {
          name: "slack_send_message",
          arguments: { channel_id: CHANNEL, message: "hello" },
        }),
      ),
    base: () =>
      sampled("base", (client) =>
        bench.chat(at(client), "chat.postMessage", { channel: CHANNEL, markdown_text: "hello" }),
      ),
  });
  return [
    {
      name: "slack_send_message over MCP, 8 clients in 8 environments",
      ours: median(rates.ours),
      base: median(rates.base),
      unit: "/s",
      comparedWith: "chat.postMessage with Markdown",
      bar: { least: 0.5 },
    },
    {
      name: "slack_send_message over MCP, processor time of the server",
      ours: median(cpu.ours),
      base: median(cpu.base),
      unit: "ms",
      comparedWith: "chat.postMessage with Markdown",
      bar: {},
    },
    await listing(bench, "chat", at(0)),
    await listing(bench, "tracker", await bench.environment("tracker_default", AGENT)),
  ];
}

/** The listing is sent from ready bytes: it costs little more than the smallest message. */
async function listing(bench: Bench, service: string, environment: Answer): Promise<Row> {
  const cpuOf = async (method: string) => [
    (await measured(bench, () => ask(bench, environment, method))).cpu,
  ];
  const found = await inTurn(ROUNDS, {
    ours: () => cpuOf("tools/list"),
    base: () => cpuOf("ping"),
  });
  return {
    name: `tools/list of ${service} over MCP, processor time of the server`,
    ours: median(found.ours),
    base: median(found.base),
    unit: "ms",
    comparedWith: "ping of the same endpoint",
    bar: { most: 2 },
  };
}
