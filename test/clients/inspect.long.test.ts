/** A suite as a task of Inspect AI: the task's own agent, and samples that end in other ways than with a verdict. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectTask } from "~/commands/export/inspect";
import { useDatabase } from "../support/database";
import { INSPECT, inspectEnv } from "../support/inspect";
import { pythonPackages, run } from "../support/packages";
import { expectStatus, useProgram } from "../support/program";
import { added, worldSuite } from "../support/world-suite";

const MINUTES = 60_000;
const MAIN = join(import.meta.dir, "../../src/main.ts");

const program = useProgram(useDatabase(), { ENVIRONMENT_POOL_TARGETS: "" });
let folder = "";

const said = (text: string) => ({
  closed_world: true,
  assertions: [{ diff_type: "added", entity: "messages", where: { text }, expected_count: 1 }],
});
const TESTS = [
  { name: "say: hello", prompt: "It is {{now}}. Say hello.", expectedOutput: said("Hello") },
  { name: "say: bye", prompt: "Say bye.", expectedOutput: said("Bye"), surfaces: ["api"] },
];

beforeAll(async () => {
  await pythonPackages(...INSPECT);
  folder = await mkdtemp(join(tmpdir(), "diorama-inspect-"));
  const suite = {
    ...{ name: 'In "words" \\', templateService: "chat", templateName: "chat_default" },
    ...{ impersonateUserId: "U01AGENTONE", tests: TESTS },
  };
  expectStatus(await program.post("/testSuites", suite), 201);
  await exporting(folder, suite.name);
}, 8 * MINUTES);
afterAll(() => rm(folder, { recursive: true, force: true }));

const exporting = (into: string, name: string) =>
  run([
    ...[process.execPath, MAIN, "suites", "export", name, into, "--format", "inspect"],
    ...["--url", program.url],
  ]);

/** Runs Python beside the task, and returns the JSON of its last line: one entry for each sample. */
async function samples(code: string): Promise<any[]> {
  const script = `
import asyncio, json
import httpx
from inspect_ai import eval
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.solver import solver
import task
from task import Place, suite
def act(name, arguments):
    return ModelOutput.for_tool_call("mockllm/model", name, arguments)
def scripted(*outputs):
    async def count(text):  # Its own count downloads a table.
        return len(text)
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    model.api.count_text_tokens = count
    return model
${code}
print(json.dumps([
    {
        "id": each.id,
        "error": each.error.message if each.error else None,
        "prompt": next((one.text for one in each.messages if one.role == "user"), None),
        "scores": {name: score.model_dump() for name, score in (each.scores or {}).items()},
    }
    for each in sorted(log.samples, key=lambda each: each.id)
]))
`;
  const output = await run(["python3", "-c", script], {
    cwd: folder,
    env: await inspectEnv(program.url),
  });
  return JSON.parse(output.split("\n").at(-1) ?? "");
}

const alive = async () => (await program.get("/environments?status=active")).body.environments;

test(
  "the agent acts through tools, and the score has the verdict with its diff",
  async () => {
    const [sample, ...more] = await samples(`
hello = {"channel_id": "C01GENERAL", "message": "Hello"}
model = scripted(act("slack_send_message", hello), act("submit", {"answer": "done"}))
(log,) = eval(suite(), model=model, display="none", log_dir="logs")
`);

    expect(more).toEqual([]); // The other test cannot be solved with tools.
    expect(sample).toMatchObject({
      id: "say: hello",
      error: null,
      prompt: expect.stringMatching(/^It is \w+day \d+ \w+ \d{4}, \d\d:\d\d UTC\. Say hello\.$/),
      scores: {
        verdict: {
          value: "C",
          metadata: {
            score: { passed: 1, total: 1, percent: 100 },
            ...{ reward: 1, success: true, unsafe: 0, ending: "answered" },
            diff: { inserts: [{ __table__: "messages", text: "Hello" }], updates: [], deletes: [] },
          },
        },
      },
    });
    expect(await alive()).toEqual([]);
  },
  8 * MINUTES,
);

test(
  "the agent acts through the API, and what it gets wrong is a score of zero with the reasons",
  async () => {
    const all = await samples(`
hello = {"path": "/chat.postMessage", "body": {"channel": "C01GENERAL", "text": "Hello"}}
model = scripted(*[act("request", hello), act("submit", {"answer": "done"})] * 2)
(log,) = eval(suite(surface="api"), model=model, display="none", log_dir="logs", max_samples=1)
`);

    expect(all).toMatchObject([
      { id: "say: bye", error: null, scores: { verdict: { value: "I" } } },
      { id: "say: hello", error: null, scores: { verdict: { value: "C" } } },
    ]);
    expect(all[0].scores.verdict.explanation).toContain("messages expected count 1 but got 0");
    expect(await alive()).toEqual([]);
  },
  8 * MINUTES,
);

test(
  "a run without a verdict, and an agent that breaks, are errors of their samples",
  async () => {
    const all = await samples(`
@solver
def breaking():
    async def solve(state, generate):
        if state.sample_id == "say: bye":
            raise RuntimeError("the agent broke")
        environment_id = state.store_as(Place).environment_id
        httpx.delete(f"${program.url}/api/platform/env/{environment_id}").raise_for_status()
        return state
    return solve
(log,) = eval(
    suite(surface="api"), solver=breaking(), model="mockllm/model", display="none", log_dir="logs", fail_on_error=False
)
`);

    expect(all.map(({ id, scores }) => ({ id, scores }))).toEqual([
      { id: "say: bye", scores: {} },
      { id: "say: hello", scores: {} },
    ]);
    expect(all[0].error).toContain("the agent broke");
    expect(all[1].error).toMatch(/is not gradable: environment_deleted/);
    expect(await alive()).toEqual([]);
  },
  8 * MINUTES,
);

