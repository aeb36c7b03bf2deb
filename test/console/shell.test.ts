/** The console as it is served, and the frame of its pages. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { waitUntilLoaded } from "../support/browser";
import { assetsOf, PLACES, SCRIPTS_MAX, STYLE_MAX, sizesOf } from "../support/console";
import { useProgram } from "../support/program";
import { useConsole } from "./console";

const { database, program, browser, open } = useConsole();

describe("the files", () => {
  test("the page is not stored, allows nothing foreign and answers at every path", async () => {
    const first = await fetch(`${program.url}/console`);
    expect(first.headers.get("cache-control")).toBe("no-store");
    expect(first.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = first.headers.get("content-security-policy");
    expect(policy).toStartWith("default-src 'self'; img-src 'self' data: blob:;");
    expect(policy).not.toContain("unsafe");
    const script = /<script[^>]+>/.exec(await first.text())?.[0];
    for (const path of [
      "/console/",
      "/console/runs/1",
      "/console/a/b/c?d=e",
      "/console/__proto__/1",
    ])
      expect(await (await fetch(program.url + path)).text()).toContain(script ?? "none");
  });

  test("names of assets contain their hash, so they are cached without expiry", async () => {
    const pages = await Promise.all(
      PLACES.map(async (place) => await (await fetch(`${program.url}/console${place}`)).text()),
    );
    const paths = new Set(pages.flatMap(assetsOf));
    expect(paths.size).toBeGreaterThan(PLACES.length);
    for (const path of paths) {
      expect(path).toMatch(/^\/console\/assets\/chunk-[a-z0-9]{8}\./);
      const { status, headers } = await fetch(program.url + path);
      expect([status, headers.get("cache-control")]).toEqual([
        200,
        "public, max-age=31536000, immutable",
      ]);
    }
    expect((await fetch(`${program.url}/console/assets/chunk-00000000.js`)).status).toBe(404);
    expect((await fetch(`${program.url}/console`, { method: "HEAD" })).status).toBe(200);
  });

  test.each(PLACES)("scripts and style sheet of %s stay within their budgets", async (place) => {
    const { scripts, styles } = await sizesOf((path) => fetch(program.url + path), place);
    expect(scripts).toBeWithin(10_000, SCRIPTS_MAX);
    expect(styles).toBeWithin(1_000, STYLE_MAX);
  });
});

test("/ leads browsers to the console, and gives other clients the addresses", async () => {
  const html = await fetch(program.url, {
    headers: { Accept: "text/html,*/*;q=0.8" },
    redirect: "manual",
  });
  expect([html.status, html.headers.get("location")]).toEqual([302, "/console"]);
  const addresses = (await (await fetch(program.url)).json()) as Record<string, string>;
  expect(addresses).toMatchObject({ service: "diorama", console: "/console", docs: "/docs" });
  for (const path of Object.values(addresses).filter((value) => value.startsWith("/")))
    expect([path, (await fetch(program.url + path)).status]).toEqual([path, 200]);
});

describe("the keyboard", () => {
  test("reaches every page, and ? lists the shortcuts", async () => {
    await open("", async (page) => {
      await page.keyboard.press("Tab");
      expect(await page.locator(":focus").textContent()).toBe("Skip to the content");
      await page.keyboard.press("?");
      const help = page.getByRole("dialog", { name: "Keyboard" });
      await help.getByText("Go to the environments").waitFor();
      await page.keyboard.press("Escape");
      await help.waitFor({ state: "detached" });
      await page.keyboard.press("g");
      await page.keyboard.press("e");
      await page.getByRole("heading", { name: "Environments", level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/console/environments");
      await page.keyboard.press("/");
      await page.keyboard.type("nothing has this");
      await page.waitForURL(({ searchParams }) => searchParams.get("q") === "nothing has this");
      await page.goBack();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
    });
  });
});

const PRIVATE_SUITE = {
  name: "A suite of Alice",
  visibility: "private",
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENTONE",
  tests: [
    {
      name: "Say hello",
      prompt: "Say hello.",
      expectedOutput: { assertions: [{ diff_type: "added", entity: "messages" }] },
    },
  ],
};

describe("in production", () => {
  const production = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });

  async function newKey(userId: string): Promise<string> {
    const pool = connect(database.url, { max: 1, name: "test", camel: true });
    try {
      const options = { userId, name: "", plan: "enterprise", expiresInDays: null } as const;
      return (await createKey(pool, options)).key;
    } finally {
      await pool.end();
    }
  }

  test("no page shows data without a key, and none of another user with one", async () => {
    const [alice, bob] = [await newKey("alice"), await newKey("bob")];
    const own = { "X-API-Key": alice };
    const { environmentId } = await production.environment({}, own);
    const { body: run } = await production.post("/startRun", { envId: environmentId }, own);
    const { body: suite } = await production.post("/testSuites", PRIVATE_SUITE, own);
    const lists = ["", "/environments", "/runs", "/suites", "/templates", "/playground"];
    const pages = [
      ...[`/environments/${environmentId}`, `/runs/${run.runId}`, `/suites/${suite.suiteId}`],
      ...["/templates/chat_default", `/playground?environment=${environmentId}`],
    ];
    const secrets = [environmentId.slice(-8), run.runId.slice(-8), PRIVATE_SUITE.name];
    const shown = async (page: Page) => {
      await waitUntilLoaded(page);
      const text = (await page.locator("main").textContent()) ?? "";
      return secrets.filter((secret) => text.includes(secret));
    };
    // The browser logs each answer 401, and 404 for objects of another user.
    const denied = /(401 \(Unauthorized\)|404 \(Not Found\))/;
    const enter = async (page: Page, key: string) => {
      await page.getByLabel("Key", { exact: true }).fill(key);
      await page.getByRole("button", { name: "Open" }).click();
    };
    await browser.with(
      production.url,
      {},
      async (page) => {
        for (const path of [...lists, ...pages]) {
          await page.goto(`${production.url}/console${path}`);
          await page.getByRole("heading", { name: "API key" }).waitFor();
          expect(await page.locator("main").textContent()).toStartWith("API key");
          expect(await page.locator("main table, main .tiles, main article").count()).toBe(0);
        }
        await page.goto(`${production.url}/console/environments`);
        await enter(page, "diorama_wrong");
        await page.getByText("The server does not accept this key.").waitFor();
        await enter(page, bob);
        await page.getByText("No environments.").waitFor();
        for (const path of [...lists, ...pages.slice(0, 3)]) {
          await page.goto(`${production.url}/console${path}`);
          await page.getByRole("heading", { level: 1 }).waitFor();
          // The heading of a page has the id of its address.
          expect([path, await shown(page)]).toEqual([
            path,
            secrets.filter((secret) => path.includes(secret)),
          ]);
          expect(await page.locator("main article, main .tiles .number").count()).toBe(0);
        }
        await page.goto(`${production.url}/console/environments`);

        await page.getByRole("button", { name: "Forget key" }).click();
        await enter(page, alice);
        await page.getByTitle(environmentId, { exact: true }).waitFor();
        await page.reload();
        await page.getByTitle(environmentId, { exact: true }).waitFor();
        expect(await page.context().cookies()).toEqual([]);
      },
      denied,
    );
  });
});
