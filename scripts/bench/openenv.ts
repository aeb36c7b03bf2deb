/** OpenEnv's wire with many sessions: a reset beside initEnv, and a step beside the call of a tool that it makes. */
import { joinOpenEnv, type PlayedSocket } from "../../test/support/openenv";
import { ask, measured } from "./mcp";
import { inTurn, latencies, median, type Row } from "./measure";
import { type Answer, type Bench, CHANNEL, poolOf, READY_SCHEMAS, TEMPLATE } from "./server";

const SESSIONS = 200;
const CLIENTS = 8;
const PER_ROUND = 40;
const ROUNDS = 4;
const TOOL = "slack_send_message";
const ARGUMENTS = { channel_id: CHANNEL, message: "hello" };
/** Processor time of a step beside its call. */
const OVERHEAD_MS = 1;

async function createSuite(bench: Bench): Promise<string> {
  const expectedOutput = { assertions: [{ diff_type: "added", entity: "messages" }] };
  const { suiteId } = await bench.platform("POST", "/testSuites", {
    ...{ name: "Bench", templateService: "chat", templateName: TEMPLATE },
    ...{ impersonateUserId: "U01AGENTONE" },
    tests: [{ name: "Say hello", prompt: "Say hello.", expectedOutput }],
  });
  return `${suiteId}`;
}

export async function openEnv(bench: Bench): Promise<Row[]> {
  const suite = await createSuite(bench);
  const join = async () => {
    const session = await joinOpenEnv(bench.url, suite);
    await begin(session);
    return session;
  };
  const sessions: PlayedSocket[] = [];
  for (let made = 0; made < SESSIONS; made += CLIENTS)
    sessions.push(...(await Promise.all(Array.from({ length: CLIENTS }, join))));
  const at = (index: number) => sessions[index % sessions.length] as PlayedSocket;
  try {
    return [await resets(bench, at), await steps(bench, at)];
  } finally {
    for (const session of sessions) session.close();
  }
}

async function begin(session: PlayedSocket): Promise<void> {
  const frame = await session.reset();
  if (frame.type !== "observation") throw new Error(JSON.stringify(frame));
}

type At = (index: number) => PlayedSocket;

async function resets(bench: Bench, at: At): Promise<Row> {
  let from = 0;
  const samples = await inTurn(ROUNDS, {
    async ours() {
      const first = from;
      from += PER_ROUND;
      for (let index = 0; index < PER_ROUND; index++)
        await at(first + index).step({ type: "submit" });
      await poolOf(bench, TEMPLATE, READY_SCHEMAS);
      return await latencies(CLIENTS, PER_ROUND, (_, index) => begin(at(first + index)));
    },
    async base() {
      await poolOf(bench, TEMPLATE, READY_SCHEMAS);
      const made: Answer[] = [];
      const taken = await latencies(CLIENTS, PER_ROUND, async () =>
        made.push(await bench.environment(TEMPLATE)),
      );
      for (const { environmentId } of made) await bench.platform("DELETE", `/env/${environmentId}`);
      return taken;
    },
  });
  return {
    name: `reset over OpenEnv, ${SESSIONS} sessions, ${CLIENTS} at a time, p50`,
    ours: median(samples.ours),
    base: median(samples.base),
    unit: "ms",
    comparedWith: "initEnv beside the same sessions",
    bar: { most: 3 },
  };
}

async function steps(bench: Bench, at: At): Promise<Row> {
  const environments = await Promise.all(
    Array.from({ length: CLIENTS }, () => bench.environment()),
  );
  const samples = await inTurn(ROUNDS, {
    ours: async () => [
      (
        await measured(bench, async (client) => {
          const action = { type: "call_tool", tool_name: TOOL, arguments: ARGUMENTS };
          const { data } = await at(client).step(action);
          if (data.observation?.result?.is_error !== false) throw new Error(JSON.stringify(data));
        })
      ).cpu,
    ],
    base: async () => [
      (
        await measured(bench, (client) =>
          ask(bench, environments[client] ?? {}, "tools/call", {
            name: TOOL,
            arguments: ARGUMENTS,
          }),
        )
      ).cpu,
    ],
  });
  return {
    name: `step over OpenEnv, ${SESSIONS} sessions, processor time of the server`,
    ours: median(samples.ours),
    base: median(samples.base) + OVERHEAD_MS,
    unit: "ms",
    comparedWith: `the call over MCP, and ${OVERHEAD_MS} ms`,
    bar: { most: 1 },
  };
}
