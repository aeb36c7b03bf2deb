/**
 * Audits verdicts: executes trajectories with a known truth against a server of its own, and compares the judgements of
 * Diorama and of graders that see less.
 *
 *   bun run audit [--tests PATTERN] [--classes A,B] [--no-emulator] [--json FILE] [--write]
 *
 * `--write` writes `src/docs/audit.md`. Exits with 1 if a trajectory could not be executed or a verdict of Diorama was
 * wrong.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CLASS_NAMES, CLASSES } from "./audit/classes";
import { pageOf } from "./audit/page";
import { audit } from "./audit/run";
import { startAuditCluster, startAudited } from "./audit/server";
import { summarize } from "./audit/tally";
import { emulatorIsMissing } from "./bench/emulator";

const PAGE = join(import.meta.dir, "../src/docs/audit.md");

const { values } = parseArgs({
  options: {
    tests: { type: "string" },
    classes: { type: "string" },
    "no-emulator": { type: "boolean", default: false },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
});

function fail(text: string): never {
  console.error(text);
  process.exit(64);
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    return fail(`--tests: ${error}`);
  }
}

const names = values.classes?.split(",") ?? CLASS_NAMES;
const unknown = names.filter((name) => !CLASS_NAMES.includes(name));
if (unknown.length > 0) fail(`unknown: ${unknown.join(", ")}; there are ${CLASS_NAMES.join(", ")}`);
if (
  values.write &&
  (values.tests !== undefined || values.classes !== undefined || values["no-emulator"])
)
  fail("--write takes a whole run");
const pattern = patternOf(values.tests ?? ".");
const missing = values["no-emulator"] ? "left out" : emulatorIsMissing();
if (missing !== undefined) console.error(`the emulator: ${missing}`);
if (values.write && missing !== undefined) fail("--write takes a whole run");

const cluster = await startAuditCluster();
const audited = await startAudited(cluster.url).catch(async (error) => {
  await cluster.stop();
  throw error;
});
const auditing = audit(
  audited,
  {
    pattern,
    classes: CLASSES.filter(({ name }) => names.includes(name)),
    withEmulator: missing === undefined,
  },
  console.error,
);
await Promise.allSettled([auditing]);
await audited.stop();
await cluster.stop();
const done = await auditing;
if (done.tests === 0) fail("no test has such a name");

const summary = summarize(done, names);
if (values.json !== undefined)
  await Bun.write(values.json, JSON.stringify({ summary, ...done }, null, 2));
for (const line of [...done.broken, ...done.refused]) console.error(`not executed: ${line}`);
const page = pageOf(summary);
console.log(page.slice(page.indexOf("## Results"), page.indexOf("## Trajectories")));
if (values.write && done.broken.length === 0) await Bun.write(PAGE, page);
process.exit(done.broken.length + summary.own.length > 0 ? 1 : 0);
