/** The SDK agent-diff, unmodified: the Python of its own README runs as printed, with an agent that has no model. */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { useDatabase } from "../support/database";
import { pythonPackages, run } from "../support/packages";
import { expectStatus, useProgram } from "../support/program";
import { useUsers } from "../support/users";

const MINUTES = 60_000;
const PACKAGES = ["agent-diff==1.0.7", "openai-agents==0.24.0"];

const database = useDatabase();
const program = useProgram(database, { ENVIRONMENT_POOL_TARGETS: "" });
const { ann } = useUsers(database, "ann");
let path = "";
let readme = "";

beforeAll(async () => {
  path = await pythonPackages(...PACKAGES);
  readme = await Bun.file(join(path, "agent_diff-1.0.7.dist-info/METADATA")).text();
}, 8 * MINUTES);

/** The first Python block below a heading. */
function blockOf(heading: string): string {
  const below = readme.slice(readme.indexOf(`\n${heading}\n`));
  const [, code] = /```python\n([\s\S]*?)```/.exec(below) ?? [];
  if (!code) throw new Error(`no Python below ${heading}`);
  return code;
}

/** Runs Python with the settings of the README, and returns the JSON of its last line. */
async function python(code: string): Promise<any> {
  const env = {
    ...process.env,
    PYTHONPATH: path,
    AGENT_DIFF_BASE_URL: program.url,
    AGENT_DIFF_API_KEY: ann["X-API-Key"],
  };
  const output = await run(["python3", "-c", code], { env });
  return JSON.parse(output.split("\n").at(-1) ?? "");
}

/** The template and the suite that the README names. */
async function prepare(): Promise<void> {
  const seed = {
    extends: "chat_base",
    users: [{ id: "U123", name: "helper", real_name: "Helper", email: "helper@acme.test" }],
  };
  const template = { service: "slack", name: "slack_default" };
  expectStatus(await program.post("/templates/import", { ...template, seed }, ann), 201);
  const suite = {
    name: "Slack Bench",
    templateService: "slack",
    templateName: "slack_default",
    impersonateUserId: "U01AGENTONE",
    tests: ["Say hello.", "Say nothing."].map((prompt) => ({
      name: prompt,
      prompt,
      expectedOutput: {
        closed_world: true,
        assertions: [
          {
            ...{ diff_type: "added", entity: "messages", where: { text: "Hello from a test" } },
            expected_count: prompt === "Say hello." ? 1 : 0,
          },
        ],
      },
    })),
  };
  expectStatus(await program.post("/testSuites", suite, ann), 201);
}

/** In place of the agent of the OpenAI SDK: calls the tool that it would be given, as its model might. */
const AGENT = `
import asyncio, json
from agents.tool_context import ToolContext
from agent_diff import *

CODE = """
import requests
message = {"channel": "C01GENERAL", "text": "Hello from a test"}
print(requests.post("https://slack.com/api/chat.postMessage", json=message).json())
"""

class Agent:
    def __init__(self, model, tools, instructions):
        (self.tool,) = tools

    def run(self, prompt):
        given = json.dumps({"code": CODE})
        context = ToolContext(None, tool_name=self.tool.name, tool_call_id="1", tool_arguments=given)
        return asyncio.run(self.tool.on_invoke_tool(context, given))
`;

test(
  "the quick start runs as printed, and its evaluations have the verdicts",
  async () => {
    await prepare();
    const answer = await python(`
${AGENT}
${blockOf("### Option 1: Environment Variables ")}
${blockOf("## Environments")}
deleted = env
env = client.init_env(templateService="slack", templateName="slack_default", impersonateUserId="U01AGENTONE")
run = client.start_run(envId=env.environmentId)
${blockOf("### Direct Execution")}
diff = client.diff_run(runId=run.runId).diff
${blockOf("## Test Suites & Evaluations")}
print(json.dumps({
    "lived": [deleted.service, deleted.environmentUrl],
    "direct": result,
    "diff": diff,
    "evaluations": [[each.status, each.passed, each.score] for each in evaluation_results],
    "tests": [[each.type, each.seed_template, each.expected_output["closed_world"]] for each in test_suite.tests],
    "owner": test_suite.owner,
}))
`);

    expect(answer).toMatchObject({
      lived: ["chat", expect.stringContaining("/services/chat")],
      direct: { status: "success", exit_code: 0 },
      diff: {
        inserts: [
          { __table__: "messages", user_id: "U01AGENTONE", text: "Hello from Agent Diff!" },
        ],
        updates: [],
        deletes: [],
      },
      evaluations: [
        ["passed", true, { passed: 1, total: 1, percent: 100 }],
        ["failed", false, { passed: 0, total: 1, percent: 0 }],
      ],
      tests: Array(2).fill(["actionEval", "slack_default", true]),
      owner: "ann",
    });
  },
  8 * MINUTES,
);

test(
  "its shell reaches the tracker by the address of Linear",
  async () => {
    const answer = await python(`
import json
from agent_diff import AgentDiff, BashExecutorProxy
client = AgentDiff()
env = client.init_env(templateService="linear", templateName="tracker_default", impersonateEmail="john@acme.test")
bash = BashExecutorProxy(env.environmentId, base_url=client.base_url, api_key=client.api_key)
shown = bash.execute("""curl -s https://api.linear.app/graphql -H 'Content-Type: application/json' \\
  -d '{"query": "{ viewer { email } }"}'""")
templates = [[str(each.id), each.name] for each in client.list_templates().templates]
client.delete_env(env.environmentId)
print(json.dumps({"shown": shown, "templates": templates}))
`);

    expect(JSON.parse(answer.shown.stdout)).toEqual({
      data: { viewer: { email: "john@acme.test" } },
    });
    // It reads ids as UUIDs, and writes them with dashes.
    const [id, name] = answer.templates[0];
    expect(id).toMatch(/^[0-9a-f]{8}-/);
    expect((await program.get(`/templates/${id}`, ann)).body).toMatchObject({ name });
  },
  8 * MINUTES,
);
