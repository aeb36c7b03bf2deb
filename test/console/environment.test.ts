/** The actions of the page of an environment. */
import { expect, test } from "bun:test";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { startRun } from "./scene";

const { program, open } = useConsole();

const LONGER_THAN_A_POLL_MS = 2_500;

test("an environment is extended, forked, reset and deleted", async () => {
  const environment = await program.environment();
  const { environmentId } = environment;
  const message = { channel: "C01GENERAL", text: "Only until the reset" };
  await program.chat(environment, "chat.postMessage", message);
  const detailsOf = async (id: string) => (await program.get(`/env/${id}`)).body;
  await open(`/environments/${environmentId}`, async (page) => {
    const posted = page.getByRole("article").filter({ hasText: message.text });
    await posted.waitFor();
    await page.getByText("ends in 29 min").waitFor();
    await page.getByRole("button", { name: "Extend" }).click();
    await page.getByText("ends in 59 min").waitFor();

    await page.getByRole("button", { name: "Fork" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(environmentId));
    await posted.waitFor();
    const fork = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect((await detailsOf(fork)).parentEnvironmentId).toBe(environmentId);

    const dialog = page.getByRole("dialog");
    const menu = page.getByRole("button", { name: /^Actions on/ });
    await menu.click();
    await page.getByRole("button", { name: "Reset" }).click();
    await dialog.getByRole("button", { name: "Reset" }).click();
    await posted.waitFor({ state: "detached" });
    await page.getByText("Welcome to Acme!").waitFor();

    await menu.click();
    await page.getByRole("button", { name: "Delete" }).click();
    // It names what it deletes.
    await dialog.getByTitle(fork, { exact: true }).waitFor();
    await dialog.getByText("chat_default (chat)").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    expect((await detailsOf(fork)).status).toBe("active");
    await menu.click();
    await page.getByRole("button", { name: "Delete" }).click();
    // While a busy server deletes it, the page does not ask for its world, which would be answered with 404.
    await page.route(`**/env/${fork}`, async (route) => {
      const response = await route.fetch();
      await Bun.sleep(LONGER_THAN_A_POLL_MS);
      await route.fulfill({ response });
    });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Environments", level: 1 }).waitFor();
    expect((await detailsOf(fork)).status).toBe("deleted");
    const row = page
      .getByRole("row")
      .filter({ has: page.getByTitle(environmentId, { exact: true }) });
    await row.getByRole("button", { name: /^Actions on/ }).click();
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByTitle(environmentId, { exact: true }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect((await detailsOf(environmentId)).status).toBe("deleted");
  });
});

test("an environment that is deleted elsewhere has ended on its page too", async () => {
  const { environmentId } = await program.environment();
  await startRun(program, environmentId); // the page polls no environment in a run
  await open(`/environments/${environmentId}`, async (page) => {
    await page.getByText("Welcome to Acme!").waitFor();
    expectStatus(await program.call("DELETE", `/env/${environmentId}`), 200);
    await page.getByText("This environment has ended.").waitFor();
    expect(await page.getByRole("button", { name: "Extend" }).count()).toBe(0);
  });
});
