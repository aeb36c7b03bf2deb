/** `diorama setup`, in folders of projects. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { createCommandLine } from "~/commands/command-line";
import { CommandError } from "~/commands/failure";
import { type CODING_AGENTS, type Setup, setup } from "~/commands/setup";
import SKILL from "~/commands/setup/skill.md" with { type: "text" };
import { controlTools } from "~/platform/control-tools";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "diorama-setup-"));
});
afterAll(() => rm(root, { recursive: true }));

const projects = new Map<string, string>();
/** A new folder with these files. */
async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = join(root, `${projects.size}`);
  projects.set(folder, folder);
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
  return folder;
}

/** The output of the command, and its error. */
async function run(
  agent: (typeof CODING_AGENTS)[number],
  folder: string,
  options: Partial<Setup> = {},
) {
  const lines: string[] = [];
  const spies = [
    spyOn(console, "log").mockImplementation((text) => void lines.push(text)),
    spyOn(console, "error").mockImplementation((text) => void lines.push(text)),
  ];
  const error = await setup(agent, { folder, write: false, ...options }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  for (const spy of spies) spy.mockRestore();
  if (error !== undefined && !(error instanceof CommandError)) throw error;
  return { out: lines.join("\n"), error: error?.message };
}

const read = (folder: string, name: string) => Bun.file(join(folder, name)).text();
const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true }).catch(() => [])).toSorted();

describe.each([
  [
    "claude",
    ".mcp.json",
    ".claude",
    { mcpServers: { diorama: { type: "stdio", command: "diorama", args: ["mcp"] } } },
  ],
  [
    "codex",
    ".codex/config.toml",
    ".agents",
    {
      mcp_servers: {
        diorama: {
          command: "diorama",
          args: ["mcp"],
          env_vars: ["DIORAMA_URL", "DIORAMA_API_KEY"],
        },
      },
    },
  ],
  [
    "cursor",
    ".cursor/mcp.json",
    ".cursor",
    { mcpServers: { diorama: { command: "diorama", args: ["mcp"] } } },
  ],
  [
    "vscode",
    ".vscode/mcp.json",
    ".github",
    { servers: { diorama: { type: "stdio", command: "diorama", args: ["mcp"] } } },
  ],
] as const)("%s", (agent, settings, home, expected) => {
  const parse = (text: string): unknown =>
    settings.endsWith(".toml") ? Bun.TOML.parse(text) : JSON.parse(text);
  const skill = `${home}/skills/diorama/SKILL.md`;

  test("shows what it would write, and writes it when it is told to", async () => {
    const folder = await project();

    const dry = await run(agent, folder);
    expect(dry.out).toContain(`would create ${join(folder, settings)}`);
    expect(dry.out).toContain("+ # Diorama");
    expect(dry.out).toContain("nothing is written: --write does it");
    expect(await filesIn(folder)).toEqual([]);

    const { error } = await run(agent, folder, { write: true });
    expect(error).toBeUndefined();
    expect(parse(await read(folder, settings))).toEqual(expected);
    expect(await read(folder, skill)).toBe(SKILL);

    const before = await read(folder, settings);
    const again = await run(agent, folder, { write: true });
    expect(again.out).toContain(`${join(folder, settings)} is as it should be`);
    expect(await read(folder, settings)).toBe(before);
  });

  test("leaves another server of that name, and a skill that was edited, and writes nothing then", async () => {
    const first = await project();
    await run(agent, first, { write: true });
    const other = (await read(first, settings)).replace('"diorama"', '"other"').replace(
      // Of JSON, the first is the name of the server.
      '"other": {',
      '"diorama": {',
    );
    const named = settings.endsWith(".json")
      ? other.replace(/("command": )"diorama"/, '$1"other"')
      : other;
    const taken = await project({ [settings]: named });
    const edited = await project({ [skill]: "mine" });

    expect((await run(agent, taken, { write: true })).error).toContain(
      "stays as it is: it has another server named diorama\nadd this yourself:",
    );
    expect(await read(taken, settings)).toBe(named);
    expect((await run(agent, edited, { write: true })).error).toContain(
      "exists already and differs",
    );
    expect(await filesIn(edited)).not.toContain(settings);
    expect(await read(edited, skill)).toBe("mine");
  });

  test("says which lines to add where the settings cannot be read", async () => {
    const folder = await project({ [settings]: "{ broken" });

    const { error } = await run(agent, folder, { write: true });

    expect(error).toMatch(/it has a mistake(?: in line 1)?\nadd this yourself:\n/);
    expect(await read(folder, settings)).toBe("{ broken");
  });
});

