/** The explorer of the API, and the guide, in a browser. */
import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { takePicture, useBrowser, violationsOf } from "../support/browser";
import { eventually, useDatabase } from "../support/database";
import { useProgram } from "../support/program";
import { JOHN } from "../support/tracker";
import { useUsers } from "../support/users";

const database = useDatabase();
const program = useProgram(database);
const production = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });
const users = useUsers(database, "alice");
const browser = useBrowser();

/** Operations are rendered near the view only. */
const viewport = { width: 1_200, height: 3_000 };

const groups = (page: Page) => page.locator(".opblock-tag");
const operations = (page: Page) => page.locator(".opblock");

/** Opens an operation by the filter. `id`: its tag and its id. */
async function open(page: Page, id: string): Promise<Locator> {
  await page.getByPlaceholder("Filter").fill(id.replace("-", " "));
  const operation = page.locator(`#operations-${id}`);
  await operation.waitFor();
  const isOpen = (await operation.getAttribute("class"))?.includes("is-open");
  if (!isOpen) await operation.locator(".opblock-summary-control").click();
  return operation;
}

/** Tries an operation as it is. Returns the status of its answer. */
async function tryAsItIs(page: Page, id: string): Promise<{ status: number; text: string }> {
  const operation = await open(page, id);
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table .response").first();
  const status = Number(await answer.locator(".response-col_status").textContent());
  const text = (await answer.locator(".highlight-code").first().textContent()) ?? "";
  return { status, text };
}

const pathOf = (operation: Locator) =>
  operation.locator('tr[data-param-name="envId"] input').inputValue();

test("groups are collapsed at first; the filter opens those with a match", async () => {
  await browser.with(program.url, { viewport }, async (page) => {
    await page.goto(`${program.url}/docs`);
    await groups(page).first().waitFor();
    expect(await groups(page).count()).toBeGreaterThan(6);
    expect(await operations(page).count()).toBe(0);
    const filter = page.getByPlaceholder("Filter");

    await filter.fill("postMessage");
    await page.locator("#operations-chat-chatPostMessage").waitFor();
    expect(await groups(page).count()).toBe(1);
    // By the words of a summary, too.
    await filter.fill("end check");
    await page.locator("#operations-runs-evaluateRun").waitFor();
    await filter.fill("there is no such thing");
    await operations(page).first().waitFor({ state: "detached" });
    await filter.fill("");
    await eventually(async () => expect(await groups(page).count()).toBeGreaterThan(6));
    expect(await operations(page).count()).toBe(0);

    const links = await page
      .locator(".info a")
      .evaluateAll((all) => all.map((link) => (link as unknown as { pathname: string }).pathname));
    expect(links).toEqual(expect.arrayContaining(["/docs/guide", "/docs/reference"]));
  });
});

test("examples work as they are, without a network: a template, the newest environment, its run (S149)", async () => {
  await program.environment({
    templateService: "tracker",
    templateName: "tracker_default",
    impersonateUserId: JOHN,
  });
  await browser.with(program.url, { viewport }, async (page) => {
    await page.goto(`${program.url}/docs`);
    const health = await tryAsItIs(page, "health-getHealth");
    expect(health.text).toContain('"service": "diorama"');
    const created = await tryAsItIs(page, "environments-initEnv");
    expect(created.status).toBe(201);
    const [, environmentId = ""] = /"environmentId": "(\w+)"/.exec(created.text) ?? [];

    const steps: [id: string, status: number, text: string][] = [
      ["runs-startRun", 201, `"status": "running"`],
      ["chat-chatPostMessage", 200, '"ok": true'],
      ["chat-conversationsHistoryViaGet", 200, '"ok": true'],
      ["tracker-graphql", 200, '"identifier": "ENG-'],
      ["runs-diffRun", 200, '"inserts"'],
      ["runs-listRunCalls", 200, '"name": "chat.postMessage"'],
      ["suites-getTestSuite", 200, '"testCount"'],
      ["environments-deleteEnvironment", 200, environmentId],
    ];
    for (const [id, status, text] of steps) {
      const answer = await tryAsItIs(page, id);
      expect([id, answer.status]).toEqual([id, status]);
      expect(answer.text).toContain(text);
    }
    // The one that is left.
    const operation = await open(page, "environments-getEnvironment");
    const { body } = await program.get("/environments?status=active");
    expect(await pathOf(operation)).toBe(body.environments[0].environmentId);
  });
});

