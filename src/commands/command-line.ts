/** Every command with its arguments, its options and its help. */
import { Command } from "commander";
import { addCompletion } from "~/commands/completion";
import { addAgents } from "~/commands/line/agents";
import { addEnvironments } from "~/commands/line/environments";
import { addMachine } from "~/commands/line/machine";
import type { Context } from "~/commands/line/options";
import { addRuns } from "~/commands/line/runs";
import { addSuites } from "~/commands/line/suites";
import { addTemplates } from "~/commands/line/templates";
import { notice, print } from "~/log";
import { VERSION } from "~/version";

const HELP_WIDTH = 100;

/** Throws CommanderError after printing the problem. */
export function createCommandLine(context: Context): Command {
  const line = new Command("diorama")
    .description("Disposable replicas of the services that AI agents act on.")
    .version(VERSION, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Show this help.")
    .helpCommand("help [command]", "Show the help of a command.")
    .exitOverride()
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => notice(text.trimEnd()),
      getOutHelpWidth: () => process.stdout.columns || HELP_WIDTH,
      getErrHelpWidth: () => process.stderr.columns || HELP_WIDTH,
    });

  addMachine(line, context);
  addSuites(line, context);
  addTemplates(line, context);
  addEnvironments(line, context);
  addRuns(line, context);
  addAgents(line, context);

  line
    .command("version")
    .description("Print the version.")
    .action(() => print(VERSION));
  addCompletion(line);
  return line;
}
