/** Two runs side by side. */
import { beforeAll, expect, test } from "bun:test";
import { violationsOf } from "../support/browser";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { startRun, suiteScene } from "./scene";

const { program, open } = useConsole();

const HELLO = { channel: "C01GENERAL", text: "Hello" };
let testId: string;
/** Says hello, after it has read the channel; the other run says something else, and waves. */
let right: string;
let wrong: string;
beforeAll(async () => {
  const suiteId = await suiteScene(program);
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`);
  ({ id: testId } = body.tests[0]);
  const attempt = async (labels: object, act: (environment: any) => Promise<unknown>) => {
    const environment = await program.environment();
    const runId = await startRun(program, environment.environmentId, { testId, labels });
    await act(environment);
    expectStatus(await program.post("/evaluateRun", { runId }), 200);
    return runId;
  };
  const read = (environment: any) =>
    program.chat(environment, "conversations.history", { channel: HELLO.channel });
  wrong = await attempt({ model: "hasty" }, async (environment) => {
    const { ts } = await program.chat(environment, "chat.postMessage", { ...HELLO, text: "Bye" });
    await program.chat(environment, "reactions.add", {
      ...{ channel: HELLO.channel, timestamp: ts, name: "wave" },
    });
    await read(environment);
  });
  right = await attempt({ model: "careful" }, async (environment) => {
    await program.chat(environment, "conversations.list", {});
    await program.chat(environment, "chat.postMessage", HELLO);
    await read(environment);
  });
});

test("alike calls stand in one line, beside those that only one of the runs has", async () => {
  await open(`/runs/${right}`, async (page) => {
    await page.getByRole("link", { name: "Compare" }).click();
    const calls = page.getByRole("region", { name: "Calls side by side" });
    await calls.getByRole("cell", { name: "same", exact: true }).waitFor();
    const rows = await calls
      .getByRole("row")
      .evaluateAll((all) =>
        all.slice(1).map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
      );
    const short = rows.map(([relation, ...sides]) => [
      relation,
      ...sides.map((side) => /^\d+ (\S+\.[a-zA-Z]+?)(?=#| |\d|$)/.exec(side)?.[1] ?? ""),
    ]);
    expect(short).toEqual([
      ["only left", "conversations.list", ""],
      ["differs", "chat.postMessage", "chat.postMessage"],
      ["only right", "", "reactions.add"],
      ["same", "conversations.history", "conversations.history"],
    ]);
    expect(rows[1]?.[1]).toContain("Hello");
    expect(rows[1]?.[2]).toContain("Bye");
    expect(await violationsOf(page)).toEqual([]);

    const assertions = page.getByRole("region", { name: "Assertions side by side" });
    const [, holds, fails] = await assertions
      .getByRole("row")
      .nth(1)
      .locator("th, td")
      .allTextContents();
    expect([holds, fails]).toEqual(["Holds:  1 found", "Does not hold:  none found"]);
    const side = page.getByRole("region", { name: "Right run" });
    expect(await side.getByRole("link").getAttribute("href")).toBe(`/console/runs/${wrong}`);
    await side.getByText("model=hasty").waitFor();

    await page.getByRole("link", { name: "swap sides" }).click();
    await page.getByRole("region", { name: "Left run" }).getByText("model=hasty").waitFor();
    // Any other run of the test can stand at the right.
    const { body } = await program.get(`/runs?testId=${testId}`);
    const oldest = body.runs.at(-1).runId;
    await page.getByRole("combobox", { name: "Compare with" }).selectOption(oldest);
    await page
      .getByRole("region", { name: "Right run" })
      .getByRole("link", { name: oldest.slice(-8) })
      .waitFor();
  });
});

test("a test without another run says so", async () => {
  const wave = { diff_type: "added", entity: "reactions", where: { name: "wave" } };
  const suite = await program.post("/testSuites", {
    ...{ name: "One run", templateService: "chat", templateName: "chat_default" },
    tests: [{ name: "Once", prompt: "Wave.", expectedOutput: { assertions: [wave] } }],
  });
  const { body } = await program.get(`/testSuites/${suite.body.suiteId}?expand=true`);
  const { environmentId } = await program.environment();
  const runId = await startRun(program, environmentId, { testId: body.tests[0].id });
  await open(`/runs/${runId}?with=newest`, async (page) => {
    await page.getByText("This test has no other run.").waitFor();
  });
});
