/** The charts of the overview. */
import { expect, test } from "bun:test";
import { takePicture, useBrowser, violationsOf, waitUntilLoaded } from "../support/browser";
import { eventually, useDatabase } from "../support/database";
import { useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database);
const browser = useBrowser();

/** More than the time between two readings. */
const LATER_MS = 5_500;
/** Pixels of a chart that have the colour of a series' name. */
const DRAWN = `(place, n) => {
  const figure = document.querySelectorAll("figure")[place];
  const canvas = figure.querySelector("canvas");
  const colour = getComputedStyle(figure.querySelectorAll("dt")[n]).color.match(/\\d+/g).map(Number);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && colour.every((part, n) => Math.abs(part - data[at + n]) < 30)) count++;
  return count;
}`;

test("two charts show the calls and the time of creating environments, from one reading to the next", async () => {
  await browser.with(program.url, {}, async (page) => {
    await page.clock.install();
    await page.goto(`${program.url}/console/environments`);
    await waitUntilLoaded(page);
    await page.getByRole("link", { name: "Overview" }).click();
    const calls = page.getByRole("figure").filter({ hasText: "Calls to this server" });
    const creating = page.getByRole("figure").filter({ hasText: "Creating an environment" });
    await calls.locator("canvas").waitFor();
    // A second reading follows the first one soon.
    await eventually(async () =>
      expect((await calls.locator("dd").allTextContents()).join()).toMatch(
        /^[\d.]+ \/s,[\d.]+ \/s$/,
      ),
    );

    for (let reading = 0; reading < 3; reading++) {
      const before = await calls.locator("figcaption").textContent();
      const environment = await program.environment();
      for (let n = 0; n < 5; n++) await program.chat(environment, "auth.test");
      await page.clock.fastForward(LATER_MS);
      await eventually(async () =>
        expect(await calls.locator("figcaption").textContent()).not.toBe(before),
      );
    }
    const [all = ""] = await calls.locator("dd").allTextContents();
    expect(Number.parseFloat(all)).toBeGreaterThan(0);
    const [median = "", p95 = ""] = await creating.locator("dd").allTextContents();
    expect(Number.parseFloat(median)).toBeGreaterThan(0);
    expect(Number.parseFloat(p95)).toBeGreaterThanOrEqual(Number.parseFloat(median));
    for (const figure of [0, 1])
      for (const series of [0, 1])
        await eventually(async () =>
          expect(await page.evaluate(`(${DRAWN})(${figure}, ${series})`)).toBeGreaterThan(10),
        );
    await takePicture(page, "overview-charts");
    expect(await violationsOf(page)).toEqual([]);
  });
});
