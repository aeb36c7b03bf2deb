/** Completion of commands, options and their values in a shell. */
import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";

const HELP = `
For this shell, and for each new one with the same line in its settings:

  source <(diorama completion bash)
  source <(diorama completion zsh)
  diorama completion fish | source`;

/** Adds `completion`, which prints the script of a shell, and `complete`, which the script asks. */
export function addCompletion(line: Command): void {
  tab(line, { completionCommandName: "completion" });
  for (const command of line.commands) {
    if (command.name() === "completion")
      command
        .description("Print a script that completes commands and options in a shell.")
        .addHelpText("after", HELP);
    if (command.name() === "complete")
      command.description("Answer the script of a shell.").usage("[options] -- [args...]");
  }
}
