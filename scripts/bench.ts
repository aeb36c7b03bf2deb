/**
 * Measures the compiled binary with a dedicated Postgres, each figure together with its reference.
 *
 *   bun run bench [NAME…] [--json]
 *
 * Figures of one run can be compared, figures of different runs cannot.
 */
import { history, postMessage } from "./bench/chat";
import { verdicts, wholeSuite } from "./bench/evaluation";
import {
  captureDrain,
  initEnv,
  memory,
  READY_SCHEMAS,
  runs,
  schemas,
  start,
  wholeLives,
} from "./bench/foundation";
import { passes, type Row, ratio, table } from "./bench/measure";
import { type Bench, startBench } from "./bench/server";
import { tracker } from "./bench/tracker";

const MEASURES: Record<string, (bench: Bench) => Promise<Row | Row[]>> = {
  initEnv,
  schemas,
  wholeLives,
  runs,
  captureDrain,
  postMessage,
  history,
  tracker,
  verdicts,
  wholeSuite,
  start,
  memory,
};

const args = process.argv.slice(2);
const json = args.includes("--json");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const names = wanted.length > 0 ? wanted : Object.keys(MEASURES);
const unknown = names.filter((name) => !(name in MEASURES));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(", ")}; there are ${Object.keys(MEASURES).join(", ")}`);
  process.exit(64);
}

const bench = await startBench({
  ENVIRONMENT_POOL_TARGETS: `chat_default:${READY_SCHEMAS}`,
  MAINTENANCE_CYCLE_INTERVAL: "1",
});
const rows: Row[] = [];
try {
  for (const name of names) {
    console.error(`measuring ${name}`);
    rows.push(...[await MEASURES[name]?.(bench)].flat().filter((row) => row !== undefined));
  }
} finally {
  await bench.stop();
}
if (json)
  console.log(
    JSON.stringify(
      rows.map((row) => ({ ...row, ratio: ratio(row), held: passes(row) })),
      null,
      2,
    ),
  );
else console.log(table(rows));
