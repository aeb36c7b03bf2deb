/** OpenEnv's own package: its validator against a server, and its client of tools. */
import { beforeAll, expect, test } from "bun:test";
import { eventually, useDatabase } from "../support/database";
import { runOpenEnv, validateOpenEnv } from "../support/openenv";
import { useProgram } from "../support/program";

const MINUTES = 3 * 60_000;
const program = useProgram(useDatabase(), { ENVIRONMENT_POOL_TARGETS: "" });

beforeAll(async () => {
  await runOpenEnv("-c", "");
}, MINUTES);

const addressOf = (suite: string) => `${program.url}/openenv/${suite}`;

test.each(["chat-benchmark", "tracker-benchmark", "Chat%20benchmark"])(
  "`openenv validate --url` finds nothing wrong at %s",
  async (suite) => {
    const { code, report } = await validateOpenEnv("--url", addressOf(suite));

    expect(report).toMatchObject({
      passed: true,
      mode: "simulation",
      standard_profile: "openenv-http/1.x",
      summary: { passed_count: 6, total_count: 6, failed_criteria: [] },
    });
    expect(code).toBe(0);
  },
  MINUTES,
);

test(
  "`openenv validate --url` fails at an address without a suite",
  async () => {
    const { code, report } = await validateOpenEnv("--url", addressOf("nothing"));

    expect([code, report.passed]).toEqual([1, false]);
  },
  MINUTES,
);

test(
  "its client of tools creates a session, resets it over a WebSocket, calls tools and submits",
  async () => {
    const { code, out, err } = await runOpenEnv(
      "-c",
      `
import json
from openenv.core.mcp_client import MCPToolClient

outcome = {}
env = MCPToolClient(base_url="${addressOf("chat-benchmark")}").sync()
with env:
    outcome["prompt"] = env.reset(index=0).observation.prompt
    tools = env.list_tools()
    outcome["tools"] = [tool.name for tool in tools]
    outcome["schema"] = next(tool for tool in tools if tool.name == "slack_send_message").input_schema["type"]
    outcome["sent"] = env.call_tool("slack_send_message", channel_id="C03ENG", message="The demo on Friday starts at 14:00 CET.")
    try:
        env.call_tool("no_such_tool")
    except RuntimeError as error:
        outcome["unknown"] = str(error)
    outcome["steps"] = env.state().step_count
    outcome["verdict"] = env.call_tool("submit")["structuredContent"]
print(json.dumps(outcome))
`,
    );

    expect([code, err]).toEqual([0, err]);
    const outcome = JSON.parse(out);
    expect(outcome).toMatchObject({
      schema: "object",
      sent: { isError: false, content: [{ type: "text" }] },
      unknown: expect.stringContaining("Unknown tool: no_such_tool"),
      steps: 2,
      verdict: { reward: 1, done: true, passed: true },
    });
    expect(outcome.tools).toContain("submit");
    await eventually(async () => {
      const { environments } = (await program.get("/environments?status=active")).body;
      expect(environments).toEqual([]);
    }, 10);
  },
  MINUTES,
);
