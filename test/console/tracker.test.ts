/** A tracker environment in the browser: its board, with what changed tinted, and its issues. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { useConsole } from "./console";
import { graphql, type Scene, startRun, trackerScene } from "./scene";

const { program, open } = useConsole();

let scene: Scene;
beforeAll(async () => {
  scene = await trackerScene(program);
});
const pathTo = ({ environmentId }: { environmentId: string }) => `/environments/${environmentId}`;

test("the board has the issues by state, and tints those that differ from the template", async () => {
  await open(pathTo(scene), async (page) => {
    const column = (name: string) => page.getByRole("region", { name, exact: true });
    const moved = column("Done")
      .getByRole("article")
      .filter({ hasText: "Draw all the empty states" });
    await moved.getByText("changed by call 3").waitFor();
    expect(await moved.getAttribute("title")).toContain("commentCreate");
    const filed = page.getByRole("article").filter({ hasText: "Draw the error states" });
    expect(await filed.locator(".by").textContent()).toBe("new by call 4");
    const tinted = await page.locator(".card.tinted").count();
    expect([tinted, await page.locator(".card").count()]).toEqual([2, 6]);

    await page.getByLabel("Team").selectOption("ENG");
    expect(await filed.count()).toBe(0);
    await page.getByLabel("Team").selectOption("");
    await page.getByRole("link", { name: "Draw all the empty states" }).click();
    const issue = page.getByRole("dialog");
    await issue.getByText("It is done now").waitFor();
    expect(await issue.locator("article.tinted strong").last().textContent()).toBe("done");
    await issue.getByText("renamed it to “Draw all the empty states”").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.searchParams.has("issue"));
    expect(await issue.count()).toBe(0);
  });
});

test("a board appears though reading the issues takes longer than the time between two reads", async () => {
  const check = async (page: Page) => {
    await page.route("**/graphql", async (route) => {
      await Bun.sleep(2_300);
      await route.continue();
    });
    await page.reload();
    await page.getByText("Draw the error states").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  };
  await open(pathTo(scene), check);
});

test("a change of an agent appears tinted, and what others wrote executes nothing", async () => {
  const environment = await program.environment({
    templateService: "tracker",
    templateName: "tracker_default",
    impersonateUserId: "b0000000-0000-4000-8000-000000000001",
  });
  await startRun(program, environment.environmentId);
  await open(pathTo(environment), async (page) => {
    await page.getByText("ENG-1", { exact: true }).waitFor();
    await Bun.sleep(500);
    const { teams } = await graphql(program, environment, "{ teams { nodes { id } } }");
    const title = '<img src=x onerror="window.executed = 1">';
    const description = [
      "[click](javascript:window.executed=1) <script>window.executed = 1</script>",
      "# مرحبا **bold** 👩‍👩‍👧",
      "- [x] done",
      "```\n<b>code</b>\n```",
    ].join("\n\n");
    await graphql(
      program,
      environment,
      "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }",
      { input: { teamId: teams.nodes[0].id, title, description } },
    );
    const card = page.locator(".card.tinted");
    await card.waitFor({ timeout: 2_500 });
    await card.getByRole("link", { name: title }).click();
    const issue = page.getByRole("dialog");
    await issue.getByText("<b>code</b>").waitFor();
    await issue.getByText("☑ done").waitFor();
    expect(await page.locator("main img, main script, main b").count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await page.evaluate("window.executed")).toBeUndefined();
  });
});
