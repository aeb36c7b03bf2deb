/** Commands of runs. */
import { type Command, Option } from "commander";
import type { ServerOptions } from "~/commands/client";
import {
  type Context,
  connecting,
  labelled,
  listing,
  onServer,
  upTo,
} from "~/commands/line/options";
import { listRuns, openRun, type RunsList, showRun } from "~/commands/run-list";
import { exportRun, RECORD_FORMATS, type RunExport } from "~/commands/runs";

const LIMIT_MAX = 1_000;
const STATUSES = ["running", "completed", "passed", "failed"];

export function addRuns(line: Command, { env }: Context): void {
  const connect = connecting(env);
  const runs = line.command("runs").description("Runs, on a server.");
  listing(runs)
    .description("List your runs, newest first.")
    .option("--suite <name-or-id>", "Only those that count for this suite.")
    .option("--environment <id>", "Only those of this environment.")
    .addOption(new Option("--status <status>", "Only those with this status.").choices(STATUSES))
    .option("--label <name=value>", "Only those with this label; may be repeated.", labelled)
    .option("--limit <number>", "At most so many.", upTo(LIMIT_MAX), 50)
    .action((options: RunsList) => listRuns(connect(options), options));
  onServer(runs, "show")
    .description("Show the verdict, the changes and the calls of a run.")
    .argument("<run>", "Its id.")
    .option("--json", "As JSON instead of YAML.", false)
    .action((run: string, options) => showRun(connect(options), run, options));
  onServer(runs, "open")
    .description("Open the page of a run in the console, and print its address.")
    .argument("<run>", "Its id.")
    .action((run: string, options: ServerOptions) =>
      openRun(connect(options), run, env["BROWSER"]),
    );
  onServer(runs, "export")
    .description(
      "Write a run with its calls, changes and verdict, as a page for a browser without a server or as a record.",
    )
    .argument("<run>", "Its id.")
    .option("--html <file>", "A page in one HTML file, with the world too.")
    .addOption(
      new Option(
        "--format <format>",
        "A record: ATIF trajectory, OpenTelemetry spans, Inspect log, or a line of JSON for each call.",
      ).choices(RECORD_FORMATS),
    )
    .option("--output <file>", "For the record; else it is printed.")
    .action((run: string, options: ServerOptions & RunExport) =>
      exportRun(connect(options), run, options),
    );
}
