/** The size of the changes that a list makes to the page while it scrolls. */
import type { Page } from "playwright-core";

/** For `mostAdded`: several times as many as a screen of any list has. */
export const ADDED_MAX = 2_000;

const STEPS = 50;
const STEP_MS = 30;
/** More than a screen: each step shows other rows. */
const STEP_PIXELS = 3_000;

/**
 * Scrolls a list by the wheel. Returns the most elements that the page added in one task: they are what it costs, on
 * any machine. `bun run bench scrolling` has the time.
 */
export async function mostAdded(page: Page, list: string, direction: 1 | -1): Promise<number> {
  await page.evaluate(`
    window.added = [];
    const sizeOf = (node) => 1 + (node.querySelectorAll?.("*").length ?? 0);
    new MutationObserver((records) => {
      const nodes = records.flatMap(({ addedNodes }) => [...addedNodes]);
      window.added.push(nodes.reduce((sum, node) => sum + sizeOf(node), 0));
    }).observe(document.body, { childList: true, subtree: true });
  `);
  await page.getByRole("region", { name: list }).hover();
  for (let n = 0; n < STEPS; n++) {
    await page.mouse.wheel(0, direction * STEP_PIXELS);
    await Bun.sleep(STEP_MS);
  }
  const added = (await page.evaluate("window.added")) as number[];
  if (added.length === 0) throw new Error("the list did not scroll");
  return Math.max(...added);
}
