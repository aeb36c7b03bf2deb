/** OpenEnv's own package: its validator against servers and exported folders, and its clients. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, useDatabase } from "../support/database";
import { runOpenEnv, validateOpenEnv } from "../support/openenv";
import { run } from "../support/packages";
import { launch, type ServerProcess } from "../support/process";
import { expectStatus, useProgram } from "../support/program";

const MINUTES = 3 * 60_000;
const MAIN = join(import.meta.dir, "../../src/main.ts");
const program = useProgram(useDatabase(), { ENVIRONMENT_POOL_TARGETS: "" });
const image = useDatabase();
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "diorama-openenv-"));
  await runOpenEnv("-c", "");
}, MINUTES);
afterAll(() => rm(folder, { recursive: true, force: true }));

const addressOf = (suite: string) => `${program.url}/openenv/${suite}`;

test(
  "`openenv validate --url` finds nothing wrong at the address of a suite",
  async () => {
    const { code, report } = await validateOpenEnv("--url", addressOf("Chat%20benchmark"));

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
    outcome["sent"] = env.call_tool("slack_send_message", channel_id="C03ENGINEER", message="The demo on Friday starts at 14:00 CET.")
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
    });
  },
  MINUTES,
);

const exporting = async (suite: string, name: string) => {
  const into = join(folder, "envs", name);
  const command = ["suites", "export", suite, into, "--format", "openenv", "--url", program.url];
  await run([process.execPath, MAIN, ...command]);
  return into;
};

type Result = { check_id: string; status: string; evidence: string[] };
const statuses = (results: readonly Result[]) =>
  Object.fromEntries(results.map(({ check_id, status }) => [check_id, status]));

/** A suite with a template of its own, whose names are hard for Python and for TOML. */
async function createOwn(): Promise<string> {
  const seed = {
    ...{ template: "seal_own", service: "chat", extends: "chat_base" },
    messages: [],
  };
  expectStatus(
    await program.post("/templates/import", { name: "seal_own", service: "chat", seed }),
    201,
  );
  const said = {
    diff_type: "added",
    entity: "messages",
    where: { text: "Hello" },
    expected_count: 1,
  };
  const created = await program.post("/testSuites", {
    ...{ name: '7 "odd" names\\', description: 'With "quotes"\nand lines' },
    ...{ templateService: "chat", templateName: "seal_own", impersonateUserId: "U01AGENTONE" },
    tests: [{ name: "Hello", prompt: "Say hello.", expectedOutput: { assertions: [said] } }],
  });
  expectStatus(created, 201);
  return created.body.suiteId;
}

/** The package's own command on each folder, the check of `openenv push`, and an import of the client. */
const CHECK = `
import importlib.util, json, sys, tomllib
from pathlib import Path
from typer.testing import CliRunner
from openenv.cli.__main__ import app
from openenv.cli._cli_utils import validate_env_structure
from openenv.core import GenericEnvClient

def validate(*args):
    result = CliRunner().invoke(app, ["validate", "--json", *args])
    return {"code": result.exit_code, "report": json.loads(result.stdout)}

def is_client(folder):
    (name,) = tomllib.loads((folder / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (client,) = module.__all__
    return name.isidentifier() and issubclass(getattr(module, client), GenericEnvClient)

print(json.dumps([
    {
        "fixed": validate(folder, "--level", "static"),
        "skipped": validate(folder, "--skip-build"),
        "warnings": validate_env_structure(Path(folder)),
        "isClient": is_client(Path(folder)),
    }
    for folder in sys.argv[1:]
]))
`;
type Validated = { readonly code: number; readonly report: any };
type Checked = {
  readonly fixed: Validated;
  readonly skipped: Validated;
  readonly warnings: readonly string[];
  readonly isClient: boolean;
};