test("an operation can be executed only after its parameters and body are there", async () => {
  await browser.with(program.url, { viewport }, async (page) => {
    await page.goto(`${program.url}/docs`);
    await page.getByPlaceholder("Filter").fill("runs diffRun");
    const operation = page.locator("#operations-runs-diffRun");
    await operation.waitFor();

    // After every change of the document. References are resolved some time after the operation opens.
    await page.evaluate(`{
      const operation = document.querySelector("#operations-runs-diffRun");
      window.offeredEarly = [];
      new MutationObserver(() => {
        const isOffered = operation.querySelector("button.execute")?.disabled === false;
        if (isOffered && !operation.querySelector("textarea"))
          window.offeredEarly.push(operation.innerText);
      }).observe(operation, { subtree: true, childList: true, attributes: true });
      operation.querySelector(".opblock-summary-control").click();
    }`);
    await operation.locator("button.execute:enabled").waitFor();
    expect(await operation.locator("textarea").inputValue()).toContain('"runId"');
    expect(await page.evaluate("window.offeredEarly")).toEqual([]);
  });
});

test("authorization is kept over a reload, in the tab, and follows the console's key", async () => {
  const key = users.alice["X-API-Key"]!;
  const { environmentId } = await production.environment({}, { "X-API-Key": key });
  await browser.with(
    production.url,
    { viewport },
    async (page) => {
      await page.goto(`${production.url}/docs`);
      expect((await tryAsItIs(page, "environments-listEnvironments")).status).toBe(401);

      await page.getByRole("button", { name: "Authorize" }).click();
      const dialog = page.locator(".dialog-ux");
      await dialog.locator("input").first().fill(key);
      await dialog.getByRole("button", { name: "Apply credentials" }).first().click();
      await dialog.getByRole("button", { name: "Close" }).first().click();
      await page.reload();
      const listed = await tryAsItIs(page, "environments-listEnvironments");
      expect(listed.status).toBe(200);
      expect(await pathOf(await open(page, "environments-getEnvironment"))).toBe(environmentId);

      await page.goto(`${production.url}/console/environments`);
      await page.getByTitle(environmentId, { exact: true }).waitFor();
      await page.getByRole("button", { name: "Forget key" }).click();
      await page.goto(`${production.url}/docs`);
      expect((await tryAsItIs(page, "environments-listEnvironments")).status).toBe(401);
      const stored = "[localStorage.length, document.cookie]";
      expect(await page.evaluate(stored)).toEqual([0, ""]);
    },
    /401 \(Unauthorized\)/,
  );
});

test.each(["light", "dark"] as const)("one main, and no violation (%s)", async (colorScheme) => {
  await browser.with(program.url, { viewport, colorScheme }, async (page) => {
    await page.goto(`${program.url}/docs`);
    await groups(page).first().waitFor();
    expect(await page.locator("main").count()).toBe(1);
    await page.getByRole("button", { name: "Authorize" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await tryAsItIs(page, "environments-initEnv");
    // The markup of an open operation is the explorer's own: its colours and names are ours.
    expect(await violationsOf(page, ["color-contrast", "label", "select-name"])).toEqual([]);
  });
});

test("explorer and guide follow the colours of the system", async () => {
  await browser.with(program.url, { colorScheme: "dark" }, async (page) => {
    const background = (element: string) =>
      page.evaluate(`getComputedStyle(document.${element}).backgroundColor`) as Promise<string>;
    await page.goto(`${program.url}/docs`);
    await groups(page).first().waitFor();
    expect(await background("documentElement")).toBe("rgb(28, 32, 34)");
    await takePicture(page, "explorer-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await eventually(async () =>
      expect(await background("documentElement")).not.toBe("rgb(28, 32, 34)"),
    );

    await page.goto(`${program.url}/docs/guide`);
    expect(await background("body")).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await background("body")).toBe("rgb(13, 17, 23)");
    await page.getByRole("main").getByRole("link", { name: "Suites" }).click();
    await page.getByRole("main").getByRole("link", { name: "/docs/reference/suites" }).click();
    expect(await page.title()).toBe("Built-in suites – Diorama");
    await page.getByRole("navigation").getByRole("link", { name: "Settings", exact: true }).click();
    expect(await page.getByRole("cell", { name: "DATABASE_URL", exact: true }).count()).toBe(1);
  });
});
