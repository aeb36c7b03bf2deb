/** Commands of runs. */
import type { Command } from "commander";
import type { ServerOptions } from "~/commands/client";
import { type Context, connecting, onServer } from "~/commands/line/options";
import { exportRun } from "~/commands/runs";

export function addRuns(line: Command, { env }: Context): void {
  const connect = connecting(env);
  const runs = line.command("runs").description("Runs, on a server.");
  onServer(runs, "export")
    .description(
      "Write a run to one HTML file that shows its calls, changes, world and verdict in a browser, without a server.",
    )
    .argument("<run>", "Its id.")
    .requiredOption("--html <file>", "The file to write.")
    .action((run: string, options: ServerOptions & { html: string }) =>
      exportRun(connect(options), run, options.html),
    );
}
