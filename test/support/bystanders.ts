/** Agents that work while another one attacks, and what the attack costs them and the server. */
import { readFile } from "node:fs/promises";
import type { ServerProcess } from "./process";
import type { Database, Stage, Story } from "./stage";

const PAUSE_MS = 20;
const SAMPLE_MS = 100;

/** Repeats `work` until it is stopped. Returns the durations in milliseconds. */
export function repeatedly(work: () => Promise<unknown>, pauseMs = 0) {
  let going = true;
  const took: number[] = [];
  const done = (async () => {
    while (going) {
      const started = performance.now();
      await work();
      took.push(performance.now() - started);
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
    return took;
  })();
  done.catch(() => undefined); // thrown when it is stopped
  return async () => {
    going = false;
    return await done;
  };
}

export async function rssMegabytes({ pid }: Pick<ServerProcess, "pid">): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

export const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Stories that write without a pause; each write must be acknowledged, and each run must have its exact diff. */
export async function startBystanders(
  stage: Stage,
  database: Database,
  server: ServerProcess,
  count: number,
) {
  const stories: Story[] = [];
  for (let n = 0; n < count; n++) stories.push(await stage.story(database, server));
  const before = await rssMegabytes(server);
  const working = stories.map((story) =>
    repeatedly(async () => {
      if ((await story.write(server)) !== 1) throw new Error("a bystander's call was rejected");
    }, PAUSE_MS),
  );
  let rss = 0;
  const watching = repeatedly(async () => {
    rss = Math.max(rss, await rssMegabytes(server));
  }, SAMPLE_MS);

  /** Ends them. Returns the durations of their calls, sorted, and the memory before the attack and at most. */
  return async () => {
    const calls = (await Promise.all(working.map((stop) => stop()))).flat().sort((a, b) => a - b);
    for (const story of stories) await story.endWell(server);
    await watching();
    return { calls, rss, before };
  };
}

export const figuresOf = (calls: readonly number[]) =>
  `${calls.length} calls of bystanders: p50 ${percentile(calls, 0.5).toFixed(1)} ms, ` +
  `p99 ${percentile(calls, 0.99).toFixed(1)} ms, longest ${calls.at(-1)?.toFixed(1)} ms`;
