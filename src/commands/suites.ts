/** `diorama suites`: runs a suite with your own agent, moves suites between servers, and exports them to harnesses. */

import { createHomes } from "~/clients/typescript/homes";
import { createArtifacts } from "~/commands/artifacts";
import {
  CallFailed,
  type Client,
  type Environment,
  type Import,
  listAll,
  UsageError,
} from "~/commands/client";
import { consoleOf } from "~/commands/console";
import { asYaml, readDocument } from "~/commands/document";
import { findEarlier } from "~/commands/earlier-attempts";
import { type Files, servicesOf } from "~/commands/export/files";
import { harborTasks } from "~/commands/export/harbor";
import { inspectTask } from "~/commands/export/inspect";
import { openEnvironment } from "~/commands/export/openenv";
import { CommandError } from "~/commands/failure";
import { junit } from "~/commands/junit";
import { createProgress } from "~/commands/progress";
import { asImport, type Labels, type Suite, type Surface, type Test } from "~/commands/suite";
import { requireSame } from "~/commands/suite-homes";
import { report } from "~/commands/suite-report";
import { runSuite } from "~/commands/suite-run";
import { type ServeOptions, servingOf } from "~/commands/suite-serve";
import { table } from "~/commands/table";
import { writeFiles } from "~/commands/write-files";
import { notice, print } from "~/log";

export type SuiteRun = ServeOptions & {
  readonly command: string;
  readonly test?: readonly string[];
  readonly surface: Surface;
  readonly repeat: number;
  readonly label?: Labels;
  readonly retryUngradable: number;
  readonly resume: boolean;
  readonly parallel: number;
  readonly timeout: number;
  readonly junit?: string;
  readonly artifacts?: string;
  readonly json: boolean;
};

/** Returns the exit code. */
export async function runSuiteCommand(
  clients: readonly Client[],
  subject: string,
  options: SuiteRun,
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  const { command, surface, repeat, label: labels = {}, parallel, timeout } = options;
  const serving = servingOf(options);
  const { homes, suite, page, artifacts, earlier } = await prepare(clients, subject, options).catch(
    (error) => {
      // Not the exit code of failed tests.
      throw error instanceof CallFailed ? new CommandError(error.message) : error;
    },
  );
  const total = suite.tests.length * repeat;
  if (earlier.length > 0) notice(`${earlier.length} of ${total} attempts were made before`);
  for (const outcome of earlier) await artifacts?.complete(outcome);
  const progress = createProgress(total, earlier, repeat);
  const outcomes = await runSuite({
    homes,
    suite,
    command,
    env,
    surface,
    serving,
    labels,
    repeat,
    earlier,
    parallel,
    artifacts,
    retries: options.retryUngradable,
    timeoutSeconds: timeout,
    signal,
    onProgress: progress.show,
  });
  progress.end();
  const about = { labels, repeat, page };
  const found = report(suite, outcomes, about);
  if (options.junit) await writeReport(options.junit, junit(suite, outcomes, about));
  print(options.json ? JSON.stringify(found.json, null, 2) : found.text);
  return found.exitCode;
}

async function prepare(clients: readonly Client[], subject: string, options: SuiteRun) {
  const { test, surface, repeat, resume, label: labels = {}, artifacts: folder } = options;
  const found = await Promise.all(
    clients.map(async (client) => ({ client, suite: await findSuite(client, subject) })),
  );
  requireSame(found);
  const [first] = found;
  if (!first) throw new UsageError("a suite is run on a server");
  const suite = solvable(only(first.suite, test), surface);
  const kept = new Set(suite.tests);
  const homes = createHomes(
    found.map(({ client, suite: { tests, ...rest } }) => ({
      client,
      suite: { ...rest, tests: tests.filter((_, at) => kept.has(first.suite.tests[at] as Test)) },
    })),
  );
  return {
    homes,
    suite,
    page: consoleOf(first.client, "suites", suite.id),
    artifacts: folder ? await createArtifacts(homes, folder, suite, labels) : undefined,
    earlier: resume ? await findEarlier(homes, suite, labels, repeat) : [],
  };
}

/** The results are printed even if the file cannot be written. */
export const writeReport = async (path: string, text: string) =>
  await Bun.write(path, text).catch((error: NodeJS.ErrnoException) =>
    notice(`--junit ${path}: the file cannot be written: ${error.code}`),
  );

/** Options of `suites export`. */
const EXPORTS = {
  inspect: async (suite, client) => inspectTask(suite, client.url, await servicesOf(suite, client)),
  harbor: harborTasks,
  openenv: openEnvironment,
} satisfies { readonly [format: string]: (suite: Suite, client: Client) => Files | Promise<Files> };
type Format = keyof typeof EXPORTS;
export const FORMATS = Object.keys(EXPORTS) as readonly Format[];
export type SuiteExport = { readonly json: boolean; readonly format?: Format };

/** Prints a suite, or writes it in another format into a folder. */
export async function exportSuite(
  client: Client,
  subject: string,
  folder: string | undefined,
  { json, format }: SuiteExport,
): Promise<void> {
  if ((format === undefined) !== (folder === undefined))
    throw new UsageError("--format and the folder to write to need each other");
  if (format && json) throw new UsageError("--json is for a suite that is printed");
  const suite = await findSuite(client, subject);
  if (format !== undefined && folder !== undefined)
    return await writeFiles(folder, await EXPORTS[format](suite, client));
  const body = asImport(suite);
  print(json ? JSON.stringify(body, null, 2) : asYaml(body));
}

