/** The tasks of a page while a list scrolls. */
import type { Page } from "playwright-core";

/** Of processor time, for the longest task. */
export const TASK_MS = 75;

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

/**
 * Scrolls a list by the wheel. Returns the longest task of the page's thread, in milliseconds of processor time: other
 * than the time that passes, it is the same on a busy machine.
 */
export async function longestTask(page: Page, list: string, direction: 1 | -1): Promise<number> {
  const browser = page.context().browser()!;
  await page.getByRole("region", { name: list }).hover();
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
