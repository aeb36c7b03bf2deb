/**
 * Reports statements of a replica whose cost grows with a table: `bun run plans [TEST_FILE…]`.
 *
 * Runs tests of the replicas while Postgres logs the plan of each statement, twice: against large templates, for
 * plans that read all rows of a large table, and against small ones, for plans that would read all rows after the table
 * has grown. Then those of the platform, among ten thousand live environments. Ends with 1 if there is one that is not
 * listed as allowed.
 */
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import calendar from "~/replicas/calendar/tables.sql" with { type: "text" };
import chat from "~/replicas/chat/tables.sql" with { type: "text" };
import mail from "~/replicas/mail/tables.sql" with { type: "text" };
import tracker from "~/replicas/tracker/tables.sql" with { type: "text" };
import { LARGE_TABLES, PLATFORM_TABLES } from "../test/support/large";

const FILES = [
  ...["history", "threads", "messages", "conversations", "items", "kept", "people"].map(
    (name) => `test/replicas/chat/${name}.test.ts`,
  ),
  ...["walk", "documents", "atomic", "talk", "personal", "filters"].map(
    (name) => `test/replicas/tracker/${name}.test.ts`,
  ),
  "test/replicas/tracker/issues",
  ...["reading", "search", "sending", "labels", "drafts", "people"].map(
    (name) => `test/replicas/mail/${name}.test.ts`,
  ),
  ...["events", "attendees", "answering", "series", "lists", "busy", "sharing", "reminders"].map(
    (name) => `test/replicas/calendar/${name}.test.ts`,
  ),
];
const PLATFORM_FILES = [
  "environments/environments",
  "environments/details",
  "environments/snapshots",
  "runs/runs",
  "runs/expiry",
  "feed/feed",
  "events/sockets",
  "events/waiting",
  "events/kept",
  "events/posting",
  "events/posting-webhooks",
  "maintenance",
  "overview",
  "probes",
  "openenv/openenv",
].map((name) => `test/platform/${name}.test.ts`);
/** Added to each table of the large templates: a scan of so many rows reads the whole table. */
export const MANY = 5_000;
/** Sessions of environments; the others build schemas, look after the platform or belong to the tests. */
const APPLICATION = /^diorama session/;
const PLATFORM = /^diorama (?!test)/;
/** Live environments, their schemas and their runs. */
const ENVIRONMENTS = 10_000;

/** Statements that may read a whole table, by `SCAN on TABLE: TEXT`, and why. */
type Allowed = readonly { readonly text: RegExp; readonly why: string }[];

const ALLOWED: Allowed = [
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
    text: /events: .* e\."calendarId" = \$1 and e\.recurrence is not null and /,
    why: "the series of a calendar; a test has one with as many as a list may read",
  },
  {
    text: /messages: .*message_limit is not null/,
    why: "counts only in a workspace that limits its messages",
  },
];

/** Statements that may read rows until enough meet a condition, besides those above. */
const ALLOWED_SMALL: Allowed = [
  ...ALLOWED,
  { text: /"r1"\."archivedAt" is null order by/, why: "a list of all, in its order" },
  {
    text: /(events|event_attendees): .* join env\."events" e on e\.id = g\."eventId" where g\.email = /,
    why: "in a template without events: a plan for tables of no rows, which are planned anew once they grow",
  },
  {
    text: /issues: .*where exists \( select from env\."issue_label_assignments" pair/,
    why: "a list by label reads until its page is full",
  },
];

/** Statements of the platform that may read all environments. */
const ALLOWED_PLATFORM: Allowed = [
  { text: /with missing as \( delete from diorama\.schemas/, why: "once, when a server starts" },
  {
    text: /schemas: delete from diorama\.hidden_templates/,
    why: "reads the schemas only when a large state may be unused",
  },
  { text: /as state, count\(\*\)/, why: "counts for a scrape of metrics, and for the overview" },
  {
    text: /pg_namespace: select nspname \|\| '\.\*'/,
    why: "once, when the log is read with wal2json",
  },
  { text: /\) as held, array/, why: "counts what there is room for, at most once a second" },
  {
    text: /^Bitmap Heap Scan on (environments|runs): delete from diorama\.\1 .*(created|started)_at </,
    why: "reads the block ranges that hold a row old enough; a test has made one of the newest rows old",
  },
];

type PlanNode = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Filter?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
};

/** Finds the scans of large tables for which `is` holds, as `SCAN on TABLE`. */
const scansThat = (is: (scan: PlanNode) => unknown, tables = LARGE_TABLES) =>
  function* find(node: PlanNode): Generator<string> {
    const { "Node Type": type, "Relation Name": table = "" } = node;
    if (type.endsWith("Scan") && tables.has(table) && is(node)) yield `${type} on ${table}`;
    for (const child of node.Plans ?? []) yield* find(child);
  };

/** Scans that read as many rows as the table has, counted over all their loops. */
const readsMany = (scan: PlanNode) => {
  const perLoop =
    (scan["Actual Rows"] ?? 0) +
    (scan["Rows Removed by Filter"] ?? 0) +
    (scan["Rows Removed by Index Recheck"] ?? 0);
  return perLoop * (scan["Actual Loops"] ?? 0) >= MANY;
};
export const fullReads = scansThat(readsMany);

