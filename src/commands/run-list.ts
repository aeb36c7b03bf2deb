/** `diorama runs list`, `show` and `open`: runs of a server, for people and scripts. */
import { CallFailed, type Client, type ServerOptions } from "~/commands/client";
import { consoleOf } from "~/commands/console";
import { asYaml } from "~/commands/document";
import { paintVerdict } from "~/commands/paint";
import { reasonsOf } from "~/commands/reasons";
import { type Judgement, type Labels, verdictOf } from "~/commands/suite";
import { findSuite } from "~/commands/suites";
import { table } from "~/commands/table";
import { notice, print } from "~/log";

type Listed = Pick<Judgement, "status" | "gradable" | "cause" | "ending" | "reward"> & {
  readonly runId: string;
  readonly environmentId: string;
  readonly startedAt: string;
  readonly labels: Labels;
  readonly score: { readonly passed: number; readonly total: number } | null;
  readonly unsafeCount: number | null;
  readonly testName?: string | null;
  readonly testSuiteName?: string | null;
};

export type RunsList = ServerOptions & {
  readonly suite?: string;
  readonly environment?: string;
  readonly status?: string;
  readonly label?: Labels;
  readonly limit: number;
  readonly json: boolean;
};

/** `running`, `completed`, or the verdict. */
export const wordOf = (run: Pick<Listed, "status" | "gradable" | "cause" | "ending">): string =>
  run.status === "running" || (run.status === "completed" && run.gradable)
    ? run.status
    : verdictOf(run);

export async function listRuns(client: Client, options: RunsList): Promise<void> {
  const { suite, environment, status, label = {}, limit, json } = options;
  const query = new URLSearchParams({ limit: `${limit}` });
  if (suite !== undefined) query.set("testSuiteId", (await findSuite(client, suite)).id);
  if (environment !== undefined) query.set("environmentId", environment);
  if (status !== undefined) query.set("status", status);
  for (const [name, value] of Object.entries(label)) query.set(`labels[${name}]`, value);
  const { runs, nextCursor } = await client.call("GET", `/runs?${query}`);
  if (json) return print(JSON.stringify(runs, null, 2));
  const rows = (runs as Listed[]).map((run) => [
    ...[run.runId, paintVerdict(wordOf(run)), run.testName ?? "", run.testSuiteName ?? ""],
    run.score ? `${run.score.passed}/${run.score.total}` : "",
    ...[run.reward?.toFixed(2) ?? "", `${run.unsafeCount ?? ""}`, run.startedAt],
    Object.entries(run.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
  ]);
  const heads = [
    "Run",
    "Verdict",
    "Test",
    "Suite",
    "Score",
    "Reward",
    "Unsafe",
    "Started",
    "Labels",
  ];
  for (const line of table(heads, rows)) print(line);
  const [newest] = runs as Listed[];
  if (newest) print(`\nthe page of the newest: ${consoleOf(client, "runs", newest.runId)}`);
  if (nextCursor) notice("there are older ones: --limit shows more");
}

const CALLS_MAX = 1_000;
const LINE_MAX = 200;

type Call = {
  readonly n: number;
  readonly name: string;
  readonly arguments: unknown;
  readonly status: number;
  readonly error: string | null;
};

/** The results of a run and its calls. */
export async function showRun(
  client: Client,
  runId: string,
  { json }: { json: boolean },
): Promise<void> {
  const path = encodeURIComponent(runId);
  const run = await client.call("GET", `/results/${path}`);
  const { calls, next } = await client.call("GET", `/runs/${path}/calls?limit=${CALLS_MAX}`);
  if (json) return print(JSON.stringify({ ...run, calls }, null, 2));
  const { diff, ...head } = run;
  const { testName, testSuiteName } = run as Listed;
  const names = [testSuiteName, testName].filter((name) => name != null);
  print([paintVerdict(wordOf(run as Listed)), ...names].join(", "));
  const reasons = await reasonsOf(client, runId);
  if (reasons !== "") print(`\n${reasons}\n`);
  print(asYaml(head));
  if (diff) print(`\nchanges:\n${indented(asYaml(diff as object))}`);
  print("\ncalls:");
  for (const { n, name, arguments: given, status, error } of calls as Call[])
    print(
      `  ${n}. ${name} ${(JSON.stringify(given) ?? "").slice(0, LINE_MAX)} → ${error ?? status}`,
    );
  if (next !== null) print(`  … and more after ${CALLS_MAX} calls`);
  print(`\n${consoleOf(client, "runs", runId)}`);
}

const indented = (text: string) => text.replaceAll(/^/gm, "  ");

/** Programs that open an address in a browser. */
const OPENERS: { readonly [platform: string]: readonly string[] } = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens the page of a run in the console, and prints its address. `browser`: the program that opens it. */
export async function openRun(client: Client, runId: string, browser?: string): Promise<void> {
  await client.call("GET", `/results/${encodeURIComponent(runId)}`);
  const address = consoleOf(client, "runs", runId);
  print(address);
  const opener = browser ? [browser] : (OPENERS[process.platform] ?? ["xdg-open"]);
  try {
    const opened = Bun.spawn([...opener, address], { stdio: ["ignore", "ignore", "ignore"] });
    if ((await opened.exited) === 0) return;
  } catch {
    // There is no such program.
  }
  throw new CallFailed(`${opener[0]} cannot open the page: open the address yourself`);
}
