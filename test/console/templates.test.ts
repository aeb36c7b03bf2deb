/** Templates in the browser: their ids, world, export, and difference. */
import { expect, test } from "bun:test";
import type { Diff } from "~/clients/typescript/schema";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { startRun } from "./scene";

const { program, open } = useConsole();

const LONGER_THAN_A_POLL_MS = 2_500;

test("a template shows its ids and its world, and is exported", async () => {
  await open("/templates/chat_default", async (page) => {
    const general = page.getByRole("row").filter({ hasText: "C01GENERAL" });
    expect(await general.textContent()).toContain("general");
    await page.getByLabel("Filter").fill("robin");
    await page.getByRole("row").filter({ hasText: "U03ROBINRAY" }).waitFor();
    expect(await general.count()).toBe(0);

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const file = Bun.file(await (await download).path());
    const { body: seed } = await program.get("/templates/chat_default/seed");
    expect(await file.json()).toEqual(seed);

    await page.getByRole("button", { name: "world" }).click();
    await page.getByRole("button", { name: "Show the world" }).click();
    await page.getByText("Welcome to Acme!").waitFor();
    await page.getByLabel("As user").selectOption("U03ROBINRAY");
    await page.getByText("Welcome to Acme!").waitFor();
    expect(await page.locator(".tinted").count()).toBe(0);
    const copy = new URL(page.url()).searchParams.get("copy");
    // While a busy server deletes the environment, nothing asks for its world.
    await page.route(`**/env/${copy}`, async (route) => {
      const response = await route.fetch();
      await Bun.sleep(LONGER_THAN_A_POLL_MS);
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Show the world" }).waitFor();
    expect((await program.get(`/env/${copy}`)).body.status).toBe("deleted");
  });
});

test("the difference of a saved template from its origin is that of the run between them", async () => {
  const environment = await program.environment();
  const { environmentId } = environment;
  const runId = await startRun(program, environmentId);
  const call = (method: string, args: object) => program.chat(environment, method, args);
  const { ts } = await call("chat.postMessage", { channel: "C01GENERAL", text: "Kept" });
  await call("reactions.add", { channel: "C01GENERAL", timestamp: ts, name: "wave" });
  await call("conversations.setTopic", { channel: "C01GENERAL", topic: "Launch" });
  const { diff }: { diff: Diff } = (await program.post("/diffRun", { runId })).body;
  const saved = await program.post("/templates", { environmentId, service: "chat", name: "kept" });
  expectStatus(saved, 201);
  const tableOf = ({ __table__ }: { __table__: string }) => __table__;
  const tables = [...new Set([...diff.inserts, ...diff.updates, ...diff.deletes].map(tableOf))];
  const countsOf = (table: string) =>
    [diff.inserts, diff.updates, diff.deletes].map(
      (rows: readonly { __table__: string }[]) =>
        rows.filter((row) => tableOf(row) === table).length,
    );
  const expected = tables.toSorted().map((table) => {
    const words = ["added", "changed", "removed"];
    const counts = countsOf(table).map((count, kind) => count > 0 && `${count} ${words[kind]}`);
    return `${table} ${counts.filter(Boolean).join(", ")}`;
  });

  await open("/templates/kept?part=difference", async (page) => {
    await page.getByText("Choose another template").waitFor();
    await page.getByLabel("From").selectOption("chat_default");
    const messages = page.getByRole("region", { name: "Changes of messages" });
    await messages.getByText("Kept").waitFor();
    expect(await page.locator("summary").allTextContents()).toEqual(expected);
    expect(expected.length).toBeGreaterThan(2);
    await page.getByRole("button", { name: "ids" }).click();
    await page.getByRole("row").filter({ hasText: "U02JOHNADOE" }).waitFor();
  });
});

test("a template that does not exist is reported in words", async () => {
  const expected = /404 \(Not Found\)/;
  await open(
    "/templates/nothing",
    async (page) => {
      await page.getByText("There is no such template.").waitFor();
    },
    {},
    expected,
  );
});

test("a template leads to its suites, environments and runs, and back", async () => {
  const { environmentId } = await program.environment({ templateName: "chat_bench_default" });
  const runId = await startRun(program, environmentId);
  await program.post("/diffRun", { runId });
  await open("/templates/chat_bench_default", async (page) => {
    const facts = page.locator("main .facts");
    for (const [name, shown] of [
      ["suites", "Chat benchmark"],
      ["environments", "chat_bench_default"],
      ["runs", "Run of chat_bench_default"],
    ] as const) {
      await facts.getByRole("link", { name, exact: true }).click();
      const row = page.getByRole("row").filter({ hasText: shown }).first();
      await row.waitFor();
      if (name === "suites") await row.getByRole("link", { name: "chat_bench_default" }).click();
      else await page.goBack();
    }
    await page.goto(`${program.url}/console/environments/${environmentId}`);
    await facts.getByRole("link", { name: "all runs" }).click();
    await page.getByRole("link", { name: "Run of chat_bench_default" }).waitFor();
    await page.getByText(environmentId.slice(-8)).first().waitFor();
  });
});
