/** The list of runs: what they are called, and filters that the server applies. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../support/database";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { chatScene, type Scene, startRun, suiteScene } from "./scene";

const { program, open } = useConsole();

let scene: Scene;
let suiteId: string;
let suiteName: string;
beforeAll(async () => {
  scene = await chatScene(program);
  suiteId = await suiteScene(program);
  suiteName = (await program.get(`/testSuites/${suiteId}`)).body.name;
});

const rowsOf = (page: Page) =>
  page
    .getByRole("region", { name: "Runs" })
    .getByRole("row")
    .filter({ has: page.getByRole("cell") });
const searchedOf = (page: Page) => page.locator(".searched");
const showsSearched = (page: Page, text: RegExp) =>
  eventually(async () => expect(await searchedOf(page).textContent()).toMatch(text));

test("a run is called after its test, and leads to it, its suite, template and environment", async () => {
  await open("/runs", async (page) => {
    const row = rowsOf(page).filter({ hasText: "my-agent" });
    await row.waitFor();
    const link = async (name: string | RegExp) =>
      await row.getByRole("link", { name }).first().getAttribute("href");
    expect(await link("Welcome everybody")).toBe(`/console/runs/${scene.runId}`);
    expect(await link(/^Greetings/)).toMatch(/^\/console\/suites\/\w{32}$/);
    expect(await link("chat_default")).toBe("/console/templates/chat_default");
    const environment = `…${scene.environmentId.slice(-8)}`;
    expect(await link(environment)).toBe(`/console/environments/${scene.environmentId}`);
    await showsSearched(page, /^All your runs: 9$/);
  });
});

test("filters ask the server for all runs, are kept in the address, and say what they searched", async () => {
  await open("/runs", async (page) => {
    await rowsOf(page).first().waitFor();
    await page.getByLabel("Search").fill("my-agent");
    await showsSearched(page, /^1 of your 9 runs: those with “my-agent” in a name, a label, the/);
    expect(await rowsOf(page).count()).toBe(1);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await showsSearched(page, /^All your runs: 9$/);
    expect(await page.getByLabel("Search").inputValue()).toBe("");

    await page.getByLabel("Suite").selectOption({ label: suiteName });
    await page.getByRole("combobox", { name: /^Test/ }).selectOption("Say hello");
    await page.getByLabel("Verdict").selectOption("failed");
    await page.getByLabel("Started").selectOption("the last hour");
    const words = `1 of your 9 runs: those that failed, of the test “Say hello”, of the suite “${suiteName}”, started in the last hour.`;
    await eventually(async () => expect(await searchedOf(page).textContent()).toContain(words));
    expect(await rowsOf(page).count()).toBe(1);

    await page.reload(); // the address has the filters
    await eventually(async () => expect(await searchedOf(page).textContent()).toContain(words));
    await rowsOf(page).getByRole("link", { name: "model=second" }).click();
    await showsSearched(page, /^4 of your 9 runs: those with the label model=second\./);
    await page.goBack();
    await showsSearched(page, /of the test “Say hello”/);
  });
});

test("a search without results says what was searched, and clears", async () => {
  await open("/runs?text=nothing+has+this", async (page) => {
    await page.getByText("No run matches.").waitFor();
    await showsSearched(page, /^0 of your 9 runs: those with “nothing has this”/);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await rowsOf(page).first().waitFor();
  });
});

test("days of start, and a bookmark, are filters too", async () => {
  const { environmentId } = await program.environment();
  const runId = await startRun(program, environmentId);
  expectStatus(await program.post("/diffRun", { runId }), 200);
  await open("/runs?since=days&from=2020-01-01&to=2020-12-31", async (page) => {
    await showsSearched(page, /started on 2020-01-01 or later, started until 2020-12-31\./);
    await page.getByText("No run matches.").waitFor();
    await page.getByLabel("Until").fill("2199-12-31");
    await eventually(async () => expect(await rowsOf(page).count()).toBe(10));

    const row = rowsOf(page).filter({ has: page.getByTitle(runId, { exact: true }) });
    expect(await row.getByRole("link").first().textContent()).toBe("Run of chat_default");
    const bookmark = row.getByRole("button", { name: "Bookmark", exact: true });
    await bookmark.click();
    await eventually(async () => expect(await bookmark.getAttribute("aria-pressed")).toBe("true"));
    await page.getByLabel("Bookmarked").check();
    await showsSearched(page, /^1 of your 10 runs: .*with a bookmark\./);
    expect(await rowsOf(page).count()).toBe(1);
  });
});

test("more than a page is reached by a link, which the list leads back from", async () => {
  await open("/runs", async (page) => {
    await page.route("**/api/platform/runs?*", (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set("limit", "4");
      return route.continue({ url: url.href });
    });
    await page.reload();
    await eventually(async () => expect(await rowsOf(page).count()).toBe(4));
    const first = await rowsOf(page).first().textContent();
    await page.getByRole("button", { name: "Next page" }).click();
    await eventually(async () => expect(await rowsOf(page).first().textContent()).not.toBe(first));
    await page.getByRole("link", { name: "Back to the newest" }).click();
    await eventually(async () => expect(await rowsOf(page).first().textContent()).toBe(first));
  });
});

test("without runs, says how to make one", async () => {
  await open("/runs", async (page) => {
    await page.route("**/api/platform/runs?*", (route) =>
      route.fulfill({ json: { runs: [], counts: { matching: 0, all: 0 } } }),
    );
    await page.reload();
    await page.getByText("No runs.").waitFor();
    await page.getByText("diorama suites run").waitFor();
    expect(await searchedOf(page).count()).toBe(0);
  });
});
