/** argv and signals → program. The only file that ends the process. */
import { constants } from "node:os";
import { CommanderError } from "commander";
import { CallFailed, UsageError } from "~/commands/client";
import { createCommandLine } from "~/commands/command-line";
import { explained } from "~/commands/database";
import { CommandError, EXIT_CONFIG, EXIT_UNAVAILABLE, EXIT_USAGE } from "~/commands/failure";
import { type Config, ConfigError, readConfig, warningsOf } from "~/config";
import { isUnavailable } from "~/db/connect";
import { PreflightError } from "~/doctor";
import { chooseFormat, createLog, errorFields, notice } from "~/log";
import { noteUnhandled } from "~/metrics";
import { DEVELOPMENT_KEY } from "~/platform/keys/format";
import { type Program, startProgram } from "~/program";
import { VERSION } from "~/version";

const exitCodeOf = (signal: NodeJS.Signals) => 128 + constants.signals[signal];

/** How long a database that is still starting is waited for. */
const DATABASE_WAIT_MS = 10_000;
const DATABASE_RETRY_MS = 1_000;

const env = () => process.env;
/** For bugs; in the format that is wanted as soon as that is known. */
let log = createLog({ level: "error", format: chooseFormat("auto") });

async function serve(): Promise<void> {
  let program: Program | undefined;
  onSignal((signal) =>
    program ? stop(program, config, signal) : process.exit(exitCodeOf(signal)),
  );
  const config = readConfig(env());
  log = createLog({ level: "error", format: chooseFormat(config.LOG_FORMAT) });
  for (const warning of warningsOf(env(), config)) notice(`warning: ${warning}`);
  program = await waitForDatabase(() => startProgram(config)).catch((error) => {
    throw explained(config, error);
  });
  if (config.development) banner(program.url);
}

/** What is not done by then, counted from the end of the delay, is cut off. */
const STOP_MS = 30_000;
/** A developer who presses Ctrl-C wants the prompt back, not the last call's answer. */
const STOP_MS_INTERACTIVE = 1_000;

async function stop(program: Program, config: Config, signal: NodeJS.Signals): Promise<void> {
  program.drain();
  await Bun.sleep(config.SHUTDOWN_DELAY * 1000);
  if (config.development && signal === "SIGINT")
    setTimeout(() => {
      notice("stopped; what was under way is cut off");
      process.exit(exitCodeOf(signal));
    }, STOP_MS_INTERACTIVE);
  setTimeout(() => process.exit(1), STOP_MS);
  await program.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

async function waitForDatabase<T>(start: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + DATABASE_WAIT_MS;
  for (let said = ""; ; ) {
    try {
      return await start();
    } catch (thrown) {
      const error = thrown as Error;
      const unreachable =
        isUnavailable(error) || (error instanceof PreflightError && error.unreachable);
      if (!unreachable || performance.now() > deadline) throw error;
      if (error.message !== said) notice(`waiting for the database: ${error.message}`);
      said = error.message;
      await Bun.sleep(DATABASE_RETRY_MS);
    }
  }
}

/** What a developer needs first. Standard error, so that standard output stays lines of JSON. */
function banner(url: string): void {
  notice(`
Diorama ${VERSION} listens on ${url}

  Explorer         ${url}/docs
  Development key  ${DEVELOPMENT_KEY}
                   (X-API-Key; a development server also answers without it)

A first environment:

  curl -s ${url}/api/platform/initEnv -H 'Content-Type: application/json' \\
    -d '{"templateService":"chat","templateName":"chat_default","impersonateUserId":"U01AGENT"}'
`);
}

/** A terminal sends Ctrl-C to every program of its job: one that started us may pass it on a second time. */
const ECHO_MS = 500;

/** Calls `first` on the first signal to stop, and ends the process on another one. */
function onSignal(first: (signal: NodeJS.Signals) => void): void {
  let found: { signal: NodeJS.Signals; at: number } | undefined;
  const handle = (signal: NodeJS.Signals) => {
    const at = performance.now();
    if (!found) {
      found = { signal, at };
      first(signal);
    } else if (signal !== "SIGINT" || found.signal !== "SIGINT" || at - found.at > ECHO_MS)
      process.exit(1);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, handle);
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  onSignal(() => controller.abort());
  return controller.signal;
}

/** The exit code of a failure, which is told on the way. */
function report(error: unknown): number {
  if (error instanceof ConfigError || error instanceof PreflightError) {
    for (const problem of error.problems) notice(problem);
    return error instanceof ConfigError ? EXIT_CONFIG : EXIT_UNAVAILABLE;
  }
  // It has printed what is wrong, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof UsageError) {
    notice(error.message);
    return EXIT_USAGE;
  }
  if (error instanceof CommandError) {
    notice(error.message);
    return EXIT_UNAVAILABLE;
  }
  if (error instanceof CallFailed) {
    notice(error.message);
    return error.unreachable ? EXIT_UNAVAILABLE : 1;
  }
  log.error("failed", errorFields(error));
  notice(error instanceof Error ? error.message : "failed");
  return 1;
}

// A rejection nobody waited for is a bug to be logged, not a reason to drop every call.
process.on("unhandledRejection", (error) => {
  noteUnhandled();
  log.error("unhandled rejection", errorFields(error));
});
process.on("uncaughtException", (error) => {
  noteUnhandled();
  log.error("uncaught exception", errorFields(error));
});

const words = process.argv.slice(2);
createCommandLine({
  env: env(),
  serve,
  interruption,
  endWith: (code) => {
    process.exitCode = code;
  },
})
  .parseAsync(words.length === 0 ? ["serve"] : words, { from: "user" })
  .catch((error) => process.exit(report(error)));
