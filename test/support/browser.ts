/** A browser without a network but the server under test. */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { eventually } from "./database";

const executablePath = Bun.which("chromium") ?? Bun.which("google-chrome") ?? undefined;
/** Pictures of the pages, for people. */
const PICTURES = join(import.meta.dir, "..", "..", ".diorama", "pictures");

/** Declares one browser for the tests of this file. */
export function useBrowser() {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({
      ...(executablePath && { executablePath }),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    /**
     * Uses a new page in a context of its own. Fails if it requests anything from a host other than that of `url`, logs
     * an error, or throws. `expected`: errors that the browser itself logs, such as of an answer 401.
     */
    async with(
      url: string,
      options: BrowserContextOptions,
      use: (page: Page) => Promise<void>,
      expected?: RegExp,
    ): Promise<void> {
      const context = await browser!.newContext(options);
      try {
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on("request", (request) => {
          const target = request.url();
          if (!target.startsWith(url) && !/^(data|blob):/.test(target))
            complaints.push(`request to ${target}`);
        });
        page.on("console", (message) => {
          // A busy server may say that it is degraded, which the page shows as a state of its own.
          const isHealth = message.location().url.endsWith("/health");
          if (message.type() === "error" && !isHealth && !expected?.test(message.text()))
            complaints.push(`${message.text()} ${message.location().url}`);
        });
        page.on("pageerror", (error) => complaints.push(`${error}`));
        await use(page);
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    },
  };
}

/** Waits for every part of a page that shows that it is loading. */
export const waitUntilLoaded = (page: Page) =>
  eventually(async () => expect(await page.locator(".loading").count()).toBe(0));

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];

/** Violations that the checker calls serious or critical, with the elements. `rules`: these only. */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate("!window.axe")) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: rules ?? STANDARDS, resultTypes: ["violations"] });
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
}

/** Collects what a pointer can use and what scrolls, and what gets the focus. A pointer as cursor marks what reacts to clicks. */
const WATCH = `
  window.reached = new Set();
  const isShown = (element) => element.checkVisibility() && getComputedStyle(element).visibility !== "hidden";
  const isOffered = (element) =>
    element.matches("a[href], button, input, select, textarea, summary, [tabindex='0'], [onclick]") ||
    (getComputedStyle(element).cursor === "pointer" && getComputedStyle(element.parentElement).cursor !== "pointer");
  const root = document.querySelector("dialog[open]") ?? document.body;
  window.wanted = [...root.querySelectorAll("*")].filter(
    (element) => isShown(element) && isOffered(element) && !element.disabled,
  );
  document.addEventListener("focusin", ({ target }) => window.reached.add(target));
`;
const MISSED = `window.wanted
  .filter((element) => element.isConnected && !window.reached.has(element))
  .map((element) => element.outerHTML.slice(0, 120))`;
/** Rows of a virtual list come into the document as the focus approaches. */
const EXTRA = 20;

/** The elements that react to a pointer, or scroll, and do not get the focus while Tab goes through the page. */
export async function missedByKeyboard(page: Page): Promise<string[]> {
  await page.evaluate(WATCH);
  const wanted = (await page.evaluate("window.wanted.length")) as number;
  expect(wanted).toBeGreaterThan(0);
  for (let n = 0; n < wanted + EXTRA; n++) await page.keyboard.press("Tab");
  return (await page.evaluate(MISSED)) as string[];
}

/** The explorer is as long as the API: a busy machine takes more than the 30 s of other steps to draw it. */
const PICTURE_MS_MAX = 150_000;

export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const path = join(PICTURES, `${name}.png`);
  await page.screenshot({ path, fullPage: true, timeout: PICTURE_MS_MAX });
}
