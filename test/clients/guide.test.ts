/** The guide's pages about evaluation, executed as printed, with an agent that says one thing through the tools. */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { YAML } from "bun";
import { buildClients } from "../../scripts/clients";
import { useDatabase } from "../support/database";
import { pythonWheels, run } from "../support/packages";
import { useProgram } from "../support/program";
import { useVenv } from "../support/venv";

const MINUTES = 3 * 60_000;
const SERVER = "http://127.0.0.1:3000";
const TARGET = ["--target", "es2022", "--lib", "es2022,esnext.disposable,dom", "--skipLibCheck"];
const PYTEST = ["pytest==9.2.0", "pytest-xdist==3.8.0"];

const program = useProgram(useDatabase());
const venv = useVenv(...PYTEST);
let blocks: Record<"evaluate" | "ci", Record<string, string>>;

/** The first code block of each language; all of the shell. */
async function blocksOf(page: string): Promise<Record<string, string>> {
  const text = await Bun.file(join(import.meta.dir, `../../src/docs/${page}.md`)).text();
  const found = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].toReversed();
  const shell = found.filter(([, language]) => language === "sh").map(([, , code]) => code);
  return {
    ...Object.fromEntries(found.map(([, language, code]) => [language, code])),
    sh: shell.join("\n"),
  };
}

/** The first test of the suite asks for the last line, the test of the page about CI for the first one. */
const PYTHON_AGENT = `
import httpx

SAID = {
    "Say hello in #general.": ["C01GENERAL", "Hello, everyone!"],
    "Who is in #general?": None,
}
DEMO = ["C03ENGINEER", "The demo on Friday starts at 14:00 CET."]

def run_agent(prompt, mcp):
    said = SAID.get(prompt, DEMO)
    if said:
        arguments = {"channel_id": said[0], "message": said[1]}
        params = {"name": "slack_send_message", "arguments": arguments}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accept = {"Accept": "application/json, text/event-stream"}
        httpx.post(mcp.url, json=call, headers={**mcp.headers, **accept}).raise_for_status()
`;
const TYPESCRIPT_AGENT = `
export async function runAgent(_: string, mcp: { url: string; headers: Record<string, string> }, signal: AbortSignal) {
  const args = { channel_id: "C03ENGINEER", message: "The demo on Friday starts at 14:00 CET." };
  const params = { name: "slack_send_message", arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { ...mcp.headers, "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  await fetch(mcp.url, { method: "POST", headers, body, signal });
}
`;

beforeAll(async () => {
  blocks = { evaluate: await blocksOf("evaluate"), ci: await blocksOf("ci") };
  await Bun.write(join(venv.folder, "my_agent.py"), PYTHON_AGENT);
  await buildClients();
}, MINUTES);

const env = () => ({
  ...process.env,
  DIORAMA_URL: program.url,
  PYTHONPATH: venv.folder,
  PATH: `${venv.bin("")}:${process.env["PATH"]}`,
});

test(
  "ten lines of Python evaluate an agent",
  async () => {
    const code = `${blocks.evaluate["python"]}`;
    const lines = code.split("\n").filter((line) => line !== "");
    const printed = await run([venv.python, "-c", code], { env: env() });

    expect(lines.length).toBeLessThanOrEqual(10);
    expect(printed).toStartWith("passed messages: post to a channel []\n");
    expect(printed).toEndWith("\n1 of 10 passed");
  },
  MINUTES,
);

test(
  "ten lines of TypeScript evaluate an agent",
  async () => {
    const cwd = join(venv.folder, "typescript");
    const address = /npm install (\S+)/.exec(`${blocks.evaluate["sh"]}`)?.[1];
    const served = `${address}`.replace(SERVER, program.url);
    const manifest = { type: "module", dependencies: { diorama: served } };
    await Bun.write(join(cwd, "package.json"), JSON.stringify(manifest));
    const code = `${blocks.evaluate["ts"]}`;
    await Bun.write(join(cwd, "main.ts"), code);
    await Bun.write(join(cwd, "my-agent.ts"), TYPESCRIPT_AGENT);
    await run(["bun", "install", "--silent"], { cwd });
    const tsc = join(import.meta.dir, "../../node_modules/typescript5/bin/tsc");
    await run([tsc, "main.ts", "--strict", "--module", "nodenext", ...TARGET], { cwd });
    const printed = await run(["node", "main.js"], { cwd, env: env() });

    expect(code.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(10);
    expect(printed).toStartWith("passed messages: post to a channel []\n");
    expect(printed).toEndWith("\n1 of 10 passed");
  },
  MINUTES,
);

test(
  "the steps of the workflow install the plugin and run the tests of the page",
  async () => {
    const workflow = YAML.parse(`${blocks.ci["yaml"]}`) as {
      jobs: { agent: { steps: { name?: string; run?: string }[] } };
    };
    const step = (name: string) =>
      `${workflow.jobs.agent.steps.find((each) => each.name === name)?.run}`
        .replaceAll(SERVER, program.url)
        .replaceAll("pip install", "pip install --no-index");
    const cwd = join(venv.folder, "ci");
    await Bun.write(join(cwd, "test_agent.py"), `${blocks.ci["python"]}`);
    const wheels = await pythonWheels("httpx==0.28.1", "pydantic==2.14.3", ...PYTEST);

    await run([venv.python, "-m", "pip", "uninstall", "--yes", "--quiet", "diorama", "pytest"]);
    const install = { ...env(), PIP_FIND_LINKS: wheels };
    await run(["sh", "-ec", step("Install")], { cwd, env: install });
    const printed = await run(["sh", "-ec", step("Test")], { cwd, env: env() });

    expect(printed).toContain("2 passed in");
    expect(await Bun.file(join(cwd, "report.xml")).text()).toContain('tests="2"');
  },
  MINUTES,
);
