/** The matrix of a suite. */
import { beforeAll, expect, test } from "bun:test";
import { violationsOf } from "../support/browser";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { startRun, suiteScene } from "./scene";

const { program, open } = useConsole();

let suiteId: string;
beforeAll(async () => {
  suiteId = await suiteScene(program);
});

test("shows what its tests do not notice, with what to write", async () => {
  await open(`/suites/${suiteId}`, async (page) => {
    await page.getByRole("link", { name: "Audit" }).click();
    const counts = page.getByRole("region", { name: "Mutants by test" });
    const row = counts.getByRole("row").filter({ hasText: "Say hello" });
    await row.waitFor();
    expect(Number(await row.getByRole("cell").nth(3).textContent())).toBeGreaterThan(0);
    await page
      .getByText('add "channel_id": "C01GENERAL" to where of assertion 1')
      .first()
      .waitFor();
    await page.getByText("add `closed_world: true`").first().waitFor();
    await page.getByRole("link", { name: "Attempts" }).click();
    await page.getByRole("region", { name: "Tests by attempts" }).waitFor();
  });
});

test("shows each attempt, its rates, and the difference of two columns", async () => {
  await open(`/suites/${suiteId}`, async (page) => {
    const matrix = page.getByRole("region", { name: "Tests by attempts" });
    const row = matrix.getByRole("row").filter({ hasText: "Say hello" });
    await row.getByText("1/2,").waitFor();
    expect(await row.locator(".square").count()).toBe(4);
    expect(await row.locator(".square.passed").count()).toBe(3);
    expect(await row.getByRole("cell").last().textContent()).toBe("−50.0 %");
    const heads = await matrix.getByRole("columnheader").allTextContents();
    expect(heads).toEqual([
      "Test",
      "first100 %, $0.12",
      "second25.0 %, $0.0313 unsafe",
      "Difference",
    ]);
    expect(await row.getByRole("cell").nth(1).textContent()).toEndWith("1/2, $0.031 1 unsafe");
    // Its figures are those of one value of the label each.
    const figures = page.getByRole("region", { name: "Figures by model" }).getByRole("row");
    const texts = await figures.evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent).slice(0, -1)),
    );
    expect(texts.slice(1)).toEqual([
      ["first", "100 %", "2", "100 %", "100 %", "4", "0", "1", "0", "$0.12"],
      ["second", "25.0 %", "2", "50.0 %", "0 %", "4", "0", "0.25", "3", "$0.031"],
    ]);
    expect(await row.locator(".square.unsafe").getAttribute("title")).toMatch(
      /^attempt 2: failed, reward 0, 1 unsafe, \d+\.\d s$/,
    );

    await page.getByRole("combobox", { name: /^Tests/ }).selectOption("flaky");
    expect(await matrix.getByRole("rowheader").allTextContents()).toEqual(["Say hello"]);
    await page.getByRole("combobox", { name: /^Tests/ }).selectOption("regressed");
    expect(await matrix.getByRole("rowheader").count()).toBe(2);
    await row.locator(".square.failed").click();
    await page.getByRole("heading", { name: "Why it failed" }).waitFor();
  });
});

