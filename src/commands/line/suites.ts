/** Commands of suites. */
import { type Command, Option } from "commander";
import type { ServerOptions } from "~/commands/client";
import { copySuite } from "~/commands/copies";
import type { GenerateSuite } from "~/commands/generate-suite";
import {
  type Context,
  type CopyOptions,
  connecting,
  connectingAll,
  connectingBoth,
  copying,
  exporting,
  importing,
  labelled,
  listed,
  listing,
  onServer,
  onServers,
  PARALLEL_MAX,
  type ServersOptions,
  upTo,
} from "~/commands/line/options";
import { SURFACES } from "~/commands/suite";
import { AUDIT_FORMATS, auditSuite, type SuiteAudit } from "~/commands/suite-audit";
import { type SuiteResultsOptions, suiteResults } from "~/commands/suite-results";
import { APP_DEFAULT, QUIET_SECONDS_DEFAULT, QUIET_SECONDS_MAX } from "~/commands/suite-serve";
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

/** The longest life of an environment is seven days. */
const TIMEOUT_SECONDS_MAX = 600_000;
const REPEAT_MAX = 1_000;
const RETRIES_MAX = 100;

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

export function addSuites(line: Command, { env, interruption, endWith }: Context): void {
  const connect = connecting(env);
  const connectAll = connectingAll(env);
  const suites = line.command("suites").description("Suites of tests, on a server.");
  onServers(suites, "run")
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
    .option(
      "--serve",
      "The agent stays up and waits for events: it gets DIORAMA_APP_TOKEN, and its prompt as a message that mentions it. With --channel and --from.",
      false,
    )
    .option("--channel <id>", "With --serve: the channel of the message.")
    .option("--from <user>", "With --serve: the id or email of the person who writes it.")
    .option("--app <id>", "With --serve: the app that the agent is.", APP_DEFAULT)
    .option(
      "--event <type>",
      "With --serve: a type of events that it receives; may be repeated. Mentions and messages, if omitted.",
      listed,
    )
    .option(
      "--quiet <seconds>",
      "With --serve: a test ends when nothing has happened for so long.",
      upTo(QUIET_SECONDS_MAX),
      QUIET_SECONDS_DEFAULT,
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
    .action(async (subject: string, options: SuiteRun & ServersOptions) =>
      endWith(await runSuiteCommand(connectAll(options), subject, options, env, interruption())),
    );
  listing(suites)
    .description("List the suites that you can see, newest first.")
    .option("--name <text>", "Part of the name, in any case.")
    .action((options) => listSuites(connect(options), options));
  listing(suites, "results")
    .description("Show the latest run of each test of a suite, and all attempts by a label.")
    .argument("<name-or-id>")
    .option("--group-by <label>", "Also sum up all attempts for each value of this label.")
    .option("--k <number>", "The k of pass@k and pass^k.", upTo(REPEAT_MAX))
    .action((subject: string, options: SuiteResultsOptions) =>
      suiteResults(connect(options), subject, options),
    );
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
  copying(suites)
    .description(
      "Copy a suite and its templates to another server, or bring the suite there up to date. Tests that only that server has are removed.",
    )
    .summary("Copy a suite and its templates to another server.")
    .action((subject: string, options: CopyOptions) =>
      copySuite(connectingBoth(env)(options), subject),
    );
  suites
    .command("generate")
    .argument("<folder>", "Of `templates generate`. Gets suite.json and solutions.json.")
    .description("Write tests about the facts of a generated company, with calls that solve them.")
    .option("--count <n>", "Of the tests.", upTo(1_000), 50)
    .action(async (folder: string, options: GenerateSuite) =>
      (await import("~/commands/generate-suite")).generateSuite(folder, options),
    );
}