describe("an exported folder", () => {
  let own = "";
  beforeAll(async () => {
    own = await createOwn();
  });

  test(
    "passes the validator's static checks, and what its build and push ask for",
    async () => {
      const folders = [
        await exporting("Chat benchmark", "chat"),
        await exporting("tracker-benchmark", "tracker"),
        await exporting(own, "own"),
      ];

      const { out, err } = await runOpenEnv("-c", CHECK, ...folders);

      const checked: Checked[] = out.startsWith("[") ? JSON.parse(out) : [];
      expect([checked.length, err]).toEqual([folders.length, err]);
      for (const { fixed, skipped, warnings, isClient } of checked) {
        expect(fixed).toMatchObject({ code: 0, report: { verdict: "pass" } });
        expect(statuses(fixed.report.results)).toEqual({ "static.manifest": "pass" });
        expect(skipped.code).toBe(0);
        expect(skipped.report.manifest).toMatchObject({
          manifest_schema_version: "2",
          reward: { range: [0, 1], oracle_tolerance: 0, floor_margin: 1 },
          network: { mode: "no-network" },
        });
        const found = Object.values(statuses(skipped.report.results));
        expect(new Set(found)).toEqual(new Set(["pass", "skip"]));
        expect(warnings).toEqual(["Recommended directory missing: outputs/"]);
        expect(isClient).toBe(true);
      }
    },
    MINUTES,
  );

  test(
    "has a card in OpenEnv's catalogue",
    async () => {
      const into = await exporting("Chat benchmark", "listed");
      const repository = join(folder, "repository");
      const git = (...args: string[]) => run(["git", "-C", repository, ...args]);
      await run(["mkdir", "-p", join(repository, "envs")]);
      await run(["cp", "-R", into, join(repository, "envs/chat")]);
      await run(["git", "init", "--quiet", repository]);
      await git("add", ".");
      const author = ["-c", "user.name=a", "-c", "user.email=a@acme.test"];
      await git(...author, "commit", "--quiet", "-m", "An environment");
      const catalog = join(folder, "catalog.json");

      const { code, err } = await runOpenEnv(
        ...["-m", "openenv.cli", "catalog", "build", "--repository", repository],
        ...["--repository-uri", "https://github.com/acme/envs.git", "--publisher", "acme.test"],
        ...["--output", catalog],
      );

      expect([code, err]).toEqual([0, expect.stringContaining("1 records")]);
      expect(err).toContain("complete=true");
      const { entries } = await Bun.file(catalog).json();
      expect(entries[0]).toMatchObject({ displayName: "chat-benchmark", tags: ["openenv"] });
    },
    MINUTES,
  );

  test("does not replace files", async () => {
    await exporting("Chat benchmark", "twice");

    await expect(exporting("Chat benchmark", "twice")).rejects.toThrow("exists already");
  });
});

/** Starts the server of an exported folder's image, without the container. */
async function startImage(into: string): Promise<ServerProcess> {
  const server = await launch(
    image,
    { ENVIRONMENT: "production", HOST: "127.0.0.1", ENVIRONMENT_POOL_TARGETS: "" },
    { args: ["serve", "--suite", join(into, "suite.json")] },
  );
  await eventually(async () => {
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });
  return server;
}

/** The package's own graders, on a server that stands in for the container that its Docker provider starts. */
const GRADE = `
import sys
from pathlib import Path
from openenv.validation import run_validation
from openenv.validation.types import ProviderCapability

class Running:
    def __init__(self, url):
        self.base_url = url
    def inspect(self):
        return {}
    def stop(self):
        pass

class Provider:
    name = "process"
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({"public", "no-network"})
    def build(self, root, execution):
        assert (root / execution.dockerfile).is_file() and (root / execution.context).is_dir()
        return "sha256:" + "0" * 64
    def start(self, spec):
        return Running(sys.argv[2])

print(run_validation(Path(sys.argv[1]), provider=Provider()).model_dump_json())
`;

