/** Commands of environments. */
import type { Command } from "commander";
import type { ServerOptions } from "~/commands/client";
import {
  type Creation,
  clockOfEnvironment,
  counterpartsOfEnvironment,
  createEnvironment,
  deleteEnvironments,
  type Forking,
  faultsOfEnvironment,
  forkEnvironment,
  listEnvironments,
  resetEnvironment,
  showEnvironment,
} from "~/commands/env";
import {
  type Context,
  connecting,
  listing,
  onServer,
  PARALLEL_MAX,
  positive,
  upTo,
} from "~/commands/line/options";
import { type Listening, listen } from "~/commands/listen";

export function addEnvironments(line: Command, { env, interruption }: Context): void {
  const connect = connecting(env);
  const environments = line.command("env").description("Environments, on a server.");
  const onEnvironment = (name: string) =>
    onServer(environments, name)
      .argument("<id>")
      .option("--json", "As JSON instead of YAML.", false);
  const snapshot = ["--snapshot <id>", "A snapshot of it or of its family."] as const;
  listing(environments)
    .description("List your environments, newest first.")
    .option("--service <service>", "Only those of this service.")
    .option("--all", "Also those that have ended.", false)
    .action((options) => listEnvironments(connect(options), options));
  onServer(environments, "create")
    .description("Create an environment from a template, and print its address and its token.")
    .argument("<template>")
    .option("--as <user>", "Id or email of the user that the agent acts as.")
    .option("--ttl <seconds>", "It is deleted after this time.", positive)
    .option("--now <time>", "Its clock starts at this time.")
    .option("--seed <number>", "Random values derive from it.", upTo(Number.MAX_SAFE_INTEGER, 0))
    .option("--services <service...>", "Of a world: only these of its services.")
    .option("--json", "As JSON instead of YAML.", false)
    .action((template: string, options: Creation & ServerOptions) =>
      createEnvironment(connect(options), template, options),
    );
  onServer(environments, "delete")
    .description("Delete environments now rather than when they expire.")
    .argument("<id...>")
    .action((ids: string[], options: ServerOptions) => deleteEnvironments(connect(options), ids));
  onEnvironment("show")
    .description(
      "Show an environment, with its user, its time left, its newest run and what has changed.",
    )
    .action((id: string, options) => showEnvironment(connect(options), id, options));
  onEnvironment("reset")
    .description("Return an environment to its template, or to a snapshot.")
    .option(...snapshot)
    .action((id: string, options) => resetEnvironment(connect(options), id, options));
  onEnvironment("fork")
    .description("Create environments with the state of another, and print their tokens.")
    .option("--count <number>", "Number of forks.", upTo(PARALLEL_MAX), 1)
    .option(...snapshot)
    .option("--ttl <seconds>", "They are deleted after this time.", positive)
    .action((id: string, options: Forking) => forkEnvironment(connect(options), id, options));
  onEnvironment("clock")
    .description("Show the clock of an environment, or move it and show what was due.")
    .option("--to <time>", "Move it to this time, or to the next at which something is due.")
    .option("--advance <duration>", "Move it by this ISO 8601 duration, such as P1D.")
    .action((id: string, options) => clockOfEnvironment(connect(options), id, options));
  onEnvironment("faults")
    .description("Show the faults of an environment, or replace them.")
    .option(
      "--set <file>",
      "Replace them by the `faults` of this YAML or JSON; - is standard input.",
    )
    .option("--clear", "Remove them.", false)
    .action((id: string, options) => faultsOfEnvironment(connect(options), id, options));
  onEnvironment("counterparts")
    .description("Show the counterparts of an environment, or replace them.")
    .option(
      "--set <file>",
      "Replace them by the `counterparts` of this YAML or JSON; - is standard input.",
    )
    .option("--clear", "Remove them.", false)
    .action((id: string, options) => counterpartsOfEnvironment(connect(options), id, options));
  onServer(line, "listen")
    .description(
      "Post the events of an environment's app to an address, signed as the service signs them, and report the answers. The server need not reach the app.",
    )
    .summary("Forward the events of an environment to an app.")
    .argument("<id>", "Of the environment.")
    .requiredOption("--forward-to <url>", "The address at which the app takes events.")
    .option("--app <id>", "The app, if the environment has several.")
    .action((id: string, options: Listening) =>
      listen(connect(options), id, options, interruption()),
    );
}
