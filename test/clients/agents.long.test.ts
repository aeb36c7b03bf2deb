/**
 * The configurations in the guide, executed as they are printed there, with libraries and programs at fixed versions and
 * without a model: each connects to an environment, and lists and calls its tools as far as it can by itself.
 */
import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import guide from "~/docs/mcp.md" with { type: "text" };
import { useDatabase } from "../support/database";
import { connectClient, endpointOf } from "../support/mcp";
import { nodePackages, pythonPackages, run } from "../support/packages";
import { useProgram } from "../support/program";
import { startRecorder } from "../support/recorder";
import { JOHN } from "../support/tracker";

const MINUTES = 60_000;
const STATELESS = "2026-07-28";
/** The last revision that begins with `initialize`. */
const INITIALIZED = "2025-11-25";
const ROOT = join(import.meta.dir, "../..");
const program = useProgram(useDatabase());

/** The code below a heading of the guide. */
function codeOf(heading: string, language: string): string {
  const start = `\n${heading}:\n\n\`\`\`${language}\n`;
  const from = guide.indexOf(start);
  if (from < 0) throw new Error(`the guide has no ${language} below "${heading}"`);
  return guide.slice(from + start.length, guide.indexOf("\n```", from + start.length));
}

const indented = (code: string, depth: number) =>
  code
    .trim()
    .split("\n")
    .map((line) => " ".repeat(depth) + line)
    .join("\n");

/** `more`: continues the guide's code at this depth. It prints the names of the tools, and the text of a call's result. */
type Tried = {
  readonly packages: readonly string[];
  readonly revision: string;
  readonly depth: number;
  readonly more: string;
};

const CLIENT = {
  depth: 8,
  more: `
listed = await client.list_tools()
result = await client.call_tool(name, arguments)
report([each.name for each in listed.tools], result.content[0].text)
`,
};

const TRIED: Readonly<Record<string, Tried>> = {
  "Inspect AI": {
    packages: ["inspect_ai==0.3.285", "mcp==2.3.0"],
    revision: INITIALIZED,
    depth: 0,
    more: `
from inspect_ai.tool import ToolDef
async with slack:
    tools = {ToolDef(each).name: each for each in await slack.tools()}
    result = await tools[name](**arguments)
    report(list(tools), result[0].text)
`,
  },
  "OpenAI Agents SDK": {
    packages: ["openai-agents==0.24.0", "mcp==2.3.0"],
    revision: STATELESS,
    depth: 4,
    more: `
from agents import RunContextWrapper
from agents.tool_context import ToolContext
tools = {each.name: each for each in await agent.get_mcp_tools(RunContextWrapper(None))}
context = ToolContext(None, tool_name=name, tool_call_id="1", tool_arguments=json.dumps(arguments))
result = await tools[name].on_invoke_tool(context, json.dumps(arguments))
report(list(tools), result["text"])
`,
  },
  LangChain: {
    packages: ["langchain-mcp-adapters==0.3.2", "mcp==1.30.0"],
    revision: INITIALIZED,
    depth: 0,
    more: `
called = {each.name: each for each in tools}
result = await called[name].ainvoke(arguments)
report(list(called), result[0]["text"])
`,
  },
  "The client in Python, version 2": {
    packages: ["mcp==2.3.0"],
    revision: STATELESS,
    ...CLIENT,
  },
  "The client in Python, version 1": {
    packages: ["mcp==1.30.0"],
    revision: INITIALIZED,
    ...CLIENT,
  },
};

const programOf = (code: string, { depth, more }: Tried) => `
import asyncio, json, os
mcp_url, token = os.environ["MCP_URL"], os.environ["TOKEN"]
name, arguments = os.environ["TOOL"], json.loads(os.environ["ARGUMENTS"])
def report(tools, text):
    print(json.dumps({"tools": tools, "text": text}))
async def main():
${indented(code, 4)}
${indented(more, 4 + depth)}
asyncio.run(main())
`;

const SERVICES = {
  chat: {
    user: "U01AGENTONE",
    tool: "slack_send_message",
    args: { channel_id: "C02RANDOM", message: "Is this **tried**?" },
    count: 19,
  },
  tracker: {
    user: JOHN,
    tool: "save_issue",
    args: { team: "ENG", title: "Is this tried?", labels: ["Bug"], priority: 2 },
    count: 58,
  },
} as const;

/** `base`: the server's address, or one that leads there. */
async function endpoint(service: keyof typeof SERVICES, base: { url: string } = program) {
  const environment = await program.environment({
    templateService: service,
    templateName: `${service}_default`,
    impersonateUserId: SERVICES[service].user,
  });
  const { url } = endpointOf(base, environment);
  return { environment, url, token: String(environment.token) };
}

/** The texts of the newest messages of #general. */
async function said(environment: { readonly environmentUrl: string }): Promise<string[]> {
  const newest = { channel: "C01GENERAL", limit: 2 };
  const { messages } = await program.chat(environment, "conversations.history", newest);
  return messages.map(({ text }: { text: string }) => text);
}

describe.each(Object.entries(TRIED))("%s", (heading, tried) => {
  test.each(["chat", "tracker"] as const)(
    "lists and calls the tools of %s",
    async (service) => {
      const { tool, args, count } = SERVICES[service];
      const path = await pythonPackages(...tried.packages);
      await using recorder = startRecorder(program.url);
      const { environment, url, token } = await endpoint(service, recorder);
      const code = codeOf(heading, "python");
      // The guide's own call is one of chat.
      const fitting = service === "chat" ? code : code.replace(/^.*"slack_send_message".*$/m, "");
      const output = await run(["python3", "-c", programOf(fitting, tried)], {
        env: {
          ...process.env,
          ...{ PYTHONPATH: path, MCP_URL: url, TOKEN: token },
          ...{ TOOL: tool, ARGUMENTS: JSON.stringify(args) },
        },
      });
      const { tools, text } = JSON.parse(output.split("\n").at(-1) ?? "");

      expect([...recorder.revisions]).toEqual([tried.revision]);
      expect(tools).toHaveLength(count);
      expect(JSON.parse(text)).toMatchObject(
        service === "chat"
          ? { message_context: { channel_id: "C02RANDOM" } }
          : { title: "Is this tried?", labels: ["Bug"], priority: { value: 2 } },
      );
      if (service === "chat" && code.includes("slack_send_message"))
        expect(await said(environment)).toContain("Lunch at noon?");
    },
    8 * MINUTES,
  );
});

