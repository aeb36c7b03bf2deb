/** A run in one HTML file: by the command and by the button of its page. */
import { beforeAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "~/commands/client";
import { exportRun } from "~/commands/runs";
import { violationsOf } from "../support/browser";
import { useConsole } from "./console";
import { chatScene, type Scene, trackerScene } from "./scene";

const { program, browser, open } = useConsole();

let chat: Scene;
let tracker: Scene;
let folder: string;
beforeAll(async () => {
  chat = await chatScene(program);
  tracker = await trackerScene(program);
  folder = await mkdtemp(join(tmpdir(), "diorama-"));
});

/** Opens a file without a network: it must request nothing but itself. */
const openFile = (file: string, use: Parameters<typeof browser.with>[2]) =>
  browser.with(`file://${file}`, { offline: true }, async (page) => {
    await page.goto(`file://${file}`);
    await use(page);
  });

test("the command writes a file that shows the run without a server", async () => {
  const file = join(folder, "tracker.html");
  await exportRun(createClient({ url: program.url }, {}), tracker.runId, { html: file });
  await openFile(file, async (page) => {
    const call = page.getByRole("article", { name: "Call 2", exact: true });
    await call.getByText("issueUpdate", { exact: true }).waitFor();
    expect(await call.textContent()).toContain("Draw all the empty states");
    expect(await call.textContent()).toContain("Done");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    expect(await page.title()).toBe(`Run ${tracker.runId} – Diorama`);
  });
});

test("the button of the page saves the same; hostile text in it executes nothing", async () => {
  const { environmentUrl, environmentId } = await program.environment();
  const { body } = await program.post("/startRun", { envId: environmentId });
  const text = "</script><script>window.executed = 1</script><!--<script>";
  await program.chat({ environmentUrl }, "chat.postMessage", { channel: "C01GENERAL", text });
  await program.post("/diffRun", { runId: body.runId });
  const file = join(folder, "chat.html");
  await open(`/runs/${body.runId}`, async (page) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save" }).click();
    await (await download).saveAs(file);
  });
  await openFile(file, async (page) => {
    const world = page.getByRole("region", { name: "The world at a call" });
    await world.getByText("window.executed = 1").waitFor();
    expect(await page.evaluate("window.executed")).toBeUndefined();
    expect(await violationsOf(page)).toEqual([]);
  });
  const written = join(folder, "command.html");
  await exportRun(createClient({ url: program.url }, {}), body.runId, { html: written });
  const policy = /Content-Security-Policy" content="([^"]+)"/;
  const [first, second] = [await Bun.file(file).text(), await Bun.file(written).text()];
  expect(policy.exec(first)?.[1]).toMatch(/script-src 'sha256-[^']+';/);
  expect(policy.exec(first)?.[1]).toBe(policy.exec(second)?.[1] ?? "");
});

test("a run that does not exist is reported", async () => {
  const client = createClient({ url: program.url }, {});
  await expect(
    exportRun(client, "0".repeat(32), { html: join(folder, "none.html") }),
  ).rejects.toThrow("run_not_found");
  await expect(
    exportRun(client, chat.runId, { html: join(folder, "chat.html", "x.html") }),
  ).rejects.toThrow("cannot be written");
});
