/**
 * Runs the whole fault matrix and prints the result of each row.
 *
 *   bun run faults [F01 F02 …] [--source embedded|system] [--environments N] [--failovers N] [--json]
 *
 * FAULTS_ENVIRONMENTS (--environments) is the number of environments in F39, FAULTS_FAILOVERS (--failovers) of promotions in
 * F47. Exits with 1 if a row was not as expected, an
 * acknowledged write was lost, or a diff was wrong.
 */
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

type Row = {
  id: string;
  fault: string;
  expected: string;
  happened?: string;
  failed?: string;
  obstacle?: string;
  proofs?: { file: string; name: string }[];
  seconds?: number;
  acknowledged?: number;
  lost?: number;
  wrong?: number;
  diffs?: number;
};

const ROOT = join(import.meta.dir, "..");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: "string" },
    environments: { type: "string" },
    failovers: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const env = {
  ...process.env,
  ...(values.source ? { FAULTS_SOURCE: values.source } : {}),
  ...(values.environments ? { FAULTS_ENVIRONMENTS: values.environments } : {}),
  ...(values.failovers ? { FAULTS_FAILOVERS: values.failovers } : {}),
};

/** Runs tests with their output on standard error. Returns true if they passed. */
async function bunTest(args: readonly string[], more: Record<string, string> = {}) {
  const child = Bun.spawn(["bun", "test", "--timeout", "60000", ...args], {
    cwd: ROOT,
    env: { ...env, ...more },
    stdout: Bun.file("/dev/stderr"),
    stderr: "inherit",
  });
  return (await child.exited) === 0;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Runs the tests in other files that prove rows, by name. */
async function prove(row: Row): Promise<Row> {
  const { proofs = [] } = row;
  const failed: string[] = [];
  for (const { file, name } of proofs) {
    const part = name.replace(/^describe\("/, "").replace(/"$/, "");
    if (!(await bunTest([file, "-t", escaped(part)]))) failed.push(`${file}: ${name}`);
  }
  return failed.length > 0
    ? { ...row, failed: failed.join("; ") }
    : {
        ...row,
        happened: `as expected, in ${[...new Set(proofs.map(({ file }) => file))].join(", ")}`,
      };
}

const report = join(tmpdir(), `diorama-faults-${crypto.randomUUID()}.jsonl`);
const wanted = positionals.length > 0 ? `\\b(${positionals.map(escaped).join("|")}) ` : "F\\d\\d ";
await bunTest(["test/faults", "-t", wanted], { FAULTS_REPORT: report });
const lines = (await Bun.file(report).text()).split("\n").filter(Boolean);
await rm(report);
const listed = lines.map((line) => JSON.parse(line) as Row);
const chosen = listed.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
const rows: Row[] = [];
for (const row of chosen) rows.push(row.proofs ? await prove(row) : row);
rows.sort((a, b) => a.id.localeCompare(b.id));

function outcome({ failed, obstacle, happened = "" }: Row): string {
  if (failed !== undefined) return `**NOT AS EXPECTED**: ${failed.slice(0, 300)}`;
  return obstacle === undefined ? happened : `not run: ${obstacle}`;
}

function table(): string {
  const head = ["Id", "Fault", "Expected", "Happened", "Seconds", "Writes lost", "Diffs wrong"];
  const body = rows.map((row) => [
    row.id,
    row.fault,
    row.expected,
    outcome(row),
    row.seconds === undefined ? "" : row.seconds.toFixed(2),
    row.acknowledged ? `${row.lost} of ${row.acknowledged}` : "",
    row.diffs ? `${row.wrong} of ${row.diffs}` : "",
  ]);
  return [head, head.map(() => "---"), ...body]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

const sum = (of: "acknowledged" | "lost" | "wrong" | "diffs") =>
  rows.reduce((total, row) => total + (row[of] ?? 0), 0);
const failures = rows.filter(({ failed }) => failed !== undefined);
if (values.json) console.log(JSON.stringify(rows, null, 2));
else {
  console.log(table());
  console.log(
    `\n${rows.length} rows: ${failures.length} not as expected, ${rows.filter(({ obstacle }) => obstacle).length} not run; ` +
      `${sum("lost")} of ${sum("acknowledged")} acknowledged writes lost, ${sum("wrong")} of ${sum("diffs")} diffs wrong.`,
  );
}
process.exit(failures.length > 0 || rows.length === 0 || sum("lost") + sum("wrong") > 0 ? 1 : 0);
