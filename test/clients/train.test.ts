/** The guide's page about training, executed as printed, up to the model: tools are called as TRL and verifiers do. */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { TOML } from "bun";
import { useDatabase } from "../support/database";
import { OPENENV_PRELUDE, openEnvPython } from "../support/openenv";
import { run } from "../support/packages";
import { useProgram } from "../support/program";

const MINUTES = 3 * 60_000;
const SERVER = "http://127.0.0.1:3000";

const program = useProgram(useDatabase(), { ENVIRONMENT_POOL_TARGETS: "" });
let blocks: { readonly language: string; readonly code: string }[] = [];

beforeAll(async () => {
  const text = await Bun.file(join(import.meta.dir, "../../src/docs/train.md")).text();
  blocks = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = "", code = ""]) => ({
    language,
    code: code.replaceAll(SERVER, program.url),
  }));
  await openEnvPython();
}, MINUTES);

const python = (index: number) =>
  blocks.filter(({ language }) => language === "python")[index]?.code ?? "";
const play = async (code: string) =>
  await run(["python3", "-c", OPENENV_PRELUDE + code], { env: await openEnvPython() });

test(
  "OpenEnv's client plays a test",
  async () => {
    const printed = await play(python(0));

    expect(printed).toContain("The demo on Friday starts at 14:00 CET.");
    expect(printed).toEndWith("1 True");
  },
  MINUTES,
);

test(
  "TRL finds the tools of the class, plays rows with one instance, and gets their rewards; none for a lost environment",
  async () => {
    const rows = `
import inspect, json
from urllib.request import Request, urlopen

def tasks():
    request = Request(f"{URL}/chat-benchmark/tasks", b'{"split": "mcp"}', {"Content-Type": "application/json"})
    return json.load(urlopen(request))["tasks"]

def lose():
    listed = json.load(urlopen("${program.url}/api/platform/environments"))["environments"]
    newest = next(each for each in listed if each["status"] == "active") # those of ended sessions may still be listed
    live = newest["environmentId"]
    urlopen(Request(f"${program.url}/api/platform/env/{live}", method="DELETE"))

workspace = Workspace()
members = inspect.getmembers(Workspace, predicate=inspect.isfunction)
tools = [name for name, _ in members if name not in ("reset", "get_reward") and not name.startswith("_")]
row, other = tasks()[:2]
outcome = {"tools": tools, "prompt": workspace.reset(**row)}
outcome["found"] = workspace.slack_search_channels(query="eng")
outcome["wrong"] = workspace.slack_send_message(channel_id="C99", message="x")
workspace.slack_send_message(channel_id="C03ENGINEER", message="The demo on Friday starts at 14:00 CET.")
outcome["rewards"] = [workspace.get_reward()]
workspace.reset(**other)
outcome["rewards"].append(workspace.get_reward())
workspace.reset(**row)
lose()
outcome["rewards"].append(workspace.get_reward())
workspace.reset(**row)
lose()
try:
    workspace.slack_search_channels(query="eng")
except RuntimeError as error:
    outcome["lost"] = str(error)
outcome["rewards"].append(workspace.get_reward())
workspace.reset(**row)
workspace.slack_send_message(channel_id="C03ENGINEER", message="The demo on Friday starts at 14:00 CET.")
outcome["rewards"].append(workspace.get_reward())
print(json.dumps(outcome))
`;
    const outcome = JSON.parse(await play(python(1) + rows));

    expect(outcome).toMatchObject({
      tools: ["slack_search_channels", "slack_send_message"],
      prompt: expect.stringContaining("14:00 CET"),
      found: expect.stringContaining("C03ENGINEER"),
      wrong: expect.any(String),
      lost: expect.stringContaining("environment_not_found"),
    });
    const [solved, untouched, ...later] = outcome.rewards;
    expect(solved).toBe(1);
    expect(untouched).toBeLessThan(1);
    expect(later).toEqual([null, null, 1]);
  },
  MINUTES,
);

/** In place of the packages that need a model. */
const STUBS = `
import json, sys
from types import SimpleNamespace as Module
from urllib.request import Request, urlopen

class Trainer:
    def __init__(self, model, args, train_dataset, environment_factory):
        self.rows, self.factory = train_dataset, environment_factory

    def train(self):
        environment = self.factory()
        prompts = [row["prompt"][-1]["content"] + environment.reset(**row) for row in self.rows[:2]]
        print(json.dumps({"rows": len(self.rows), "prompts": prompts, "reward": environment.get_reward()}))

def post(url, json):
    body = sys.modules["json"].dumps(json).encode()
    answer = urlopen(Request(url, body, {"Content-Type": "application/json"})).read()
    return Module(json=lambda: sys.modules["json"].loads(answer))

sys.modules["httpx"] = Module(post=post)
sys.modules["datasets"] = Module(Dataset=Module(from_list=list))
sys.modules["trl"] = Module(GRPOConfig=dict, GRPOTrainer=Trainer)
`;

test("the trainer gets a row for each test that tools can solve, and the class", async () => {
  const { rows, prompts, reward } = JSON.parse(await play(STUBS + python(1) + python(2)));

  expect(rows).toBeGreaterThan(5);
  expect(prompts[0]).toStartWith(
    "Do this with the tools: It is Wednesday 11 March 2026, 10:00 UTC. Post this message in #engineering",
  );
  expect(prompts[1]).not.toBe(prompts[0]);
  expect(reward).toBeLessThan(1);
});

test("the configuration for verifiers names a suite and tests that exist", async () => {
  const code = blocks.find(({ language }) => language === "toml")?.code ?? "";
  const { env } = TOML.parse(code) as {
    env: { taskset: { id: string; base_url: string; resets: object[] } };
  };
  const { base_url: base, resets } = env.taskset;
  const schema = (await (await fetch(`${base}/schema`)).json()) as { action: { title: string } };

  // verifiers asks for the tools if the action has this title.
  expect(schema.action.title).toBe("Action");
  for (const body of resets) {
    const response = await fetch(`${base}/reset`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
  }
});
