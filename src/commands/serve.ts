/** `diorama serve`: from the settings to a running server, until a signal stops it. */
import { type Environment, UsageError } from "~/commands/client";
import { explained } from "~/commands/database";
import { exitCodeOf, onSignal } from "~/commands/signals";
import { type Config, readConfig, warningsOf } from "~/config";
import { isUnavailable } from "~/db/connect";
import { notice } from "~/log";
import { DEVELOPMENT_KEY } from "~/platform/keys/format";
import { PreflightError } from "~/program/check";
import { type Program, startProgram } from "~/program/program";
import { openSuite } from "~/program/served-suite";
import { listenForFinish, openTask, socketOf } from "~/program/task";
import { VERSION } from "~/version";

/** How long to wait for a database that is still starting. */
const DATABASE_WAIT_MS = 10_000;
const DATABASE_RETRY_MS = 1_000;

/** The start leaves half of the heap behind, and its code. While the heap is large, it is collected rarely. */
const SHRINK_AFTER_MS = 1_000;

export type Serving = {
  /** The id of a test, or a file with one: the server exists for it alone. */
  readonly task?: string;
  /** A suite, or a file with one: the server plays it at its root. */
  readonly suite?: string;
};

/** `onConfig` gets the settings as soon as they are known. */
export async function serve(
  env: Environment,
  { task: wanted, suite }: Serving,
  onConfig: (config: Config) => void,
): Promise<void> {
  if (wanted !== undefined && suite !== undefined)
    throw new UsageError("--task and --suite are for servers of their own");
  let program: Program | undefined;
  onSignal((signal) =>
    program ? stop(program, config, signal) : process.exit(exitCodeOf(signal)),
  );
  const config = readConfig(env);
  onConfig(config);
  for (const warning of warningsOf(env, config)) notice(`warning: ${warning}`);
  program = await waitForDatabase(() => startProgram(config)).catch((error) => {
    throw explained(config, error);
  });
  setTimeout(Bun.shrink, SHRINK_AFTER_MS).unref();
  if (wanted !== undefined) {
    const task = await openTask(program, wanted);
    await listenForFinish(socketOf(env), task.finish);
    notice(`the task runs at ${program.url}/task; its run is ${task.runId}`);
  } else if (suite !== undefined) {
    await openSuite(program, suite);
    notice(`the suite is played at ${program.url}, without a key`);
  } else if (config.development) banner(program);
}

/** Calls still running this long after the shutdown delay are cut off. */
const STOP_MS = 30_000;
/** A developer who presses Ctrl-C wants the prompt back, not the last call's answer. */
const STOP_MS_INTERACTIVE = 1_000;

async function stop(program: Program, config: Config, signal: NodeJS.Signals): Promise<void> {
  program.drain();
  await Bun.sleep(config.SHUTDOWN_DELAY * 1000);
  if (config.development && signal === "SIGINT")
    setTimeout(() => {
      notice("stopped; calls in progress are cut off");
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

/** First steps for a developer. On standard error, so that standard output has lines of JSON only. */
function banner({ url, developerKey }: Program): void {
  const about = developerKey
    ? "needed outside this machine or container; each start makes a new one"
    : "a development server also answers without it";
  const header = developerKey ? ` -H 'X-API-Key: ${developerKey}'` : "";
  notice(`
Diorama ${VERSION} listens on ${url}

  Console          ${url}/console
  Explorer         ${url}/docs
  Development key  ${developerKey ?? DEVELOPMENT_KEY}
                   (X-API-Key; ${about})

A first environment:

  curl -s ${url}/api/platform/initEnv -H 'Content-Type: application/json'${header} \\
    -d '{"templateService":"chat","templateName":"chat_default","impersonateUserId":"U01AGENTONE"}'
`);
}
