/** The playground: an environment with code that works, and a form that shows what a call changes. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { useConsole } from "./console";
import { startRun } from "./scene";

const { program, open } = useConsole();

const ROOT = join(import.meta.dir, "..", "..");

/** Runs the code of the open page. Returns what it prints. */
async function runCode(page: Page, client: string, ...command: string[]): Promise<string> {
  await page.getByRole("button", { name: client }).click();
  const code =
    (await page.getByRole("region", { name: "Code" }).locator("pre").textContent()) ?? "";
  const child = Bun.spawn([...command, code], { cwd: ROOT, stderr: "inherit" });
  expect([client, await child.exited]).toEqual([client, 0]);
  return await new Response(child.stdout).text();
}

test("creates an environment, whose code works, and calls it by methods and tools", async () => {
  await open("/playground", async (page) => {
    await page.getByLabel("The agent acts as").selectOption("U01AGENTONE");
    await page.getByRole("button", { name: "Create an environment" }).click();
    expect(JSON.parse(await runCode(page, "curl", "sh", "-c"))).toMatchObject({ ok: true });
    await runCode(page, "TypeScript SDK", "bun", "-e");
    await page.getByRole("button", { name: "MCP" }).click();
    const config = await page.getByRole("region", { name: "Code" }).locator("pre").textContent();
    const { mcpServers } = JSON.parse(config?.split("\n\n//")[0] ?? "");
    const environmentId = new URL(page.url()).searchParams.get("environment");
    expect(mcpServers.chat.url).toBe(`${program.url}/api/env/${environmentId}/services/chat/mcp`);

    const form = page.getByRole("region", { name: "Try a call" });
    const call = form.getByRole("button", { name: "Call", exact: true });
    await form.getByRole("button", { name: "methods" }).click();
    await form.getByLabel("Name").selectOption("chat.postMessage");
    await form.getByLabel("Arguments").fill('{ "channel": "C01GENERAL", "text": "From the form" }');
    await call.click();
    const messages = form.getByRole("region", { name: "Changes of messages" });
    await messages.getByText("From the form").waitFor();
    await form.getByText("HTTP 200").waitFor();

    await form.getByRole("button", { name: "tools" }).click();
    await form.getByLabel("Name").selectOption("slack_send_message");
    expect(JSON.parse(await form.getByLabel("Arguments").inputValue())).toHaveProperty(
      "channel_id",
    );
    await form.getByLabel("Arguments").fill("nothing");
    await call.click();
    await form.getByText("The arguments are no JSON").waitFor();
    const args = { channel_id: "C01GENERAL", message: "From the tool" };
    await form.getByLabel("Arguments").fill(JSON.stringify(args));
    await call.click();
    await messages.getByText("From the tool", { exact: true }).waitFor();

    const { runs } = (await program.get(`/runs?environmentId=${environmentId}`)).body;
    expect(runs.map(({ labels }: { labels: object }) => labels)).toEqual([
      { from: "playground" },
      { from: "playground" },
    ]);
  });
});

test("calls GraphQL; the environment's own run keeps its changes", async () => {
  const environment = await program.environment({
    templateService: "tracker",
    templateName: "tracker_default",
    impersonateUserId: "b0000000-0000-4000-8000-000000000001",
  });
  const { environmentId } = environment;
  await open(`/playground?environment=${environmentId}&try=operations`, async (page) => {
    await page.getByText("Replace TOKEN").waitFor();
    const form = page.getByRole("region", { name: "Try a call" });
    const call = form.getByRole("button", { name: "Call", exact: true });
    await form.getByLabel("Name").selectOption("issueCreate");
    await call.click();
    const issues = form.getByRole("region", { name: "Changes of issues" });
    await issues.getByText("Hello", { exact: true }).waitFor();

    const runId = await startRun(program, environmentId);
    await form.getByLabel("Name").selectOption("teams");
    await call.click();
    await form.getByText("The environment's run records them").waitFor();
    const link = form.getByRole("link", { name: "run" });
    expect(await link.getAttribute("href")).toBe(`/console/runs/${runId}`);
  });
});
