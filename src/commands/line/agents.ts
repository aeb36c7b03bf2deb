/** Commands for agents: tools over standard input and output, and calls that are redirected. */
import { Argument, type Command, Option } from "commander";
import type { ServerOptions } from "~/commands/client";
import { init } from "~/commands/init";
import { type Intercept, intercept, WAYS } from "~/commands/intercept/intercept";
import { type Context, connecting, listed, onServer } from "~/commands/line/options";
import { CODING_AGENTS, type Setup, setup } from "~/commands/setup";
import { VERSION } from "~/version";

const IMAGE = `ghcr.io/OWNER/diorama:${VERSION}`;

export function addAgents(line: Command, { env, interruption, endWith }: Context): void {
  const connect = connecting(env);
  line
    .command("init")
    .description("Write a suite, an agent and a workflow for CI to start from. Replaces no file.")
    .argument("[folder]", "For the files; a repository, whose CI is to run the suite.", ".")
    .option("--image <image>", "The image that CI takes the program from.", IMAGE)
    .action((folder: string, options: { image: string }) => init(folder, options));
  line
    .command("setup")
    .description(
      "Show how to register Diorama's own tools with a coding agent, and a skill for it; --write does it. What is there stays.",
    )
    .summary("Register Diorama with a coding agent.")
    .addArgument(new Argument("<agent>").choices(CODING_AGENTS))
    .option("--url <url>", "The server; else the one that DIORAMA_URL names when the agent runs.")
    .option("--folder <folder>", "The project.", ".")
    .option("--write", "Write the files.", false)
    .action((agent: (typeof CODING_AGENTS)[number], options: Setup) => setup(agent, options));
  onServer(line, "mcp")
    .description(
      "Serve Diorama's own tools over standard input and output, so that a coding agent can create environments, run tests and read results.",
    )
    .action(async (options: ServerOptions) =>
      (await import("~/commands/mcp")).mcp(connect(options), interruption()),
    );

  line
    .command("intercept")
    .description(
      "Run a command whose calls to the hosts of the real services reach environments instead. Clients with a fixed host need no change. Put -- before the command. Exits with the exit code of the command.",
    )
    .summary("Run a command with the hosts of the real services redirected to environments.")
    .argument("<command...>")
    .option(
      "--service-url <url>",
      "Of an environment; else DIORAMA_SERVICE_URL. May be repeated, once for each service.",
      listed,
    )
    .option("--token <token>", "Its token; else DIORAMA_TOKEN, else DIORAMA_API_KEY.", listed)
    .option("--host <name>", "An additional host of theirs; may be repeated.", listed)
    .addOption(new Option("--via <way>", "How calls are redirected.").choices(WAYS).default("auto"))
    .action(async (command: string[], options: Intercept) =>
      endWith(await intercept(command, options, env, interruption())),
    );
}
