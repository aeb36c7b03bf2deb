/** The guide and the reference in a browser. */
import { expect, test } from "bun:test";
import { missedByKeyboard, takePicture, useBrowser, violationsOf } from "../support/browser";
import { eventually, useDatabase } from "../support/database";
import { useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database);
const browser = useBrowser();

const viewport = { width: 1_200, height: 800 };

test("the slash key searches: page titles, headings and text; Enter opens the first result", async () => {
  await browser.with(program.url, { viewport }, async (page) => {
    await page.goto(`${program.url}/docs/guide`);
    const search = page.getByRole("searchbox", { name: "Search" });
    const results = page.locator("search li a");
    await search.waitFor();

    await page.keyboard.press("/");
    await page.keyboard.type("faults");
    await results.first().waitFor();
    expect(await results.first().textContent()).toBe("Faults");
    await search.fill("chat.postEphemeral");
    await eventually(async () =>
      expect(await results.first().textContent()).toContain("Methods of chat"),
    );
    await search.fill("there is no such word anywhere here");
    await page.getByText("Nothing found").waitFor();
    await search.fill("outcomes");
    await page.getByRole("link", { name: "Evaluate an agent in ten lines: Outcomes" }).waitFor();
    await page.keyboard.press("Enter");

    await page.waitForURL(/\/docs\/guide\/evaluate#outcomes$/);
    await page.keyboard.press("/");
    await page.keyboard.type("<img src=x onerror=alert(1)>");
    await page.keyboard.press("Escape");
    expect(await search.inputValue()).toBe("");
  });
});

test("a code block is copied with one click, with the address of this server", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  await browser.with(program.url, { viewport, permissions }, async (page) => {
    await page.goto(`${program.url}/docs/guide/first-steps`);
    const copy = page.getByRole("button", { name: "Copy" });
    await copy.first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();

    const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
    expect(copied).toBe((await page.locator("main pre code").first().textContent())!.trimEnd());
    expect(await page.locator("main").textContent()).not.toContain("http://127.0.0.1:3000");
    expect(await page.locator("main pre").count()).toBe(
      await page.locator(".code > button").count(),
    );
  });
});

test("one strip of tabs shows an example in the language chosen, on the next page too", async () => {
  await browser.with(program.url, { viewport }, async (page) => {
    await page.goto(`${program.url}/docs/guide/clients`);
    const tab = (name: string) => page.getByRole("tab", { name }).first();
    const panel = page.getByRole("tabpanel").first();
    await tab("TypeScript").waitFor();
    expect(await panel.textContent()).toContain("await using env");

    await tab("Python").click();
    expect(await panel.textContent()).toContain("with diorama.env");
    await page.reload();
    await tab("Python").waitFor();
    expect(await tab("Python").getAttribute("aria-selected")).toBe("true");
    await tab("Python").press("ArrowRight");
    expect(await tab("TypeScript").getAttribute("aria-selected")).toBe("true");
  });
});

test("previous and next lead through the guide, and a heading to itself", async () => {
  await browser.with(program.url, { viewport }, async (page) => {
    await page.goto(`${program.url}/docs/guide/first-steps`);
    await page.getByRole("link", { name: "Next Clients" }).click();
    await page.waitForURL(/\/guide\/clients$/);
    await page.getByRole("link", { name: /^Previous / }).click();
    await page.waitForURL(/\/guide\/first-steps$/);
    const heading = page.locator("main h2").first();
    await heading.hover();
    await heading.getByRole("link", { name: "Link to this section" }).click();
    expect(new URL(page.url()).hash).toBe(`#${await heading.getAttribute("id")}`);
  });
});

test("a missing page is a page that leads back; other clients get the error", async () => {
  const accept = { headers: { Accept: "application/json" } };
  const answer = await fetch(`${program.url}/docs/guide/nope`, accept);
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: "not_found" }]);
  await browser.with(
    program.url,
    { viewport },
    async (page) => {
      const response = await page.goto(`${program.url}/docs/guide/evaluat`);
      expect(response?.status()).toBe(404);
      const { "content-security-policy": policy } = await response!.allHeaders();
      expect(policy).toContain("script-src 'self'");
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
      await page.getByRole("main").getByRole("link", { name: "/docs/guide/evaluate" }).click();
      await page.getByRole("heading", { name: "Evaluate an agent in ten lines" }).waitFor();
    },
    /404 \(Not Found\)/,
  );
});

test.each(["light", "dark"] as const)(
  "pages have no violation, and the keyboard reaches everything (%s)",
  async (colorScheme) => {
    await browser.with(program.url, { viewport, colorScheme }, async (page) => {
      for (const path of ["guide", "guide/clients", "guide/first-steps", "reference/settings"]) {
        await page.goto(`${program.url}/docs/${path}`);
        await page.getByRole("searchbox").waitFor();
        expect([path, await violationsOf(page)]).toEqual([path, []]);
      }
      await page.goto(`${program.url}/docs/guide/evaluate`);
      await page.getByRole("button", { name: "Copy" }).first().waitFor();
      await takePicture(page, `guide-${colorScheme}`);
      expect(await missedByKeyboard(page)).toEqual([]);
    });
  },
);

test("a phone shows the text first, and nothing scrolls sideways", async () => {
  await browser.with(program.url, { viewport: { width: 390, height: 800 } }, async (page) => {
    for (const path of ["guide", "guide/train", "guide/first-steps", "reference/chat"]) {
      await page.goto(`${program.url}/docs/${path}`);
      await page.getByRole("searchbox").waitFor();
      const { y } = (await page.locator("h1").boundingBox())!;
      expect([path, y < 200]).toEqual([path, true]);
      const width = "document.documentElement.scrollWidth";
      expect([path, await page.evaluate(width)]).toEqual([path, 390]);
    }
    await takePicture(page, "guide-phone");
    await page.getByRole("link", { name: "Contents" }).click();
    expect(new URL(page.url()).hash).toBe("#contents");
  });
});