test("JSON keeps its comments, its indentation and its line ends", async () => {
  const text = [
    "{",
    "\t// Everything of this project.",
    '\t"inputs": [],',
    '\t"servers": {',
    '\t\t"other": { "url": "http://127.0.0.1:1/mcp" } /* ours */,',
    "\t},",
    "}",
    "",
  ].join("\r\n");
  const folder = await project({ ".vscode/mcp.json": text });

  await run("vscode", folder, { write: true, url: "http://127.0.0.1:4000" });

  const written = await read(folder, ".vscode/mcp.json");
  for (const line of text.split("\r\n")) expect(written).toContain(line);
  expect(written).toContain('\r\n\t\t"diorama": {\r\n');
  expect(written).toContain('"--url"');
  expect(written.replaceAll("\r\n", "")).not.toContain("\n");
});

test("TOML keeps everything before the new table", async () => {
  const text = '# mine\nmodel = "x" # best\n\n[mcp_servers.other]\ncommand = "other"';
  const folder = await project({ ".codex/config.toml": text });

  await run("codex", folder, { write: true });

  const written = await read(folder, ".codex/config.toml");
  expect(written).toStartWith(`${text}\n\n[mcp_servers.diorama]\n`);
  expect(Bun.TOML.parse(written)).toMatchObject({
    model: "x",
    mcp_servers: { other: { command: "other" }, diorama: { command: "diorama" } },
  });
});

test.each([
  [
    "codex",
    ".codex/config.toml",
    'mcp_servers = { other = { command = "x" } }\n',
    "cannot be added",
  ],
  ["codex", ".codex/config.toml", "mcp_servers = 1\n", "is no table"],
  ["claude", ".mcp.json", "[]", "has no object"],
  ["claude", ".mcp.json", '{"mcpServers": []}', "mcpServers is no object"],
] as const)("%s with %s: %s is left as it is", async (agent, name, text, problem) => {
  const folder = await project({ [name]: text });

  expect((await run(agent, folder, { write: true })).error).toContain(problem);
  expect(await filesIn(folder)).toEqual(await filesIn(await project({ [name]: text })));
  expect(await read(folder, name)).toBe(text);
});

test("the skill has one page, and names tools and commands that exist", () => {
  const context = { env: {}, serve: async () => {}, interruption: () => AbortSignal.abort() };
  const line = createCommandLine({ ...context, endWith: () => {} });
  const known = (words: readonly string[]): Command | undefined =>
    words.reduce<Command | undefined>(
      (command, word) => command?.commands.find((each) => each.name() === word),
      line,
    );
  const listing = new TextDecoder().decode(controlTools(async () => ({ text: "" })).listing());
  const tools = [...SKILL.matchAll(/`([a-z]+_[a-z]+)`/g)].map(([, name]) => name);
  const commands = [...SKILL.matchAll(/^diorama ([a-z]+) ([a-z]+)/gm)].map((found) =>
    found.slice(1),
  );

  expect(SKILL.split("\n").length).toBeLessThan(90);
  expect(tools.length).toBeGreaterThan(5);
  for (const tool of tools.filter((name) => name !== "closed_world"))
    expect(listing).toContain(`"name":"${tool}"`);
  expect(commands.length).toBeGreaterThan(4);
  for (const words of commands) expect(known(words)?.name()).toBe(`${words.at(-1)}`);
});
