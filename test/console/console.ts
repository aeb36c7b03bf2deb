/** A server and a browser that opens its console. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { useBrowser } from "../support/browser";
import { useDatabase } from "../support/database";
import { useProgram } from "../support/program";

/** Declares both for the tests of this file. */
export function useConsole() {
  const database = useDatabase();
  const program = useProgram(database);
  const browser = useBrowser();
  return {
    ...{ database, program, browser },

    /** Opens the page at `/console<path>` in a context of its own. `expected`: errors that the browser logs. */
    open: (
      path: string,
      use: (page: Page) => Promise<void>,
      options: BrowserContextOptions = {},
      expected?: RegExp,
    ): Promise<void> => {
      const openAndUse = async (page: Page) => {
        await page.goto(`${program.url}/console${path}`);
        await use(page);
      };
      return browser.with(program.url, options, openAndUse, expected);
    },
  };
}
