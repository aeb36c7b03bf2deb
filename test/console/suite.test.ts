/** The matrix of a suite. */
import { beforeAll, expect, test } from "bun:test";
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
    await row.getByText("1/2").waitFor();
    expect(await row.locator(".square").count()).toBe(4);
    expect(await row.locator(".square.passed").count()).toBe(3);
    expect(await row.getByRole("cell").last().textContent()).toBe("−50.0 %");
    const heads = await matrix.getByRole("columnheader").allTextContents();
    expect(heads[1]).toContain("firstpass@1 100 %, pass@2 100 %, pass^2 100 %4 graded");
    expect(heads[1]).toEndWith("reward 1, 4 successful, 0 unsafe");
    expect(heads[2]).toContain("secondpass@1 25.0 %, pass@2 50.0 %, pass^2 0 %");
    expect(heads[2]).toEndWith("reward 0.25, 1 successful, 3 unsafe");
    expect(await row.getByText("1/2").textContent()).toBe("1/2, reward 0.5, 1 unsafe");
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
    expect(csv.text).toMatch(/,Say hello,second,2,2,2,1,1,0,1,1,0\.5,0\.5,1,0\r\n/);
    expect((await saved("Markdown")).text).toMatch(
      /\| Say hello \| 2\/2, reward 1 \| 1\/2, reward 0\.5, 1 unsafe \|/,
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
      const name = matrix.getByRole("rowheader").first();
      const [outer, inner] = [await matrix.boundingBox(), await name.boundingBox()];
      expect(Math.abs((inner?.x ?? 0) - (outer?.x ?? 0))).toBeLessThan(4);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
  });
});
