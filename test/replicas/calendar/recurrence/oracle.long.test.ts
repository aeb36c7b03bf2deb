/** Random series have the occurrences that python-dateutil finds, which resolves zones by Python's own rules. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { occurrences, seriesOf } from "~/replicas/calendar/recurrence/series";
import { lacks, pythonPackages } from "../../../support/packages";
import { type RandomSeries, randomSeries } from "./random-series";

const SEED = Number(process.env["SEED"] ?? 1);
/** A minute's worth; SERIES=10000 compares more. */
const SERIES = Number(process.env["SERIES"] ?? 1_500);
const MINUTES = 15 * 60_000;
const DATEUTIL = ["python-dateutil==2.9.0.post0", "six==1.17.0", "tzdata==2025.2"];

type Expected = { readonly instants: readonly number[]; readonly before: number };

async function dateutil(
  series: readonly RandomSeries[],
): Promise<(Expected | { error: string } | null)[]> {
  const oracle = Bun.spawn(["python3", join(import.meta.dir, "expand-series.py")], {
    env: { ...process.env, PYTHONPATH: await pythonPackages(...DATEUTIL) },
    stdin: Buffer.from(series.map((each) => `${JSON.stringify(each)}\n`).join("")),
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = (await new Response(oracle.stdout).text()).trim().split("\n");
  expect(await oracle.exited).toBe(0);
  expect(lines).toHaveLength(series.length);
  return lines.map((line) => JSON.parse(line) as Expected);
}

const compact = (text: string) => text.replace(/[-:]/g, "");
const untilText = (ms: number) => `${compact(new Date(ms).toISOString().slice(0, 19))}Z`;

function ours(random: RandomSeries, window: { toMs: number; nowMs: number }): number[] | undefined {
  const { start, zone, until, count } = random;
  const ends = [
    ...(until === undefined ? [] : [`UNTIL=${untilText(until)}`]),
    ...(count === undefined ? [] : [`COUNT=${count}`]),
  ];
  const recurrence = [
    `RRULE:${[random.rule, ...ends].join(";")}`,
    ...(random.excludedRule ? [`EXRULE:${random.excludedRule}`] : []),
    ...random.dates.map((date) => `RDATE:${compact(date)}`),
    ...random.excludedDates.map((date) => `EXDATE;TZID=${zone}:${compact(date)}`),
  ];
  const series = seriesOf({ recurrence, start, zone, durationMs: 0 });
  return series && [...occurrences(series, window)].map(({ startMs }) => startMs);
}

test.skipIf(lacks("python3"))(
  `${SERIES} random series of seed ${SEED} have the occurrences that python-dateutil finds`,
  async () => {
    const series = randomSeries(SEED, SERIES);
    const expected = await dateutil(series);

    const different: unknown[] = [];
    let compared = 0;
    for (const [index, random] of series.entries()) {
      const found = expected[index];
      // Those that take too long, mostly rules without an occurrence until 9999, and those that are an error.
      if (!found || "error" in found) continue;
      compared++;
      const got = ours(random, { toMs: found.before, nowMs: 0 });
      if (!Bun.deepEquals(got, found.instants))
        different.push({ random, got, wanted: found.instants });
    }
    expect(different.slice(0, 3)).toEqual([]);
    expect(compared).toBeGreaterThan(0.8 * SERIES);
  },
  MINUTES,
);
