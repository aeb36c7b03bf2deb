/** Every command with its arguments, its options and its help. */
import { Command, InvalidArgumentError, Option } from "commander";
import { capture } from "~/commands/capture";
import { createClient, type Environment, type Import, type ServerOptions } from "~/commands/client";
import { doctor } from "~/commands/doctor";
import {
  clockOfEnvironment,
  type Forking,
  faultsOfEnvironment,
  forkEnvironment,
  listEnvironments,
  resetEnvironment,
  showEnvironment,
} from "~/commands/env";
import { health } from "~/commands/health";
import { type Intercept, intercept, WAYS } from "~/commands/intercept/intercept";
import { keys, PLANS } from "~/commands/keys";
import { licenses } from "~/commands/licenses";
import { mcp } from "~/commands/mcp";
import { exportRun } from "~/commands/runs";
import type { Serving } from "~/commands/serve";
import { type Labels, SURFACES } from "~/commands/suite";
import { AUDIT_FORMATS, auditSuite, type SuiteAudit } from "~/commands/suite-audit";
import {
  exportSuite,
  FORMATS,
  importSuite,
  listSuites,
  runSuiteCommand,
  type SuiteExport,
  type SuiteImport,
  type SuiteRun,
} from "~/commands/suites";
import { finishTask, type TaskFinish } from "~/commands/task";
import { exportTemplate, importTemplate, listTemplates } from "~/commands/templates";
import { SETTINGS } from "~/config";
import { ENDINGS } from "~/evaluation/ending";
import { notice, print } from "~/log";
import { VERSION } from "~/version";

const EXIT_CODE_MAX = 2 ** 31 - 1;

type Context = {
  readonly env: Environment;
  readonly serve: (options: Serving) => Promise<void>;
  /** Aborts on the first signal: the command cleans up before it ends. */
  readonly interruption: () => AbortSignal;
  /** Sets the exit code of the process. */
  readonly endWith: (code: number) => void;
};

const PARALLEL_MAX = 64;
/** The longest life of an environment is seven days. */
const TIMEOUT_SECONDS_MAX = 600_000;
const REPEAT_MAX = 1_000;
const RETRIES_MAX = 100;
const HELP_WIDTH = 100;

const RUN_CODES = `
Exit codes:
  0  Every attempt passed.
  1  Some attempts failed, and all have a verdict.
  2  Some attempts have no verdict: they are not gradable, or the command was interrupted.
  64 The command line is wrong, or there is no such suite or test.
  69 The server does not answer, or rejects the key.`;

const AUDIT_CODES = `
Exit codes:
  0  No mutant of the severity S1 survives.
  1  One does, or a solution fails.
  2  Some tests were not audited: their template is gone, or there was no time.
  64 The command line is wrong, or there is no such suite.
  69 The server does not answer, or rejects the key.`;

