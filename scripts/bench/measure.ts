/** Measurement: many short samples, alternating between ours and the reference, so that noise affects both. */

export type Row = {
  /** The measured operation. */
  readonly name: string;
  /** Ours and the reference; `unit` of both. */
  readonly ours: number;
  readonly base: number | undefined;
  readonly unit: "ms" | "/s" | "MB" | "s" | "statements";
  readonly comparedWith: string;
  /** The limit for `ours / base`, or for `ours` alone. */
  readonly bar: { readonly most?: number; readonly least?: number };
  readonly note?: string;
};

/** A figure that this machine or this run did not give, and the reason. */
export type Unmeasured = { readonly name: string; readonly missing: string };
export type Measured = Row | Unmeasured;

export const isRow = (measured: Measured): measured is Row => !("missing" in measured);

export const ratio = ({ ours, base }: Row) => (base === undefined ? ours : ours / base);

export function passes(row: Row): boolean {
  const value = ratio(row);
  return value <= (row.bar.most ?? Number.POSITIVE_INFINITY) && value >= (row.bar.least ?? 0);
}

export function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
export const median = (samples: readonly number[]) => quantile(samples, 0.5);

/** Duration of `work` in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Runs every measurement `rounds` times, one after the other in each round. Returns the samples of each. */
export async function inTurn<K extends string>(
  rounds: number,
  work: Record<K, () => Promise<readonly number[]>>,
): Promise<Record<K, number[]>> {
  const samples = Object.fromEntries(
    Object.keys(work).map((name) => [name, [] as number[]]),
  ) as Record<K, number[]>;
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(work) as K[]) samples[name].push(...(await work[name]()));
  return samples;
}

/** The latency of each of `count` calls, made by `clients` at a time. */
export async function latencies(
  clients: number,
  count: number,
  call: (client: number, index: number) => Promise<unknown>,
): Promise<number[]> {
  const samples: number[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (next < count) {
        const index = next++;
        samples.push(await timed(() => call(client, index)));
      }
    }),
  );
  return samples;
}

/** Calls per second of `clients` during `seconds`. */
export async function throughput(
  clients: number,
  seconds: number,
  call: (client: number) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < end) {
        await call(client);
        done++;
      }
    }),
  );
  return done / ((performance.now() - started) / 1000);
}

const shown = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** A table for a person, in Markdown. */
export function table(rows: readonly Measured[]): string {
  const lines = rows.map((row) => {
    if (!isRow(row)) return [row.name, "not measured", "", "", "", "", "", row.missing];
    const { most, least } = row.bar;
    const bar = [most === undefined ? "" : `≤ ${most}`, least === undefined ? "" : `≥ ${least}`]
      .filter(Boolean)
      .join(", ");
    const base = row.base === undefined ? "" : `${shown(row.base)} ${row.unit}`;
    return [
      row.name,
      `${shown(row.ours)} ${row.unit}`,
      base,
      row.comparedWith,
      shown(ratio(row)),
      bar || "–",
      bar === "" || passes(row) ? "yes" : "**no**",
      row.note ?? "",
    ];
  });
  return markdown(["What", "Ours", "Reference", "measured as", "Ratio", "Bar", "Held", ""], lines);
}

/** The change of each figure since an earlier run, of ours alone and in units of the reference. */
export function changes(earlier: readonly Measured[], rows: readonly Measured[]): string {
  const known = new Map(earlier.filter(isRow).map((row) => [row.name, row]));
  const lines = rows.filter(isRow).map((row) => {
    const before = known.get(row.name);
    if (!before) return [row.name, "", `${shown(row.ours)} ${row.unit}`, "new", "", "", ""];
    return [
      row.name,
      `${shown(before.ours)} ${before.unit}`,
      `${shown(row.ours)} ${row.unit}`,
      percent(before.ours, row.ours),
      shown(ratio(before)),
      shown(ratio(row)),
      percent(ratio(before), ratio(row)),
    ];
  });
  return markdown(["What", "Before", "Now", "Change", "Ratio before", "now", "Change"], lines);
}

function percent(before: number, now: number): string {
  const change = Math.round((now / before - 1) * 100);
  return `${change > 0 ? "+" : ""}${change} %`;
}

const markdown = (head: readonly string[], lines: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/**
 * Takes every measure, one after the other. One that fails is taken once more: on a noisy machine a call may run into
 * its deadline. If it fails again, the table says so, and the others follow.
 */
export async function takeAll(
  measures: Readonly<Record<string, () => Promise<Measured | Measured[]>>>,
  report: (text: string) => void,
): Promise<Measured[]> {
  const rows: Measured[] = [];
  for (const [name, take] of Object.entries(measures)) {
    report(`measuring ${name}`);
    const measured = await take().catch(async (error) => {
      report(`${name} failed and is repeated: ${error}`);
      return await take().catch((again) => ({ name, missing: String(again) }));
    });
    rows.push(...[measured].flat());
  }
  return rows;
}