test(
  "the run of an agent that fails, or reaches a limit, says so, also if it solved its task",
  async () => {
    const ends = async (options: string, text: string) => {
      const [sample] = await samples(`
hello = {"path": "/chat.postMessage", "body": {"channel": "C01GENERAL", "text": "${text}"}}
@solver
def failing():
    async def solve(state, generate):
        place = state.store_as(Place)
        async with httpx.AsyncClient(headers=place.headers) as client:
            (await client.post(f"{place.url}/chat.postMessage", json=hello["body"])).raise_for_status()
        raise RuntimeError("the agent broke")
    return solve
model = scripted(act("request", hello), act("request", {"path": "/auth.test", "body": {}}), act("submit", {"answer": "done"}))
(log,) = eval(
    suite(surface="api"), display="none", log_dir="logs", fail_on_error=False,
    sample_id="say: ${text.toLowerCase()}", **dict(${options})
)
`);
      const { runs } = (await program.get("/runs?limit=1")).body;
      return { sample, run: runs[0] };
    };
    const unmarked = { passed: false, success: false, reward: 0, gradable: true };

    const failed = await ends('solver=failing(), model="mockllm/model"', "Hello");
    expect(failed.sample).toMatchObject({ error: expect.stringContaining("broke"), scores: {} });
    expect(failed.run).toMatchObject({ ...unmarked, ending: "crashed" });

    const scored = await ends(
      'solver=failing(), model="mockllm/model", score_on_error=True',
      "Hello",
    );
    expect(scored.sample.scores.verdict).toMatchObject({ value: "I" });
    expect(scored.run).toMatchObject({ ...unmarked, ending: "crashed" });

    const limited = await ends("model=model, message_limit=4", "Bye");
    expect(limited.sample.scores.verdict).toMatchObject({
      value: "I",
      explanation: "attempt timed out",
      metadata: { ending: "timed_out", reward: 0, success: false, unsafe: 0 },
    });
    expect(limited.run).toMatchObject({ ...unmarked, ending: "timed_out" });

    const answered = await ends("model=model, message_limit=40", "Bye");
    expect(answered.run).toMatchObject({ passed: true, reward: 1, ending: "answered" });

    // The first error ends them all.
    await samples(`
@solver
def failing():
    async def solve(state, generate):
        await asyncio.sleep(2 if state.sample_id == "say: hello" else 60)
        raise RuntimeError("the agent broke")
    return solve
(log,) = eval(suite(surface="api"), solver=failing(), model="mockllm/model", display="none", log_dir="logs")
`);
    const { runs } = (await program.get("/runs?limit=2")).body;
    expect(runs.map(({ ending, gradable }: any) => [ending, gradable]).toSorted()).toEqual([
      ["crashed", true],
      ["interrupted", false],
    ]);
    expect(await alive()).toEqual([]);
  },
  8 * MINUTES,
);

test(
  "the agent acts in both services of a world, through their tools or their APIs",
  async () => {
    const suite = worldSuite(
      "A world",
      { name: "both", prompt: "Tell and file." },
      added("chat", "messages", { text: "Hello" }),
      added("tracker", "issues", { title: "Crash" }),
    );
    expectStatus(await program.post("/testSuites", suite), 201);
    const before = folder;
    folder = await mkdtemp(join(tmpdir(), "diorama-inspect-world-"));
    await exporting(folder, suite.name);

    const acting = async (surface: string, acts: string) => {
      const [sample] = await samples(`
model = scripted(${acts}, act("submit", {"answer": "done"}))
(log,) = eval(suite(surface="${surface}"), model=model, display="none", log_dir="logs")
`);
      return sample;
    };
    const tools = await acting(
      "mcp",
      `act("slack_send_message", {"channel_id": "C01GENERAL", "message": "Hello"}),
       act("save_issue", {"team": "ENG", "title": "Crash"})`,
    );
    const apis = await acting(
      "api",
      `act("request", {"path": "/chat/chat.postMessage", "body": {"channel": "C01GENERAL", "text": "Hello"}}),
       act("request", {"path": "/tracker/graphql", "body": {"query": 'mutation { issueCreate(input: {teamId: "c0000000-0000-4000-8000-000000000001", title: "Crash"}) { success } }'}})`,
    );
    const code = await Bun.file(join(folder, "task.py")).text();
    await rm(folder, { recursive: true });
    folder = before;

    for (const sample of [tools, apis])
      expect(sample).toMatchObject({ error: null, scores: { verdict: { value: "C" } } });
    expect(code).toContain("such as `/chat/chat.postMessage` or `/tracker/graphql`");
  },
  8 * MINUTES,
);

test("a folder with a task keeps it", async () => {
  const before = await Bun.file(join(folder, "task.py")).text();
  await expect(exporting(folder, 'In "words" \\')).rejects.toThrow(/task\.py exists already/);

  expect(await Bun.file(join(folder, "task.py")).text()).toBe(before);
});

test("texts of a suite stay out of the code", () => {
  const name = '"""\nimport os # \\" @SUITE_ID@';
  const suite = { id: "0".repeat(32), name, description: "", impersonateUserId: null, tests: [] };
  const template = { templateService: "chat", templateName: "chat_default" };
  const code = inspectTask({ ...suite, ...template }, "http://127.0.0.1:3000", ["chat"])["task.py"];

  const [, docstring, rest] = code?.split('"""') ?? [];
  expect(docstring).toContain("import os #");
  expect(docstring).toContain("Tried with");
  expect(rest).toMatch(/^\n\nfrom pathlib/);
});
