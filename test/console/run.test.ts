/** The page of a run: each change beside the call that made it, as in the journal. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { chatScene, type Scene, startRun, trackerScene } from "./scene";

const { program, open } = useConsole();

let scene: Scene;
beforeAll(async () => {
  scene = await chatScene(program);
});

test("each call has the changes that the journal names, and the place that it touched", async () => {
  const { calls } = (await program.get(`/runs/${scene.runId}/calls`)).body;
  const { events } = (await program.get(`/runs/${scene.runId}/events`)).body;
  const check = async (page: Page) => {
    for (const { n, name, changes } of calls) {
      const line = page.getByRole("article", { name: `Call ${n}`, exact: true });
      await line.scrollIntoViewIfNeeded();
      expect(await line.getByRole("button", { name: `${n} ${name}` }).count()).toBe(1);
      const tables = await line.locator(".change > strong > code").allTextContents();
      expect([n, tables]).toEqual([n, changes.map((at: number) => events[at - 1].table)]);
    }
    const reply = page.getByRole("article", { name: "Call 4", exact: true }).locator(".tinted");
    expect(await reply.textContent()).toContain("And a reply");
    expect(await page.getByText("1 of 2 assertions hold (50 %)").count()).toBe(1);
    expect(await page.locator(".failures").textContent()).toContain('contains "Welcome"');
  };
  await open(`/runs/${scene.runId}`, check, { viewport: { width: 1280, height: 4000 } });
});

test("the slider and j rebuild the world at any call", async () => {
  await open(`/runs/${scene.runId}`, async (page) => {
    const world = page.getByRole("region", { name: "The world at a call" });
    await world.getByText("Hello all of you").waitFor();
    await page.keyboard.press("j");
    await world.getByText("Nothing has changed yet.").waitFor();
    await page.keyboard.press("j");
    await world.getByText("see this").waitFor();
    expect(await world.getByText("And a reply").count()).toBe(0);
    await world.getByRole("slider").focus();
    for (let n = 0; n < 2; n++) await page.keyboard.press("ArrowRight");
    await world.getByText("And a reply").waitFor();
    expect(await world.getByText("Hello all of you").count()).toBe(0);
  });
});

test("a run has the names of its tracker after the end of the environment", async () => {
  const { environmentId, runId } = await trackerScene(program);
  expectStatus(await program.call("DELETE", `/env/${environmentId}`), 200);
  await open(`/runs/${runId}`, async (page) => {
    const update = page.getByRole("article", { name: "Call 2", exact: true });
    await update.getByText("State: Done").waitFor();
    expect(await update.textContent()).toContain("Assignee: Agent Smith");
    expect(await update.getByRole("heading").textContent()).toBe("DES-1");
  });
});

test("what others wrote is shown as text, and executes nothing", async () => {
  const environment = await program.environment();
  const runId = await startRun(program, environment.environmentId);
  const texts = [
    '<img src=x onerror="window.executed = 1"><script>window.executed = 1</script>',
    "<javascript:window.executed=1|click me>",
    "`<b>code</b>` *<i>bold</i>* \u202Egnitset\u202C مرحبا 👩‍👩‍👧‍👦",
    "x".repeat(30_000),
  ];
  for (const text of texts)
    await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
  await program.post("/diffRun", { runId });
  await open(`/runs/${runId}`, async (page) => {
    await page.getByRole("article", { name: "Call 1", exact: true }).waitFor();
    const world = page.getByRole("region", { name: "The world at a call" });
    expect(await world.textContent()).toContain('<img src=x onerror="window.executed = 1">');
    expect(await world.textContent()).toContain("<i>bold</i>");
    expect(await page.locator("main img, main script, main i, main b").count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await page.evaluate("window.executed")).toBeUndefined();
    await world.getByRole("button", { name: /^Show all 30,000/ }).click();
    expect((await world.textContent())?.includes("x".repeat(30_000))).toBe(true);
  });
});
