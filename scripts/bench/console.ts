/** The console in Chromium: from its address to a page with its data. */
import { chromium } from "playwright-core";
import { type Measured, median } from "./measure";
import type { Bench } from "./server";

const ROUNDS = 15;
const NAME = "first page of the console, from its load event to its data, p50";
/** The newest environments are the last part of the overview to come. */
const READY = `new Promise((resolve) => {
  const look = () => document.querySelector("section[aria-label=Environments] tr td")
    ? resolve(performance.now() - performance.getEntriesByType("navigation")[0].loadEventEnd)
    : requestAnimationFrame(look);
  look();
})`;

export async function firstPage(bench: Bench): Promise<Measured> {
  const executablePath = Bun.which("chromium") ?? Bun.which("google-chrome");
  if (!executablePath) return { name: NAME, missing: "there is no Chromium" };
  await bench.environment();
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // A context of its own has no cache.
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${bench.url}/console`, { waitUntil: "load" });
      samples.push((await page.evaluate(READY)) as number);
      await context.close();
    }
    return {
      name: NAME,
      ours: median(samples),
      base: undefined,
      unit: "ms",
      comparedWith: "on localhost, without a cache",
      bar: { most: 300 },
    };
  } finally {
    await browser.close();
  }
}
