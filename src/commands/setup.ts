/** `diorama setup`: registers Diorama's own tools with a coding agent, and writes a skill for it. */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandError } from "~/commands/failure";
import { paint } from "~/commands/paint";
import { type Registration, withJsonServer, withTomlServer } from "~/commands/setup/settings";
import SKILL from "~/commands/setup/skill.md" with { type: "text" };
import { notice, print } from "~/log";

type Agent = {
  readonly settings: string;
  readonly skill: string;
  readonly register: (text: string, server: object) => Registration;
  readonly server: (args: readonly string[]) => object;
};

const PROGRAM = "diorama";
const command = (args: readonly string[]) => ({ command: PROGRAM, args });

/** Files of a project, so that everyone who works on it has them. */
const AGENTS = {
  claude: {
    settings: ".mcp.json",
    skill: ".claude/skills/diorama/SKILL.md",
    register: (text, server) => withJsonServer(text, "mcpServers", server),
    server: (args) => ({ type: "stdio", ...command(args) }),
  },
  codex: {
    settings: ".codex/config.toml",
    skill: ".agents/skills/diorama/SKILL.md",
    register: withTomlServer,
    // Codex passes no others of the user's variables.
    server: (args) => ({ ...command(args), env_vars: ["DIORAMA_URL", "DIORAMA_API_KEY"] }),
  },
  cursor: {
    settings: ".cursor/mcp.json",
    skill: ".cursor/skills/diorama/SKILL.md",
    register: (text, server) => withJsonServer(text, "mcpServers", server),
    server: command,
  },
  vscode: {
    settings: ".vscode/mcp.json",
    skill: ".github/skills/diorama/SKILL.md",
    register: (text, server) => withJsonServer(text, "servers", server),
    server: (args) => ({ type: "stdio", ...command(args) }),
  },
} satisfies { readonly [name: string]: Agent };
export const CODING_AGENTS = Object.keys(AGENTS) as readonly (keyof typeof AGENTS)[];

export type Setup = { readonly url?: string; readonly folder: string; readonly write: boolean };

type Change = {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
};

/** Shows what would be written, and writes it with `write`: all files or none. Throws CommandError. */
export async function setup(
  name: keyof typeof AGENTS,
  { url, folder, write }: Setup,
): Promise<void> {
  const agent: Agent = AGENTS[name];
  const [settings, skill] = [join(folder, agent.settings), join(folder, agent.skill)];
  const before = await textOf(settings);
  const server = agent.server(["mcp", ...(url === undefined ? [] : ["--url", url])]);
  const registered = agent.register(before ?? "", server);
  if ("problem" in registered)
    throw new CommandError(
      `${settings} stays as it is: ${registered.problem}\nadd this yourself:\n${registered.addition}`,
    );
  const known = await textOf(skill);
  if (known !== undefined && known !== SKILL)
    throw new CommandError(`${skill} exists already and differs: delete it to get the new one`);
  const changes: readonly Change[] = [
    { path: settings, before, after: registered.text },
    { path: skill, before: known, after: SKILL },
  ];
  if (write) await writeAll(changes);
  for (const change of changes) show(change, { written: write });
  if (!write) notice("\nnothing is written: --write does it");
  if (!Bun.which(PROGRAM)) notice(`${PROGRAM} is not on the PATH, where ${name} will look for it`);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await Bun.file(path).text();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new CommandError(`${path} cannot be read: ${code}`);
  }
}

/** The lines that are new, and those that they replace. */
function show({ path, before, after }: Change, { written }: { written: boolean }): void {
  if (before === after) {
    print(`${path} is as it should be`);
    return;
  }
  const verb = before === undefined ? "create" : "change";
  print(paint("bold", written ? `${path} is ${verb}d` : `would ${verb} ${path}`));
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  let start = 0;
  while (start < old.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  for (const line of old.slice(start, old.length - end)) print(paint("red", `- ${line}`));
  for (const line of now.slice(start, now.length - end)) print(paint("green", `+ ${line}`));
}

const linesOf = (text: string) => (text === "" ? [] : text.trimEnd().split(/\r?\n/));

async function writeAll(changes: readonly Change[]): Promise<void> {
  for (const { path, before, after } of changes) {
    if (before === after) continue;
    try {
      await mkdir(dirname(path), { recursive: true });
      await Bun.write(path, after);
    } catch (error) {
      throw new CommandError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
    }
  }
}
