/** The console in Chromium: from its address to a page with its data, and the scrolling of long lists. */
import { type Browser, chromium, type Page } from "playwright-core";
import { growMessages } from "./calls";
import { latencies, type Measured, median, type Row } from "./measure";
import { type Answer, type Bench, CHANNEL } from "./server";

const PAGES = 15;
/** The newest environments are the last part of the overview to come. */
const READY = `new Promise((resolve) => {
  const look = () => document.querySelector("section[aria-label=Environments] tr td")
    ? resolve(performance.now() - performance.getEntriesByType("navigation")[0].loadEventEnd)
    : requestAnimationFrame(look);
  look();
})`;

async function inBrowser(
  names: readonly string[],
  work: (browser: Browser) => Promise<Measured[]>,
): Promise<Measured[]> {
  const executablePath = Bun.which("chromium") ?? Bun.which("google-chrome");
  if (!executablePath) return names.map((name) => ({ name, missing: "there is no Chromium" }));
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

const row = (name: string, ours: number, comparedWith: string, most: number): Row => ({
  ...{ name, ours, comparedWith, base: undefined, unit: "ms", bar: { most } },
});

const FIRST_PAGE = "first page of the console, from its load event to its data, p50";

export const firstPage = (bench: Bench) =>
  inBrowser([FIRST_PAGE], async (browser) => {
    await bench.environment();
    const samples: number[] = [];
    for (let n = 0; n < PAGES; n++) {
      // A context of its own has no cache.
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${bench.url}/console`, { waitUntil: "load" });
      samples.push((await page.evaluate(READY)) as number);
      await context.close();
    }
    return [row(FIRST_PAGE, median(samples), "on localhost, without a cache", 300)];
  });

const ROUNDS = 5;
const CALLS = 5_000;
const MESSAGES = 10_000;
const STEPS = 50;
const STEP_MS = 30;
/** More than a screen: each step shows other rows. */
const STEP_PIXELS = 3_000;

type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the thread. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
};

/** Scrolls what is under the mouse. Returns the longest task of the page's thread, in milliseconds of processor time. */
async function longestTask(browser: Browser, page: Page, direction: 1 | -1): Promise<number> {
  await browser.startTracing(page, { categories: ["toplevel"] });
  for (let n = 0; n < STEPS; n++) {
    await page.mouse.wheel(0, direction * STEP_PIXELS);
    await Bun.sleep(STEP_MS);
  }
  const trace = await browser.stopTracing();
  const events = (JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }).traceEvents;
  const threads = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.flatMap(({ name, pid, tid, tdur }) =>
    name.endsWith("RunTask") && threads.has(`${pid} ${tid}`) && tdur !== undefined ? [tdur] : [],
  );
  if (tasks.length < STEPS) throw new Error(`the trace has ${tasks.length} tasks only`);
  return Math.max(...tasks) / 1_000;
}

type List = {
  readonly name: string;
  readonly label: string;
  readonly direction: 1 | -1;
  readonly make: (bench: Bench) => Promise<{ readonly path: string; readonly text: string }>;
};

const LISTS: readonly List[] = [
  {
    name: `scrolling a run of ${CALLS.toLocaleString("en")} calls: the longest task, p50`,
    label: "Calls in order",
    direction: 1,
    async make(bench) {
      const environment = await bench.environment();
      const runId = await startRun(bench, environment);
      const post = (text: string) =>
        bench.chat(environment, "chat.postMessage", { channel: CHANNEL, text });
      await latencies(8, CALLS, (_, n) => post(`message ${n}`));
      await bench.platform("POST", "/diffRun", { runId });
      return { path: `/runs/${runId}`, text: "message 0" };
    },
  },
  {
    name: `scrolling ${MESSAGES.toLocaleString("en")} messages: the longest task, p50`,
    label: "Messages",
    direction: -1,
    async make(bench) {
      const environment = await bench.environment();
      await growMessages(bench, environment, MESSAGES);
      await startRun(bench, environment);
      return { path: `/environments/${environment["environmentId"]}`, text: `message ${MESSAGES}` };
    },
  },
];

const startRun = async (bench: Bench, { environmentId: envId }: Answer) =>
  (await bench.platform("POST", "/startRun", { envId }))["runId"];

export const scrolling = (bench: Bench) =>
  inBrowser(
    LISTS.map(({ name }) => name),
    async (browser) => {
      const rows: Row[] = [];
      for (const { name, label, direction, make } of LISTS) {
        const { path, text } = await make(bench);
        const samples: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const page = await browser.newPage();
          await page.goto(`${bench.url}/console${path}`);
          const list = page.getByRole("region", { name: label });
          await list.getByText(text, { exact: true }).first().waitFor();
          await list.hover();
          samples.push(await longestTask(browser, page, direction));
          await page.close();
        }
        rows.push(row(name, median(samples), "processor time of the page's thread", 75));
      }
      return rows;
    },
  );
