/** argv and signals → program. The only file that ends the process. */
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { capture } from "~/commands/capture";
import { CallFailed, UsageError } from "~/commands/client";
import { CommandError } from "~/commands/failure";
import { keyTable } from "~/commands/keys";
import { licenses } from "~/commands/licenses";
import { SUITES_USAGE, suites } from "~/commands/suites";
import { TEMPLATES_USAGE, templates } from "~/commands/templates";
import { type Config, ConfigError, readConfig, warningsOf } from "~/config";
import { connect, isUnavailable } from "~/db/connect";
import { migrate } from "~/db/migrate";
import { examine, Unfit } from "~/doctor";
import { chooseFormat, createLog, errorFields, notice, print } from "~/log";
import { noteUnhandled } from "~/metrics";
import { DEVELOPMENT_KEY } from "~/platform/keys/format";
import { createKey } from "~/platform/keys/keys";
import { listKeys, revokeKey } from "~/platform/keys/store";
import { type Program, startProgram } from "~/program";
import { VERSION } from "~/version";

// Of sysexits.h.
const EXIT_USAGE = 64;
const EXIT_UNAVAILABLE = 69;
const EXIT_CONFIG = 78;
const exitCodeOf = (signal: NodeJS.Signals) => 128 + constants.signals[signal];

const USAGE = `diorama ${VERSION}

  diorama                       serve (settings come from the environment, see the README)
  diorama health                whether the server on this machine can serve, for container health checks
  diorama doctor                check settings and database, and say what to mend
  diorama keys create --user ID [--name TEXT] [--plan free|pro|enterprise] [--days N]
  diorama keys list
  diorama keys revoke KEY_ID
  diorama capture status        what capture does, and how much log it keeps
  diorama capture drop-slot [--force]   before the database is given up, or its wal_level lowered
  diorama licenses              of everything that this program contains

  Of a running server, at --url or DIORAMA_URL (http://127.0.0.1:3000), with --key or DIORAMA_API_KEY:
${SUITES_USAGE}
${TEMPLATES_USAGE}

  diorama version
`;

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
  program = await waitForDatabase(() => startProgram(config));
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
    setTimeout(() => process.exit(exitCodeOf(signal)), STOP_MS_INTERACTIVE);
  setTimeout(() => process.exit(1), STOP_MS);
  await program.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

async function waitForDatabase<T>(start: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + DATABASE_WAIT_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const unreachable = isUnavailable(error) || (error instanceof Unfit && error.unreachable);
      if (!unreachable || performance.now() > deadline) throw error;
      notice(`waiting for the database: ${error instanceof Error ? error.message : ""}`);
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

async function doctor(): Promise<void> {
  const config = readConfig(env());
  for (const warning of warningsOf(env(), config)) print(`warning: ${warning}`);
  const pool = connect(config.DATABASE_URL, { max: 1, name: "doctor", camel: true });
  try {
    const { plugin, warnings } = await examine(pool, config);
    for (const warning of warnings) print(`warning: ${warning}`);
    print(
      config.LOGICAL_REPLICATION_ENABLED
        ? `ok: changes are captured with ${plugin}`
        : "ok: changes are captured by snapshots",
    );
  } finally {
    await pool.end({ timeout: 1 });
  }
}

const HEALTH_TIMEOUT_MS = 2_000;

/** Asks the server that has the same settings. */
async function health(): Promise<void> {
  const { HOST, PORT } = readConfig(env());
  const address = ["0.0.0.0", "::"].includes(HOST) ? "127.0.0.1" : HOST;
  const answer = await fetch(`http://${address}:${PORT}/api/platform/health`, {
    signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
  }).catch(() => undefined);
  print(answer ? await answer.text() : `nothing answers on ${address}:${PORT}`);
  if (!answer?.ok) process.exit(EXIT_UNAVAILABLE);
}

const PLANS = ["free", "pro", "enterprise"] as const;

async function keys(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      user: { type: "string" },
      name: { type: "string", default: "" },
      plan: { type: "string", default: "free" },
      days: { type: "string" },
    },
  });
  const [command, keyId] = positionals;
  const plan = PLANS.find((known) => known === values.plan);
  const days = values.days === undefined ? null : Number(values.days);
  const pool = connect(readConfig(env()).DATABASE_URL, { max: 1, name: "keys", camel: true });
  try {
    await migrate(pool);
    if (command === "create" && values.user && plan && (days === null || days > 0)) {
      const made = await createKey(pool, {
        userId: values.user,
        name: values.name,
        plan,
        expiresInDays: days,
      });
      notice(`key ${made.keyId} of ${values.user}; it is shown this once:`);
      print(made.key);
    } else if (command === "list") {
      for (const line of keyTable(await listKeys(pool))) print(line);
    } else if (command === "revoke" && keyId) {
      if (!(await revokeKey(pool, keyId))) throw new UsageError(`there is no key ${keyId}`);
      notice(`key ${keyId} is revoked`);
    } else throw new UsageError(USAGE);
  } finally {
    await pool.end({ timeout: 1 });
  }
}

/** Aborted when somebody wants the command to end: what it has made is cleared away first. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  onSignal(() => controller.abort());
  return controller.signal;
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case undefined:
    case "serve":
      return await serve();
    case "health":
      return await health();
    case "doctor":
      return await doctor();
    case "keys":
      return await keys(args);
    case "capture": {
      const force = args.includes("--force");
      const [what, ...rest] = args.filter((argument) => argument !== "--force");
      if (rest.length > 0 || !(await capture(readConfig(env()), what, force)))
        throw new UsageError(USAGE);
      return;
    }
    case "licenses":
      return await licenses();
    case "suites": {
      process.exitCode = await suites(args, env(), interruption());
      return;
    }
    case "templates":
      return await templates(args, env());
    case "version":
    case "--version":
      return print(VERSION);
    case "help":
    case "--help":
      return print(USAGE);
    default:
      throw new UsageError(USAGE);
  }
}

/** The exit code of a failure, which is told on the way. */
function report(error: unknown): number {
  if (error instanceof ConfigError || error instanceof Unfit) {
    for (const problem of error.problems) notice(problem);
    return error instanceof ConfigError ? EXIT_CONFIG : EXIT_UNAVAILABLE;
  }
  if (
    error instanceof UsageError ||
    (error as { code?: string })?.code?.startsWith("ERR_PARSE_ARGS")
  ) {
    notice(error instanceof Error ? error.message : "");
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
  if (isUnavailable(error)) {
    notice("the database cannot be reached; see DATABASE_URL");
    return EXIT_UNAVAILABLE;
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

run(process.argv.slice(2)).then(
  () => {},
  (error) => process.exit(report(error)),
);