describe("the image of an exported folder", () => {
  test(
    "is a server whose episodes pass every check of RFC 008 that the package can make",
    async () => {
      const into = await exporting("Chat benchmark", "graded");
      const server = await startImage(into);
      try {
        const { out, err } = await runOpenEnv("-c", GRADE, into, server.url);
        const report = JSON.parse(out || err);

        const found = statuses(report.results);
        expect(found).toMatchObject({
          "static.manifest": "pass",
          "runtime.startup": "pass",
          "runtime.reward_well_formed": "pass",
          "runtime.observation_schema": "pass",
          "runtime.state_contract": "pass",
          "runtime.network_policy": "skip",
        });
        const skipped = (report.results as Result[]).filter(({ status }) => status === "skip");
        const reasons = skipped
          .filter(({ check_id }) => check_id !== "runtime.network_policy")
          .flatMap(({ evidence }) => evidence);
        expect(new Set(reasons)).toEqual(new Set(["grader not implemented in this build"]));
        expect(Object.values(found).filter((status) => status === "pass")).toHaveLength(5);
        expect(report.verdict).toBe("warn");

        const running = await validateOpenEnv("--url", server.url);
        expect(running.report.summary).toMatchObject({ passed_count: 6, total_count: 6 });
      } finally {
        server.kill("SIGTERM");
        await server.exited;
      }
    },
    MINUTES,
  );

  test(
    "plays its own suite without a key, and nothing else",
    async () => {
      const into = await exporting("Chat benchmark", "played");
      const server = await startImage(into);
      try {
        const ask = async (path: string, body?: object) => {
          const response = await fetch(server.url + path, {
            method: body ? "POST" : "GET",
            headers: { "Content-Type": "application/json" },
            ...(body && { body: JSON.stringify(body) }),
          });
          return { status: response.status, body: (await response.json()) as any };
        };
        expect((await ask("/metadata")).body.name).toBe("chat-benchmark");
        expect((await ask("/list_environments")).body).toEqual(["chat-benchmark"]);
        expect((await ask("/chat-benchmark/num_tasks", { split: "api" })).body).toEqual({
          num_tasks: 20,
        });
        expect((await ask("/openapi.json")).body.servers).toEqual([{ url: server.url }]);
        for (const path of [
          "/api/platform/environments",
          "/openenv/chat-benchmark/health",
          "/metrics",
        ])
          expect((await ask(path)).status).toBe(401);

        const { code, out, err } = await runOpenEnv(
          "-c",
          `
import json, sys
sys.path.insert(0, sys.argv[1])
from client import ChatBenchmarkEnv

rewards = []
with ChatBenchmarkEnv(base_url=sys.argv[2]).sync() as env:
    for solved in (False, True):
        env.reset(index=0, episode_id="mine")
        if solved:
            message = {"channel_id": "C03ENGINEER", "message": "The demo on Friday starts at 14:00 CET."}
            env.step({"type": "call_tool", "tool_name": "slack_send_message", "arguments": message})
        rewards.append(env.step({"type": "submit"}).reward)
print(json.dumps(rewards))
`,
          into,
          server.url,
        );
        expect([code, err, out.trim()]).toEqual([0, err, "[0, 1]"]);
      } finally {
        server.kill("SIGTERM");
        await server.exited;
      }
    },
    MINUTES,
  );

  test(
    "says what is wrong with its suite",
    async () => {
      const file = join(folder, "wrong.json");
      await Bun.write(file, "{}");
      for (const [suite, words] of [
        [file, "the file has no suite"],
        ["nothing", 'suite_not_found: There is no suite "nothing"'],
      ] as const) {
        const server = await launch(image, {}, { args: ["serve", "--suite", suite] });
        expect(await server.exited).not.toBe(0);
        expect(server.output()).toContain(words);
      }
      const both = await launch(image, {}, { args: ["serve", "--suite", "x", "--task", "y"] });
      expect(await both.exited).toBe(64);
    },
    MINUTES,
  );
});