/** Options of `suites import`. */
export type SuiteImport = Import & { readonly prune: boolean };
type Imported = {
  readonly suiteId: string;
  readonly name: string;
  readonly outcome: "created" | "changed" | "unchanged";
  readonly tests: {
    readonly [way in "created" | "changed" | "unchanged" | "removed" | "kept"]: readonly string[];
  };
  readonly warnings?: readonly string[];
};

export async function importSuite(
  client: Client,
  file: string,
  { name, visibility, prune }: SuiteImport,
) {
  await sendSuite(client, {
    ...(await readDocument(file)),
    ...(name && { name }),
    ...(visibility && { visibility }),
    prune,
  });
}

/** Creates a suite, or brings it up to date. */
export async function sendSuite(client: Client, body: object): Promise<void> {
  const imported = (await client.call("POST", "/testSuites/import", body)) as Imported;
  for (const line of imported.warnings ?? []) notice(`warning: ${line}`);
  for (const line of summaryOf(imported)) notice(line);
  print(imported.suiteId);
}

/** The tests that differ, each on a line, and the counts. */
function summaryOf({ name, outcome, tests }: Imported): string[] {
  const { created, changed, unchanged, removed, kept } = tests;
  const named = (mark: string, names: readonly string[]) => names.map((each) => `${mark} ${each}`);
  const count = ({ length }: readonly string[], what: string) =>
    length === 0 ? [] : [`${length} ${what}`];
  const counts = [
    ...count(created, "created"),
    ...count(changed, "changed"),
    ...count(unchanged, "unchanged"),
    ...count(removed, "removed"),
  ];
  const others = kept.length === 1 ? "1 other test stays" : `${kept.length} other tests stay`;
  return [
    ...(outcome === "created" ? [] : named("+", created)),
    ...named("~", changed),
    ...named("-", removed),
    `suite ${name} is ${outcome}${counts.length > 0 ? `; tests: ${counts.join(", ")}` : ""}`,
    ...(kept.length > 0 ? [`${others} that the file does not have; --prune removes them`] : []),
    "its id:",
  ];
}

type ListedSuite = {
  readonly id: string;
  readonly name: string;
  readonly testCount: number;
  readonly templateName: string;
  readonly visibility: string;
};

/** `name`: part of the names. */
export async function listSuites(client: Client, { name, json }: { name?: string; json: boolean }) {
  const suites = await listAll<ListedSuite>(client, "/testSuites", "testSuites", { name });
  if (json) return print(JSON.stringify(suites, null, 2));
  const rows = suites.map((suite) => [
    ...[suite.id, suite.name, `${suite.testCount}`, suite.templateName, suite.visibility],
  ]);
  for (const line of table(["Id", "Name", "Tests", "Template", "Visibility"], rows)) print(line);
}

const ID = /^[0-9a-f]{32}$/;
/** References that cannot be the last part of an address. */
const UNADDRESSABLE = /^\.{0,2}$/;

/** Finds a suite by its id, by its name or slug, or as `owner/name`. */
export async function findSuite(client: Client, subject: string): Promise<Suite> {
  if (UNADDRESSABLE.test(subject)) throw new UsageError(`there is no suite named ${subject}`);
  const path = `/testSuites/${encodeURIComponent(subject)}?expand=true`;
  try {
    return (await client.call("GET", path)) as Suite;
  } catch (error) {
    if (!(error instanceof CallFailed) || ID.test(subject)) throw error;
    if (error.code === "invalid_request") throw new UsageError(`${subject}: ${error.message}`);
    if (error.code !== "suite_not_found") throw error;
    throw new UsageError(`there is no suite named ${subject}${await nearOf(client, subject)}`);
  }
}

const NEAR_MAX = 5;
const NAME_MAX = 255;

/** Suites with that text in their names. Those of other users have to be named by their ids. */
async function nearOf(client: Client, name: string): Promise<string> {
  const query = new URLSearchParams({ name: name.slice(0, NAME_MAX), limit: `${NEAR_MAX}` });
  const { testSuites } = await client.call("GET", `/testSuites?${query}`);
  const near = (testSuites as ListedSuite[]).map((suite) => `${suite.name} (${suite.id})`);
  return near.length > 0 ? `; there is ${near.join(", ")}` : "";
}

function only(suite: Suite, names: readonly string[] | undefined): Suite {
  if (names === undefined) return suite;
  const unknown = names.find((name) => !suite.tests.some((test) => test.name === name));
  if (unknown !== undefined)
    throw new UsageError(`the suite ${suite.name} has no test named ${unknown}`);
  return { ...suite, tests: suite.tests.filter(({ name }) => names.includes(name)) };
}

/** Without the tests that are known to have no solution through this surface. */
function solvable(suite: Suite, surface: Surface): Suite {
  const tests = suite.tests.filter(({ surfaces }) => surfaces?.includes(surface) ?? true);
  const left = suite.tests.length - tests.length;
  if (left > 0)
    notice(`${left} of ${suite.tests.length} tests cannot be solved through ${surface}`);
  return { ...suite, tests };
}
