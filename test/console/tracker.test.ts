/** A tracker environment in the browser: its board, with what changed tinted, and its issues. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../support/database";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { graphql, type Scene, startRun, trackerScene } from "./scene";
import { ADDED_MAX, mostAdded } from "./scrolling";

const FIRST = '{ issues(filter: { title: { eq: "Task 0." } }) { nodes { id } } }';
const RENAME =
  "mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }";

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
    await filed.locator(".by").getByText("new by call 4", { exact: true }).waitFor();
    const tinted = await page.locator(".card.tinted").count();
    expect([tinted, await page.locator(".card").count()]).toEqual([2, 6]);

    await page.getByLabel("Team").selectOption("ENG");
    await filed.waitFor({ state: "detached" });
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

describe("a list of 1,500 issues", () => {
  let environment: { environmentId: string; environmentUrl: string };
  beforeAll(async () => {
    const answer = await program.post("/templates/import", {
      name: "many_issues",
      service: "tracker",
      seed: {
        extends: "tracker_base",
        issues: Array.from({ length: 1_500 }, (_, n) => ({
          identifier: `ENG-${n + 1_000}`,
          title: `Task ${n}.`,
          state: "Todo",
          priority: n % 5,
          creator: "john",
          createdAt: new Date(Date.UTC(2026, 1, 1) + 60_000 * n).toISOString(),
        })),
      },
    });
    expectStatus(answer, 201);
    environment = await program.environment({
      templateService: "tracker",
      templateName: "many_issues",
      impersonateUserId: "b0000000-0000-4000-8000-000000000001",
    });
    await startRun(program, environment.environmentId);
  });

  test("has all of them as one scrolls, and few in the document", async () => {
    await open(`${pathTo(environment)}?view=list`, async (page) => {
      const list = page.getByRole("region", { name: "Issues" });
      const rows = list.getByRole("article");
      await list.getByText("Task 1499.").waitFor();
      await page.getByText("250 issues, more as you scroll").waitFor();
      await eventually(async () => {
        await page.evaluate("document.querySelector('.virtual').scrollTo(0, 1e9)");
        expect(await list.getByText("Task 0.").count()).toBe(1);
      });
      expect(await rows.count()).toBeLessThan(100);
      const count = await page.getByRole("status").filter({ hasText: "issues" }).textContent();
      expect(count).toBe("1,500 issues");

      const [{ id }] = (await graphql(program, environment, FIRST)).issues.nodes;
      await graphql(program, environment, RENAME, { id, input: { title: "Renamed far below" } });
      await list.getByText("Renamed far below").waitFor();
      expect(await list.locator(".tinted").count()).toBe(1);

      await page.keyboard.press("/");
      await page.keyboard.type("eng-1234");
      await list.getByText("Task 234.").waitFor();
      await eventually(async () => expect(await rows.count()).toBe(1));
      await page.getByLabel("View").selectOption("board");
      await page.getByRole("region", { name: "Board" }).getByText("Task 234.").waitFor();
    });
  });

  test("scrolls by rendering only what comes into view", async () => {
    await open(`${pathTo(environment)}?view=list`, async (page) => {
      await page.getByText("Task 1499.").waitFor();
      expect(await mostAdded(page, "Issues", 1)).toBeLessThan(ADDED_MAX);
    });
  });
});