test("curl runs as printed", async () => {
  const { url, token } = await endpoint("chat");
  const output = await run(["sh", "-c", codeOf("curl", "bash")], {
    env: { ...process.env, DIORAMA_MCP_URL: url, DIORAMA_TOKEN: token },
  });

  expect(JSON.parse(output).result.content[0].text).toContain("U02JOHNADOE");
});

test("the client in TypeScript runs as printed", async () => {
  const { environment } = await endpoint("chat");
  const { environmentUrl, mcpUrl, token } = environment;
  const code = codeOf("The client in TypeScript", "ts");
  const given = `const environment = ${JSON.stringify({ environmentUrl, mcpUrl, token })};`;
  const whole = `${code.replace("http://127.0.0.1:3000", program.url)}\nawait client.close();`;
  const [, imports = "", rest = ""] = /^((?:import [^\n]*\n)+)(.*)$/s.exec(whole) ?? [];
  await run([process.execPath, "-e", imports + given + rest], { cwd: ROOT });

  expect(await said(environment)).toContain("Lunch at noon?");
});

/** Empties the home folder of a command, and its environment: what a developer has configured must not count. */
async function withHome<T>(
  use: (home: string, env: Record<string, string | undefined>) => Promise<T>,
): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), "diorama-agents-"));
  const env = { PATH: process.env["PATH"], HOME: home, ...QUIET };
  return await use(home, env).finally(() => rm(home, { recursive: true }));
}
/** Claude Code: no calls of anything but the tools. */
const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };

/** The guide's address of an environment, and the token, replaced by those of a real one. */
const filled = (code: string, { url, token }: { url: string; token: string }) =>
  code.replace(/http:\/\/127\.0\.0\.1:3000[^"]*/, url).replace("Bearer TOKEN", `Bearer ${token}`);

const CLAUDE_CODE = "@anthropic-ai/claude-code@2.1.330";
const CODEX = "@openai/codex@0.169.0";

test.each([
  ...Object.values(TRIED).map(({ packages: [name = ""], revision }) => [
    ...[name.replace("==", "@"), revision],
  ]),
  [CLAUDE_CODE, STATELESS],
  [CODEX, "none"],
])("the guide's table has %s with the revision %s", (known = "", revision) => {
  const at = known.lastIndexOf("@");
  const row = `| \`${known.slice(0, at)}\` | ${known.slice(at + 1)} | ${revision}`;
  expect(guide.replaceAll(/ +/g, " ")).toContain(row);
});

describe("the configuration of", () => {
  test(
    "Claude Code connects, and a wrong token does not",
    async () => {
      const folder = await nodePackages(CLAUDE_CODE);
      await using recorder = startRecorder(program.url);
      const { url, token } = await endpoint("chat", recorder);
      const health = await withHome(async (cwd, env) => {
        const PATH = `${join(folder, "node_modules/.bin")}:${env["PATH"]}`;
        const command = codeOf("Claude Code", "bash");
        for (const [given, DIORAMA_TOKEN] of [
          [command, token],
          [command.replace(" slack ", " wrong "), "diorama_e_wrong"],
        ] as const)
          await run(["sh", "-c", given], {
            cwd,
            env: { ...env, PATH, DIORAMA_MCP_URL: url, DIORAMA_TOKEN },
          });
        return await run(["claude", "mcp", "list"], { cwd, env: { ...env, PATH } });
      });

      expect([...recorder.revisions]).toEqual([STATELESS]);
      expect(health).toMatch(/^slack: .* Connected$/m);
      expect(health).toMatch(/^wrong: .* Failed to connect.*401/m);
    },
    8 * MINUTES,
  );

  test(
    "Codex is read as it is meant",
    async () => {
      const folder = await nodePackages(CODEX);
      const place = await endpoint("chat");
      const read = await withHome(async (home, env) => {
        await Bun.write(join(home, ".codex/config.toml"), filled(codeOf(IN_CODEX, "toml"), place));
        const codex = join(folder, "node_modules/.bin/codex");
        const all = await run([codex, "mcp", "list", "--json"], {
          cwd: home,
          env: { ...env, DIORAMA_TOKEN: place.token },
        });
        return JSON.parse(all);
      });

      expect(read).toMatchObject([
        {
          name: "slack",
          enabled: true,
          transport: { url: place.url, bearer_token_env_var: "DIORAMA_TOKEN" },
        },
      ]);
    },
    8 * MINUTES,
  );
  const IN_CODEX =
    "Codex, in `~/.codex/config.toml`, with the token in the variable `DIORAMA_TOKEN`";

  test.each([
    ["Cursor, in `.cursor/mcp.json`", "mcpServers"],
    ["VS Code, in `.vscode/mcp.json`", "servers"],
  ])("%s has an address and headers that connect", async (heading, key) => {
    const configuration = JSON.parse(filled(codeOf(heading, "json"), await endpoint("chat")));
    const client = await connectClient(configuration[key].slack, "legacy");
    const { tools } = await client.listTools();
    await client.close();

    expect(tools).toHaveLength(19);
  });
});
