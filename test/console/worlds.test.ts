/** The worlds look like their services: days, people, emoji, colours, and times by the clock of the environment. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { violationsOf, waitUntilLoaded } from "../support/browser";
import { eventually } from "../support/database";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { graphql } from "./scene";

const { program, open } = useConsole();
const FROZEN = { clock: { mode: "frozen", now: "2026-02-14T10:00:00.000Z" } };
const AGENT = "b0000000-0000-4000-8000-000000000001";

let chat: any;
let tracker: any;
beforeAll(async () => {
  const at = (time: string) => `${Date.parse(time) / 1000}.000100`;
  const say = (time: string, user: string, text: string) => ({
    ...{ channel: "general", ts: at(`2026-02-${time}:00Z`), user, text },
  });
  const answer = await program.post("/templates/import", {
    name: "days_of_talk",
    service: "chat",
    seed: {
      extends: "chat_base",
      messages: [
        say("11T09:00", "john", "The first day :ship: :tada:, and :no_such_emoji: stays"),
        say("13T09:00", "john", "```\nconst a = 1 &lt; 2;\n```\n&gt; a quote\nafter it"),
        say("13T09:02", "john", "A moment later"),
        say("13T09:30", "john", "Half an hour later"),
        say("14T09:00", "robin", "At 10:30:45, with :+1::skin-tone-3:"),
      ],
    },
  });
  expectStatus(answer, 201);
  chat = await program.environment({ templateName: "days_of_talk", ...FROZEN });
  tracker = await program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: AGENT },
    ...FROZEN,
  });
});
const at = (environment: { environmentId: string }, query = "") =>
  `/environments/${environment.environmentId}${query}`;

test("days divide a conversation, by the clock of the environment", async () => {
  await open(at(chat), async (page) => {
    await page.getByText("A moment later").waitFor();
    await waitUntilLoaded(page);
    expect(await page.locator(".day").allTextContents()).toEqual([
      expect.stringContaining("Wednesday"),
      "Yesterday",
      "Today",
    ]);
    expect(await page.locator(".day").first().textContent()).toBe("Wednesday, 11 February 2026");
    await page.getByText("clock 14 Feb 2026, 10:00").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});

test("messages of a moment share the picture of their author", async () => {
  await open(at(chat), async (page) => {
    const article = (text: string) => page.getByRole("article").filter({ hasText: text });
    await article("A moment later").waitFor();
    expect(await article("A moment later").locator(".avatar").count()).toBe(0);
    expect(await article("Half an hour later").locator(".avatar").textContent()).toBe("JD");
    // For those who only hear the page, each has its author.
    expect(await article("A moment later").locator("strong").textContent()).toBe("John Doe");
  });
});

test("short codes are emoji, code and quotes are blocks", async () => {
  const topic = "Ask <@U02JOHNADOE> &amp; see :ship: <https://acme.test/plan|the plan>";
  await program.chat(chat, "conversations.setTopic", { channel: "C01GENERAL", topic });
  await open(at(chat), async (page) => {
    await page.locator(".room > header").getByText("& see 🚢 the plan").waitFor();
    await page.getByText("The first day 🚢 🎉, and :no_such_emoji: stays").waitFor();
    await page.getByText("At 10:30:45, with 👍🏼").waitFor();
    const quoting = page.getByRole("article").filter({ hasText: "after it" });
    expect(await quoting.locator("pre").textContent()).toBe("const a = 1 < 2;\n");
    expect(await quoting.locator("blockquote").textContent()).toBe("a quote");
  });
});

test("a board has the colours of the data, priorities as signs, and people as pictures", async () => {
  await open(at(tracker), async (page) => {
    await page.getByText("ENG-2", { exact: true }).waitFor();
    const { workflowStates } = await graphql(
      program,
      tracker,
      '{ workflowStates(filter: { name: { eq: "In Progress" } }) { nodes { color } } }',
    );
    const [{ color }] = workflowStates.nodes;
    const column = page.getByRole("region", { name: "In Progress", exact: true });
    const own = await column
      .locator("h3 .dot")
      .evaluate((dot: any) => dot.style.getPropertyValue("--own"));
    expect(own.toLowerCase()).toBe(color.toLowerCase());
    const card = column.getByRole("article").filter({ hasText: "ENG-2" });
    expect(await card.locator(".priority").getAttribute("title")).toBe("Urgent");
    expect(await card.locator(".avatar").textContent()).toBe("JD");
    expect(await card.locator(".labels .dot").count()).toBe(1);
  });
});

test("a board shows that columns follow, until the last one is in view", async () => {
  const check = async (page: Page) => {
    await page.getByText("ENG-2", { exact: true }).waitFor();
    const fades = page.locator(".fades");
    await eventually(async () => expect(await fades.getAttribute("class")).toContain("more"));
    await page.evaluate("document.querySelector('.board').scrollTo(1e6, 0)");
    await eventually(async () => expect(await fades.getAttribute("class")).not.toContain("more"));
  };
  await open(at(tracker), check, { viewport: { width: 900, height: 800 } });
});

test("the age of a comment is that in the environment", async () => {
  const { issues } = await graphql(program, tracker, "{ issues(first: 1) { nodes { id } } }");
  const { id } = issues.nodes[0];
  await graphql(
    program,
    tracker,
    "mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }",
    { input: { issueId: id, body: "Just written", createdAt: "2026-02-12T10:00:00.000Z" } },
  );
  await open(at(tracker, `?issue=${id}`), async (page) => {
    const comment = page
      .getByRole("dialog")
      .getByRole("article")
      .filter({ hasText: "Just written" });
    expect(await comment.locator("time").textContent()).toBe("2 d ago");
  });
});

test("an id of a template is shown as a whole where it is looked up, and by its end elsewhere", async () => {
  await open("/templates/tracker_default", async (page) => {
    await page.getByText(AGENT, { exact: true }).waitFor();
  });
  await open("/environments?service=tracker", async (page) => {
    await page.getByText("…00000001").first().waitFor();
  });
});