/**
 * Scans that read the table or an index from its beginning until enough rows meet a condition. A condition on a later
 * column of an index saves reads of the table, not of the index.
 */
export const unboundedScans = scansThat(
  ({ "Node Type": type, "Index Name": index, "Index Cond": condition, Filter: filter }) =>
    type === "Seq Scan" || (index && (filter || condition) && !startsAt(index, condition)),
);

/** The first column of each index of the tables of each replica. */
const FIRST_COLUMNS = [chat, tracker, mail, calendar].map((ddl) => new Map(firstColumns(ddl)));

function* firstColumns(ddl: string): Generator<[index: string, column: string]> {
  for (const [, index = "", column = ""] of ddl.matchAll(
    /^create (?:unique )?index (\w+) on \w+ (?:using \w+ )?\("?(\w+)/gm,
  ))
    yield [index, column];
  for (const [, table, columns = ""] of ddl.matchAll(/^create table (\w+) \((.*?)^\);/gms)) {
    for (const [, column = ""] of columns.matchAll(/^ {2}"?(\w+)"? [^,\n]* primary key/gm))
      yield [`${table}_pkey`, column];
    for (const [, kind, list = ""] of columns.matchAll(/^ {2}(primary key|unique) \(([^)]*)\)/gm)) {
      const names = list.replaceAll('"', "").split(", ");
      const name = kind === "unique" ? `${names.join("_")}_key` : "pkey";
      yield [`${table}_${name}`, names[0] ?? ""];
    }
  }
}

/** Whether the condition of an index scan is one of the first column of the index. */
function startsAt(index: string, condition = ""): boolean {
  const columns = FIRST_COLUMNS.flatMap((known) => known.get(index) ?? []);
  if (columns.length === 0) throw new Error(`unknown index: ${index}`);
  return columns.some((column) => new RegExp(`(?<![\\w."])"?${column}"?(?!\\w)`).test(condition));
}

type Check = {
  /** Added to each table of the templates, and environments beside them. */
  readonly rows: number;
  readonly environments: number;
  readonly files: readonly string[];
  readonly application: RegExp;
  readonly reads: (node: PlanNode) => Iterable<string>;
  readonly allowed: Allowed;
};

const OF_REPLICAS = { environments: 0, files: FILES, application: APPLICATION };

const CHECKS: readonly Check[] = [
  { ...OF_REPLICAS, rows: MANY, reads: fullReads, allowed: ALLOWED },
  { ...OF_REPLICAS, rows: 100, reads: unboundedScans, allowed: ALLOWED_SMALL },
  {
    rows: 0,
    environments: ENVIRONMENTS,
    files: PLATFORM_FILES,
    application: PLATFORM,
    reads: scansThat(readsMany, PLATFORM_TABLES),
    allowed: ALLOWED_PLATFORM,
  },
];

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

async function readLog(
  file: string,
  { reads, allowed, application: wanted }: Check,
  found: Map<string, Finding>,
): Promise<number> {
  let plans = 0;
  for await (const line of linesOf(file)) {
    if (!line.includes("plan:")) continue;
    const { application_name: application = "", message = "" } = JSON.parse(line);
    const start = message.indexOf("plan:\n");
    if (start < 0 || !wanted.test(application)) continue;
    plans++;
    const plan = JSON.parse(message.slice(start + "plan:\n".length));
    const text = shapeOf(plan["Query Text"]);
    for (const read of reads(plan["Plan"])) {
      const key = `${read}: ${text}`;
      if (allowed.some((one) => one.text.test(key))) continue;
      const known = found.get(key);
      if (known) known.count++;
      else found.set(key, { read, text, count: 1 });
    }
  }
  return plans;
}

/** Returns lines that report what it finds, none if it finds nothing. */
async function run(check: Check): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), "diorama-plans-"));
  await chmod(dir, 0o777);
  try {
    const tests = Bun.spawn(
      [
        process.execPath,
        "test",
        "--timeout",
        "120000",
        "--parallel=2",
        "--no-isolate",
        ...check.files,
      ],
      {
        env: {
          ...process.env,
          LOG_PLANS: dir,
          ADDED_ROWS: String(check.rows),
          ADDED_ENVIRONMENTS: String(check.environments),
        },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    await tests.exited;
    const found = new Map<string, Finding>();
    let plans = 0;
    for (const file of await readdir(dir))
      if (file.endsWith(".json")) plans += await readLog(join(dir, file), check, found);
    const summary = `${check.rows} rows, ${check.environments} environments: ${plans} plans, ${found.size} of them read a whole table`;
    console.log(summary);
    const lines = Array.from(
      found.values(),
      ({ read, text, count }) => `error: ${count} x ${read}\n    ${text.slice(0, 6_000)}\n`,
    );
    return plans === 0 || lines.length > 0 ? [summary, ...lines] : [];
  } finally {
    if (!process.env["KEEP_LOGS"]) await rm(dir, { recursive: true });
    else console.error(`kept: ${dir}`);
  }
}

async function main(files: readonly string[]): Promise<number> {
  const found: string[] = [];
  for (const check of CHECKS) {
    const wanted =
      files.length > 0 ? check.files.filter((file) => files.includes(file)) : check.files;
    if (wanted.length > 0) found.push(...(await run({ ...check, files: wanted })));
  }
  for (const line of found) console.log(line);
  return found.length > 0 ? 1 : 0;
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)));
