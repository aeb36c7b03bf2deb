/** The frame: a drawer on a small screen, the state of the server, empty pages and errors that lead on. */
import { expect, test } from "bun:test";
import { missedByKeyboard, violationsOf, waitUntilLoaded } from "../support/browser";
import { useConsole } from "./console";

const { program, open } = useConsole();
const PHONE = { viewport: { width: 390, height: 800 }, reducedMotion: "reduce" } as const;

test("on a phone the navigation is a drawer, which the keyboard opens and closes", async () => {
  await open(
    "/templates",
    async (page) => {
      await page.getByText("chat_default").first().waitFor();
      const link = page.getByRole("link", { name: "Environments" });
      expect(await link.count()).toBe(0);
      const button = page.getByRole("button", { name: "Menu" });
      await button.press("Enter");
      expect(await button.getAttribute("aria-expanded")).toBe("true");
      await link.waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await link.waitFor({ state: "detached" });
      await button.click();
      await link.click();
      await page.getByRole("heading", { name: "Environments", level: 1 }).waitFor();
      await link.waitFor({ state: "detached" });
    },
    PHONE,
  );
});

test("the state of the server is a word, also while it does not answer", async () => {
  await open(
    "/templates",
    async (page) => {
      const state = page.locator(".server");
      await page.getByText("Ready", { exact: true }).waitFor();
      await page.route("**/api/platform/health", (route) => route.abort());
      await page.evaluate("dispatchEvent(new Event('offline'))");
      await page.getByText("Offline", { exact: true }).waitFor();
      expect(await state.getAttribute("class")).toContain("offline");
    },
    {},
    /ERR_FAILED/,
  );
});

test.each([
  ["/runs/00000000-0000-4000-8000-000000000000", "Back to runs"],
  ["/environments/00000000000000000000000000000000", "Back to environments"],
  ["/templates/none", "Back to templates"],
])("%s does not exist, and offers a way back", async (path, words) => {
  await open(
    path,
    async (page) => {
      await page.getByRole("link", { name: words }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/console/${path.split("/")[1]}`);
    },
    {},
    /404/,
  );
});

test("the playground begins with a sentence and the next step", async () => {
  await open("/playground", async (page) => {
    await page.getByText("Try a service in an environment of your own.").waitFor();
    await page.getByRole("button", { name: "Create an environment" }).waitFor();
  });
});

test("the actions of a row are in a menu that the keyboard reaches", async () => {
  await program.environment();
  await open("/environments", async (page) => {
    const menu = page.getByRole("button", { name: /^Actions on/ }).first();
    await menu.waitFor();
    await waitUntilLoaded(page);
    await menu.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Extend");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Extend" }).waitFor({ state: "hidden" });
    expect(await missedByKeyboard(page)).toEqual([]);
  });
});