test("leads to a page for each test: what it asks and expects in words, and the attempts at it", async () => {
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`);
  const [first, second] = body.tests;
  const { body: words } = await program.get(`/tests/${first.id}/words`);
  await open(`/suites/${suiteId}`, async (page) => {
    const matrix = page.getByRole("region", { name: "Tests by attempts" });
    const template = page.getByRole("link", { name: "chat_default" });
    await template.waitFor();
    expect(await template.getAttribute("href")).toBe("/console/templates/chat_default");
    await matrix.getByRole("link", { name: first.name }).click();
    await page.getByRole("heading", { level: 1, name: first.name }).waitFor();
    expect(page.url()).toContain(`/suites/${suiteId}/tests/${first.id}`);
    await page.getByText("Say hello in #general.").waitFor();
    await page.locator(".reasons").getByText(words.assertions[0].expected).waitFor();
    const figures = page.getByRole("region", { name: "Figures by model" });
    const row = figures.getByRole("row").filter({ hasText: "second" });
    const unsafe = row.locator(".square.failed.unsafe");
    await unsafe.nth(1).waitFor();
    expect(await unsafe.count()).toBe(2);
    expect(await row.getByRole("link", { name: "second" }).getAttribute("href")).toBe(
      `/console/runs?test=${first.id}&label=model%3Dsecond`,
    );
    expect(await violationsOf(page)).toEqual([]);
    await page.getByText("What this test does not notice").click();
    await page.getByText("add `closed_world: true`").first().waitFor();
    await page.getByText("As it is written").click();
    await page.getByText('"diff_type": "added"').waitFor();

    const main = page.locator("main");
    for (const [name, address] of [
      ["chat_default", "templates/chat_default"],
      ["all runs", `runs?test=${first.id}`],
    ] as const)
      expect(await main.getByRole("link", { name }).getAttribute("href")).toBe(
        `/console/${address}`,
      );
    await page.getByText("test 1 of 2").waitFor();
    await page.keyboard.press("]");
    await page.getByRole("heading", { level: 1, name: second.name }).waitFor();
    expect(await page.getByRole("link", { name: "Next test" }).count()).toBe(0);
    await page.getByRole("link", { name: "Previous test" }).click();
    await page.getByRole("heading", { level: 1, name: first.name }).waitFor();
    await row.locator(".square").first().click();
    await page
      .getByRole("navigation", { name: "Path" })
      .getByRole("link", { name: "Test" })
      .click();
    await page.getByRole("heading", { level: 1, name: first.name }).waitFor();
  });
});

/** The prompt below with its time. */
const AS_TOLD = /^It is \w+day \d+ \w+ \d{4}, \d\d:\d\d UTC\. Say hello, and wave\.$/;

test("a partial reward is beside the rate of a cell", async () => {
  const wave = { diff_type: "added", entity: "reactions", where: { name: "wave" } };
  const suite = await program.post("/testSuites", {
    name: `Partly ${crypto.randomUUID()}`,
    templateService: "chat",
    templateName: "chat_default",
    tests: [
      {
        name: "Hello and a wave",
        prompt: "It is {{now}}. Say hello, and wave.",
        expectedOutput: {
          assertions: [{ diff_type: "added", entity: "messages", where: { text: "Hello" } }, wave],
        },
      },
    ],
  });
  const testSuiteId = suite.body.suiteId;
  const { body } = await program.get(`/testSuites/${testSuiteId}?expand=true`);
  const environment = await program.environment();
  const fields = { testId: body.tests[0].id, testSuiteId, labels: { model: "half" } };
  const runId = await startRun(program, environment.environmentId, fields);
  await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "Hello" });
  expectStatus(await program.post("/evaluateRun", { runId }), 200);
  await open(`/suites/${testSuiteId}`, async (page) => {
    const cell = page.getByRole("region", { name: "Tests by attempts" }).getByRole("cell").first();
    await cell.getByText("0/1, reward 0.5").waitFor();
    expect(await cell.locator("> div").getAttribute("title")).toMatch(/s on average$/);
  });

  // The k of the page of a test is that of its pass@k: an attempt that is not graded does not count.
  const ended = await startRun(program, (await program.environment()).environmentId, fields);
  expectStatus(await program.post("/evaluateRun", { runId: ended, ending: "interrupted" }), 200);
  await open(`/suites/${testSuiteId}/tests/${fields.testId}`, async (page) => {
    const row = page.getByRole("region", { name: "Figures by model" }).getByRole("row").nth(1);
    await row.locator(".square").nth(1).waitFor();
    const figures = await row.getByRole("cell").allTextContents();
    expect(figures.slice(1, 7)).toEqual(["0 %", "1", "0 %", "0 %", "1", "1"]);
    await page.getByText(AS_TOLD).waitFor();
  });
  await open(`/runs/${runId}`, (page) => page.getByText(AS_TOLD).waitFor());
});

test("is exported as a file for a spreadsheet, a document, and a program", async () => {
  await open(`/suites/${suiteId}`, async (page) => {
    await page.getByRole("region", { name: "Tests by attempts" }).waitFor();
    const saved = async (format: string) => {
      await page.getByRole("button", { name: "Export the attempts" }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Export as ${format}` }).click(),
      ]);
      return { name: file.suggestedFilename(), text: await Bun.file(await file.path()).text() };
    };
    const csv = await saved("CSV");
    expect(csv.name).toBe(`${suiteId}.csv`);
    expect(csv.text.split("\r\n")).toHaveLength(6);
    expect(csv.text).toMatch(/,Say hello,second,2,2,2,1,1,0,1,1,0\.5,0\.0312,0\.5,1,0\r\n/);
    expect((await saved("Markdown")).text).toMatch(
      /\| Say hello \| 2\/2, reward 1, \$0\.12 \| 1\/2, reward 0\.5, 1 unsafe, \$0\.0312 \|/,
    );
    expect(JSON.parse((await saved("JSON")).text)).toMatchObject({ suiteId, groupBy: "model" });
  });
});

test("keeps the names of the tests in sight beside twelve labels, on a phone too", async () => {
  const labels = Array.from({ length: 12 }, (_, n) => `model-${n + 1}`);
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`);
  const [{ id: testId }] = body.tests;
  for (const wide of labels) {
    const { environmentId } = await program.environment();
    const fields = { testId, testSuiteId: suiteId, labels: { wide } };
    const runId = await startRun(program, environmentId, fields);
    expectStatus(await program.post("/evaluateRun", { runId }), 200);
  }
  await open(`/suites/${suiteId}?by=wide`, async (page) => {
    const matrix = page.getByRole("region", { name: "Tests by attempts" });
    await matrix.getByRole("columnheader", { name: /^model-9/ }).waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await matrix.evaluate((element) => element.scrollTo(10_000, 0));
      // Nothing of a column is cut, and a row stays low.
      const cells = matrix.locator("th, td").filter({ visible: true });
      const sizes = (await cells.evaluateAll((all) =>
        all.map(({ scrollWidth, clientWidth, clientHeight }) => [
          scrollWidth > clientWidth,
          clientHeight,
        ]),
      )) as [boolean, number][];
      expect(sizes.filter(([isCut, height]) => isCut || height > 90)).toEqual([]);
      const name = matrix.getByRole("rowheader").first();
      const [outer, inner] = [await matrix.boundingBox(), await name.boundingBox()];
      expect(Math.abs((inner?.x ?? 0) - (outer?.x ?? 0))).toBeLessThan(4);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
  });
});