/** Throws CommanderError after printing the problem. */
export function createCommandLine({ env, serve, interruption, endWith }: Context): Command {
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

  line
    .command("serve")
    .description("Start the server. This is the default command.")
    .option(
      "--task <test>",
      "Serve one test at /task: its id, or a file of `suites export --format harbor`.",
    )
    .option(
      "--suite <suite>",
      "Play one suite at / in the protocol of OpenEnv, without a key: its name or id, or a file of `suites export --format openenv`.",
    )
    .addHelpText("after", () => `\nSettings, from the environment:\n${settingsHelp()}`)
    .action((options: Serving) => serve(options));
  line
    .command("task")
    .description("The test of a server that was started with serve --task, on this machine.")
    .command("finish")
    .description(
      "End the run, and write result.json into a folder, and reward.json if the run is gradable.",
    )
    .requiredOption("--out <folder>", "For the files.")
    .addOption(
      new Option("--ending <way>", "How the agent ended, if that is known.").choices(
        Object.keys(ENDINGS),
      ),
    )
    .option("--exit-code <code>", "Of the agent's process.", upTo(EXIT_CODE_MAX, 0))
    .action((options: TaskFinish) => finishTask(env, options));
  line
    .command("health")
    .description("Check whether the server on this machine can serve, for container health checks.")
    .action(async () => endWith(await health(env)));
  line
    .command("doctor")
    .description("Check settings and database, and suggest fixes.")
    .action(() => doctor(env));

  const ofKeys = line.command("keys").description("API keys, in the database of the settings.");
  ofKeys
    .command("create")
    .description("Create a key and print it. It cannot be shown again.")
    .requiredOption("--user <id>", "The user that the key acts for.")
    .option("--name <text>", "A note.", "")
    .addOption(new Option("--plan <plan>", "Its limits.").choices(PLANS).default("free"))
    .option("--days <number>", "Days until it expires. Without: never.", positive)
    .action(({ user, name, plan, days = null }) =>
      keys(env).create({ userId: user, name, plan, expiresInDays: days }),
    );
  ofKeys
    .command("list")
    .description("List all keys.")
    .action(() => keys(env).list());
  ofKeys
    .command("revoke")
    .description("Revoke a key, effective from the next call.")
    .argument("<key-id>")
    .action((keyId) => keys(env).revoke(keyId));

  const ofCapture = line.command("capture").description("Capture of changes from the log.");
  ofCapture
    .command("status")
    .description("Show the state of capture, and how much log it retains.")
    .action(() => capture(env).status());
  ofCapture
    .command("drop-slot")
    .description("Drop the slot, before you retire the database or lower its wal_level.")
    .option("--force", "Drop it even if runs are active; they fail.", false)
    .action(({ force }) => capture(env).drop(force));

  line
    .command("licenses")
    .description("Print the licenses of everything in this program.")
    .action(licenses);

  /** A command that calls a server. */
  const onServer = (parent: Command, name: string) =>
    parent
      .command(name)
      .option("--url <url>", "The server; else DIORAMA_URL, else the one on this machine.")
      .option("--key <key>", "The API key; else DIORAMA_API_KEY.");
  const listing = (parent: Command) =>
    onServer(parent, "list").option("--json", "As JSON instead of a table.", false);
  const exporting = (parent: Command) =>
    onServer(parent, "export")
      .argument("<name-or-id>")
      .option("--json", "As JSON instead of YAML.", false);
  const importing = (parent: Command) =>
    onServer(parent, "import")
      .argument("<file>", "YAML or JSON; - is standard input.")
      .option("--name <name>", "A name that replaces the one in the file.")
      .addOption(new Option("--visibility <visibility>").choices(["public", "private"]));
  const connect = (options: ServerOptions) => createClient(options, env);

  const suites = line.command("suites").description("Suites of tests, on a server.");
  onServer(suites, "run")
    .description(
      "Run an agent on each test of a suite. The command is run by the shell, with DIORAMA_PROMPT, DIORAMA_SERVICE_URL, DIORAMA_TOKEN and DIORAMA_USER_ID in its environment.",
    )
    .summary("Run an agent on each test of a suite.")
    .argument("<name-or-id>")
    .requiredOption("--command <command>", "Starts the agent.")
    .option("--test <name>", "This test only; may be repeated.", listed)
    .addOption(
      new Option(
        "--surface <surface>",
        "api, or mcp: the agent gets DIORAMA_MCP_URL instead of DIORAMA_SERVICE_URL, and tests that the tools cannot solve are left out.",
      )
        .choices(SURFACES)
        .default("api"),
    )
    .option("--parallel <number>", "Number of tests at the same time.", upTo(PARALLEL_MAX), 1)
    .option("--timeout <seconds>", "Time limit of one test.", upTo(TIMEOUT_SECONDS_MAX), 600)
    .option("--repeat <number>", "Number of attempts at each test.", upTo(REPEAT_MAX), 1)
    .option(
      "--label <name=value>",
      "Stored with each run, to find and to compare runs; may be repeated.",
      labelled,
    )
    .option(
      "--retry-ungradable <number>",
      "How often an attempt is made again that the server could not grade.",
      upTo(RETRIES_MAX, 0),
      0,
    )
    .option(
      "--resume",
      "Skip attempts that are graded under exactly these labels, from a command that was stopped.",
      false,
    )
    .option("--junit <file>", "Also write a JUnit report.")
    .option(
      "--artifacts <folder>",
      "Write the journal, the changes, the verdict and the output of each attempt into this folder.",
    )
    .option("--json", "As JSON instead of a table.", false)
    .addHelpText("after", RUN_CODES)
    .action(async (subject: string, options: SuiteRun & ServerOptions) =>
      endWith(await runSuiteCommand(connect(options), subject, options, env, interruption())),
    );
  listing(suites)
    .description("List the suites that you can see, newest first.")
    .option("--name <text>", "Part of the name, in any case.")
    .action((options) => listSuites(connect(options), options));
  onServer(suites, "audit")
    .description(
      "Change the solution of each test in many ways, and report the changes that the test does not notice. Nothing is executed.",
    )
    .summary("Check that the tests of a suite tell right from wrong.")
    .argument("<name-or-id>")
    .option("--runs", "Also report what your passing runs changed and no test explains.", false)
    .option("--junit <file>", "Also write a JUnit report.")
    .option("--json", "As JSON instead of a table.", false)
    .addOption(
      new Option(
        "--format <format>",
        "openenv: a validation report of OpenEnv, instead of a table.",
      ).choices(AUDIT_FORMATS),
    )
    .addHelpText("after", AUDIT_CODES)
    .action(async (subject: string, options: SuiteAudit & ServerOptions) =>
      endWith(await auditSuite(connect(options), subject, options)),
    );
  exporting(suites)
    .description("Print a suite, or write it into a folder for another harness.")
    .argument("[folder]", "For the files of --format; no file there is replaced.")
    .addOption(
      new Option(
        "--format <format>",
        "inspect: a task of Inspect AI; harbor: a folder for each test, a task of Harbor.",
      ).choices(FORMATS),
    )
    .action((subject: string, folder: string | undefined, options: SuiteExport & ServerOptions) =>
      exportSuite(connect(options), subject, folder, options),
    );
  importing(suites)
    .description(
      "Create a suite from a file, or bring your suite of that name up to date. Tests are found by their names and keep their ids.",
    )
    .summary("Create a suite from a file, or bring it up to date.")
    .option("--prune", "Delete tests that the file does not have.", false)
    .action((file: string, options: SuiteImport) => importSuite(connect(options), file, options));

  const templates = line.command("templates").description("Templates, on a server.");
  listing(templates)
    .description("List the templates that you can see, newest first.")
    .option("--service <service>", "Only those of this service.")
    .action((options) => listTemplates(connect(options), options));
  exporting(templates)
    .description("Print a template as a seed.")
    .action((subject: string, options) => exportTemplate(connect(options), subject, options.json));
  importing(templates)
    .description("Create a template from a seed.")
    .action((file: string, options: Import) => importTemplate(connect(options), file, options));

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
    .option("--to <time>", "Move it to this time.")
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

  onServer(line, "mcp")
    .description(
      "Serve Diorama's own tools over standard input and output, so that a coding agent can create environments, run tests and read results.",
    )
    .action((options: ServerOptions) => mcp(connect(options), interruption()));

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

  line
    .command("version")
    .description("Print the version.")
    .action(() => print(VERSION));
  return line;
}

const upTo =
  (max: number, min = 1) =>
  (text: string) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`A whole number from ${min} to ${max} is needed.`);
  };

function positive(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new InvalidArgumentError("A number greater than 0 is needed.");
}

const listed = (item: string, items: readonly string[] = []) => [...items, item];

function labelled(item: string, labels: Labels = {}): Labels {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(item) ?? [];
  if (name !== undefined && value !== undefined) return { ...labels, [name]: value };
  throw new InvalidArgumentError("A name and a value are needed, such as model=gpt-5.");
}

function settingsHelp(): string {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `  ${name.padEnd(width)}  ${SETTINGS[name].help}`).join("\n");
}
