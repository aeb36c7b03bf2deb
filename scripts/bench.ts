/**
 * Measures the compiled binary with a dedicated Postgres, each figure together with its reference.
 *
 *   bun run bench [NAME…] [--json FILE] [--compare FILE]
 *   bun run bench scale --environments 10000 --minutes 60
 *   bun run bench worlds --environments 2000
 *
 * It uses the Postgres of the machine if there is one, with `--embedded` that of `bun install`.
 *
 * `--json` writes the figures to a file; `--compare` shows the change since an earlier file. Ratios of different runs
 * can be compared, figures cannot: the machine differs, and its load.
 */
import { parseArgs } from "node:util";
import { floor, history, issues, issueWrites, postMessage } from "./bench/calls";
import { statement } from "./bench/chat";
import { clock } from "./bench/clock";
import { firstPage, scrolling } from "./bench/console";
import { control } from "./bench/control";
import { verdicts, wholeSuite } from "./bench/evaluation";
import { events } from "./bench/events";
import {
  captureDrain,
  initEnv,
  memory,
  runs,
  schemas,
  start,
  wholeLives,
} from "./bench/foundation";
import { burst, firstCalls } from "./bench/fresh";
import { growth } from "./bench/growth";
import { journal } from "./bench/journal";
import { tools } from "./bench/mcp";
import { changes, isRow, type Measured, passes, ratio, table, takeAll } from "./bench/measure";
import { openEnv } from "./bench/openenv";
import { SHORT, scale } from "./bench/scale";
import { type Bench, READY_SCHEMAS, startBench, TEMPLATE } from "./bench/server";
import { worlds } from "./bench/worlds";

const MEASURES: Record<string, (bench: Bench) => Promise<Measured | Measured[]>> = {
  initEnv,
  burst,
  schemas,
  wholeLives,
  runs,
  captureDrain,
  floor,
  statement,
  postMessage,
  history,
  issues,
  issueWrites,
  journal,
  events,
  clock,
  control,
  tools,
  openEnv,
  firstCalls,
  growth,
  scale: (bench) => scale(bench, size),
  worlds: (bench) => worlds(bench, size),
  verdicts,
  wholeSuite,
  start,
  firstPage,
  scrolling,
  memory,
};

const { values, positionals } = parseArgs({
  options: {
    json: { type: "string" },
    compare: { type: "string" },
    environments: { type: "string", default: String(SHORT.environments) },
    minutes: { type: "string", default: String(SHORT.minutes) },
    embedded: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const size = { environments: Number(values.environments), minutes: Number(values.minutes) };
if (!(size.environments > 200 && size.minutes >= 0)) {
  console.error("--environments is a number above 200, --minutes one from 0");
  process.exit(64);
}
const names = positionals.length > 0 ? positionals : Object.keys(MEASURES);
const unknown = names.filter((name) => !(name in MEASURES));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(", ")}; there are ${Object.keys(MEASURES).join(", ")}`);
  process.exit(64);
}
// Read before the measurement, which takes long.
const earlier: Measured[] | undefined =
  values.compare === undefined ? undefined : await Bun.file(values.compare).json();

const bench = await startBench(
  { ENVIRONMENT_POOL_TARGETS: `${TEMPLATE}:${READY_SCHEMAS}`, MAINTENANCE_CYCLE_INTERVAL: "1" },
  { isEmbedded: values.embedded },
);
let rows: Measured[] = [];
try {
  const wanted = names.map((name) => [name, async () => (await MEASURES[name]?.(bench)) ?? []]);
  rows = await takeAll(Object.fromEntries(wanted), console.error);
} finally {
  await bench.stop();
}
if (values.json !== undefined)
  await Bun.write(
    values.json,
    JSON.stringify(
      rows.map((row) => (isRow(row) ? { ...row, ratio: ratio(row), held: passes(row) } : row)),
      null,
      2,
    ),
  );
console.log(table(rows));
if (earlier) console.log(`\nChange since ${values.compare}:\n\n${changes(earlier, rows)}`);
