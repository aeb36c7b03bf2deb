/** A chat environment in the browser: as any user sees it, live, with changes tinted. */
import { beforeAll, describe, expect, test } from "bun:test";
import { takePicture, violationsOf, waitUntilLoaded } from "../support/browser";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { chatScene, type Scene, startRun } from "./scene";
import { ADDED_MAX, mostAdded } from "./scrolling";

const { program, open } = useConsole();

let scene: Scene;
beforeAll(async () => {
  scene = await chatScene(program);
});
const pathTo = ({ environmentId }: { environmentId: string }) => `/environments/${environmentId}`;

test("shows what differs from the template, and the call that changed it", async () => {
  await open(pathTo(scene), async (page) => {
    const room = page.getByRole("region", { name: "#general" });
    const welcome = room.getByRole("article").filter({ hasText: "Welcome to Acme!" });
    await welcome.waitFor();
    expect(await welcome.getAttribute("class")).not.toContain("tinted");
    const own = room.getByRole("article").filter({ hasText: "Hello all of you" });
    await own.getByText("new by call 5", { exact: true }).waitFor();
    expect(await own.getAttribute("class")).toContain("tinted");
    expect(await own.getAttribute("title")).toContain("chat.update");
    await own.getByRole("button", { name: "1 reply" }).click();
    const thread = page.getByRole("region", { name: "Thread" });
    await thread.getByText("And a reply").waitFor();
    expect(await thread.locator(".by").allTextContents()).toEqual([
      "new by call 5",
      "new by call 4",
    ]);
    await waitUntilLoaded(page);
    await takePicture(page, "chat-thread");
    expect(await violationsOf(page)).toEqual([]);
  });
});

test("shows only what the chosen user sees", async () => {
  await open(pathTo(scene), async (page) => {
    const directs = page.getByRole("navigation", { name: "Direct messages" });
    await directs.getByRole("button", { name: "John Doe" }).click();
    await page.getByRole("article").filter({ hasText: "Only for you" }).waitFor();
    await page.getByLabel("As user").selectOption("U03ROBINRAY");
    await page.getByRole("region", { name: "#general" }).waitFor();
    await waitUntilLoaded(page);
    await directs.waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("as")).toBe("U03ROBINRAY");
  });
});

test("an idle environment is not compared with its template again", async () => {
  await open(pathTo(scene), async (page) => {
    await page.getByText("Welcome to Acme!").waitFor();
    await waitUntilLoaded(page);
    let compared = 0;
    page.on("request", (request) => {
      if (request.url().endsWith(`/api/platform/env/${scene.environmentId}`)) compared++;
    });
    for (let n = 0; n < 2; n++)
      await page.waitForResponse((answer) => answer.url().endsWith("/conversations.history"));
    // The stream of events begins after the page has read it first.
    expect(compared).toBeLessThanOrEqual(1);
  });
});

test("a message of an agent appears, tinted, by itself; the page reads without a trace", async () => {
  const environment = await program.environment();
  const runId = await startRun(program, environment.environmentId);
  await open(pathTo(environment), async (page) => {
    await page.getByText("Hello, I am Robin.").waitFor();
    await Bun.sleep(500);
    const waits: number[] = [];
    for (const n of [1, 2, 3]) {
      const text = `News number ${n}`;
      await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
      const answered = performance.now();
      const line = page.getByRole("article").filter({ hasText: text });
      await line.waitFor();
      waits.push(performance.now() - answered);
      expect(await line.getAttribute("class")).toContain("tinted");
    }
    // The median, and three times of what a machine with nothing else to do needs.
    expect(waits.toSorted((a, b) => a - b)[1]).toBeLessThan(3_000);
    await program.post("/diffRun", { runId });
    await page.getByText("new by call 3").waitFor();
  });
  const { calls } = (await program.get(`/runs/${runId}/calls`)).body;
  expect(calls.map(({ name }: { name: string }) => name)).toEqual(
    Array(3).fill("chat.postMessage"),
  );
});

describe("a channel of 10,000 messages", () => {
  let environment: { environmentId: string };
  beforeAll(async () => {
    const at = Date.UTC(2026, 0, 6) / 1000;
    const answer = await program.post("/templates/import", {
      name: "many_messages",
      service: "chat",
      seed: {
        extends: "chat_base",
        messages: Array.from({ length: 10_000 }, (_, n) => ({
          channel: "general",
          ts: `${at + 10 * n}.000100`,
          user: n % 2 === 0 ? "john" : "robin",
          text: `Message ${n}. ${"more ".repeat(n % 50 === 0 ? 100 : 0)}`,
        })),
      },
    });
    expectStatus(answer, 201);
    environment = await program.environment({ templateName: "many_messages" });
  });

  test("scrolls by rendering only what comes into view", async () => {
    await open(pathTo(environment), async (page) => {
      await page.getByText("Message 9999.").waitFor();
      await waitUntilLoaded(page);
      expect(await page.locator(".tinted").count()).toBe(0);
      const added = await mostAdded(page, "Messages", -1);
      const shown = (await page.evaluate("document.querySelectorAll('.message').length")) as number;
      expect(shown).toBeLessThan(100);
      expect(added).toBeLessThan(ADDED_MAX);
      expect(await page.getByText("Message 9999.").count()).toBe(0);
    });
  });
});
