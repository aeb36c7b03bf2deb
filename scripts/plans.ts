/**
 * Reports statements of a replica that read a whole large table: `bun run plans [TEST_FILE…]`.
 *
 * Runs the tests of both replicas against large templates while Postgres logs the plan of each statement, and looks for
 * plans that read all rows of one of these tables. Ends with 1 if there is one that is not listed in ALLOWED.
 */
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LARGE_TABLES, ROWS } from "../test/support/large";

const FILES = [
  ...["history", "threads", "messages", "conversations", "items", "kept", "people"].map(
    (name) => `test/replicas/chat/${name}.test.ts`,
  ),
  ...["walk", "documents", "atomic", "talk", "personal", "filters"].map(
    (name) => `test/replicas/tracker/${name}.test.ts`,
  ),
  "test/replicas/tracker/issues",
];
/** Sessions of environments; the others build schemas, look after the platform or belong to the tests. */
const APPLICATION = /^diorama session/;

/** Statements that may read a whole table, by `SCAN on TABLE: TEXT`, and why. */
const ALLOWED: readonly { readonly text: RegExp; readonly why: string }[] = [
  { text: /websearch_to_tsquery|to_tsvector/, why: "a search reads what it searches" },
  {
    text: /(issues|comments): .*"r1" where "r1"\."archivedAt" is null and /,
    why: "a list with a filter reads until its page is full",
  },
  {
    text: /issues: .*\(select count\(\*\)::int from env\."issues"\) as "createdIssueCount"/,
    why: "the answer counts all issues of the organization",
  },
  { text: /issues: .*i\."stateId" = s\.id/, why: "archiving a state, which must have no issues" },
  {
    text: /issues: .*"(stateId|delegateId|sourceCommentId)" = "r1"\."id"/,
    why: "rare lists; an index costs each schema, and each issue that moves",
  },
  {
    text: /comments: .*"(projectId|documentContentId|resolvingCommentId)" (=|in) /,
    why: "of few comments; each index costs each schema",
  },
  {
    text: /(comments|reactions): .*"(project|initiative)UpdateId"/,
    why: "updates have few of them; each index costs each schema",
  },
  {
    text: /issues: .*"documentContentId"/,
    why: "the content of a document by its id, which few clients use",
  },
  { text: /notifications: .*"commentId"/, why: "deleting a comment" },
  { text: /comments: .*starts_with\("r1"\."id"::text/, why: "by the short form of an id" },
  {
    text: /messages: .*message_limit is not null/,
    why: "counts only in a workspace that limits its messages",
  },
];

type PlanNode = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
};

/** Scans of large tables that read as many rows as the table has, counted over all their loops. */
export function* fullReads(node: PlanNode): Generator<string> {
  const table = node["Relation Name"];
  const perLoop =
    (node["Actual Rows"] ?? 0) +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0);
  const isScan = node["Node Type"].endsWith("Scan");
  if (isScan && table !== undefined && LARGE_TABLES.has(table))
    if (perLoop * (node["Actual Loops"] ?? 0) >= ROWS) yield `${node["Node Type"]} on ${table}`;
  for (const child of node.Plans ?? []) yield* fullReads(child);
}

/** One full read, with an example of a statement. */
type Finding = { readonly read: string; readonly text: string; count: number };

const shapeOf = (text: string) =>
  text
    .replace(/"env_[0-9a-f]+"/g, "env")
    .replace(/\s+/g, " ")
    .trim();

/** Lines by newline only: readline also splits at separators that occur in the texts of statements. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of Bun.file(file).stream().pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

async function readLog(file: string, found: Map<string, Finding>): Promise<number> {
  let plans = 0;
  for await (const line of linesOf(file)) {
    if (!line.includes("plan:")) continue;
    const { application_name: application = "", message = "" } = JSON.parse(line);
    const start = message.indexOf("plan:\n");
    if (start < 0 || !APPLICATION.test(application)) continue;
    plans++;
    const plan = JSON.parse(message.slice(start + "plan:\n".length));
    const text = shapeOf(plan["Query Text"]);
    for (const read of fullReads(plan["Plan"])) {
      const key = `${read}: ${text}`;
      if (ALLOWED.some((one) => one.text.test(key))) continue;
      const known = found.get(key);
      if (known) known.count++;
      else found.set(key, { read, text, count: 1 });
    }
  }
  return plans;
}

async function main(files: readonly string[]): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), "diorama-plans-"));
  await chmod(dir, 0o777);
  try {
    const tests = Bun.spawn(
      [process.execPath, "test", "--timeout", "120000", "--parallel=2", "--no-isolate", ...files],
      { env: { ...process.env, LOG_PLANS: dir }, stdio: ["ignore", "ignore", "inherit"] },
    );
    await tests.exited;
    const found = new Map<string, Finding>();
    let plans = 0;
    for (const file of await readdir(dir))
      if (file.endsWith(".json")) plans += await readLog(join(dir, file), found);
    for (const { read, text, count } of found.values())
      console.log(`${count} x ${read}\n    ${text.slice(0, 1_500)}\n`);
    console.log(`${plans} plans, ${found.size} of them read a whole table`);
    return plans === 0 || found.size > 0 ? 1 : 0;
  } finally {
    if (!process.env["KEEP_LOGS"]) await rm(dir, { recursive: true });
    else console.error(`kept: ${dir}`);
  }
}

if (import.meta.main)
  process.exit(await main(process.argv.length > 2 ? process.argv.slice(2) : FILES));
