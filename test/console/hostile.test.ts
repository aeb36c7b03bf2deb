/** Content that others wrote, on every page that shows it: as text, bounded, and without effect. */
import { beforeAll, expect, test } from "bun:test";
import { waitUntilLoaded } from "../support/browser";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { graphql, startRun } from "./scene";

const { program, open } = useConsole();

const MARKUP = '<img src=x onerror="window.executed=1"><b>bold</b>';
/** Markup, a script, text from right to left with an override, joined emoji, and links that execute. */
const HOSTILE = `${MARKUP}<script>window.executed=1</script> \u202Egnp\u202C مرحبا 👩‍👩‍👧 [a](javascript:window.executed=1)`;
const LINK = "javascript:window.executed=1";
const LARGE = `${HOSTILE} ${"large ".repeat(170_000)}`;
/** The longest text that the tracker accepts. */
const LONGEST = LARGE.slice(0, 250_000);
/** Of the document: each of the texts has more. */
const CHARACTERS_MAX = 240_000;

type Case = { readonly name: string; readonly path: () => string; readonly shows: string };
const PAGES: Case[] = [
  { name: "chat", path: () => `/environments/${chat}`, shows: MARKUP },
  { name: "chat-of-template", path: () => `/environments/${copy}`, shows: MARKUP },
  { name: "tracker", path: () => `/environments/${tracker}`, shows: MARKUP },
  { name: "tracker-list", path: () => `/environments/${tracker}?view=list`, shows: MARKUP },
  { name: "issue", path: () => `/environments/${tracker}?issue=${issue}`, shows: MARKUP },
  { name: "run-chat", path: () => `/runs/${chatRun}`, shows: MARKUP },
  { name: "run-tracker", path: () => `/runs/${trackerRun}`, shows: MARKUP },
  { name: "runs", path: () => "/runs", shows: MARKUP },
  { name: "overview", path: () => "", shows: MARKUP },
  { name: "suites", path: () => "/suites", shows: MARKUP },
  { name: "suite", path: () => `/suites/${suite}`, shows: MARKUP },
  { name: "templates", path: () => "/templates", shows: MARKUP },
  { name: "template", path: () => "/templates/hostile", shows: MARKUP },
];

let chat: string;
let chatRun: string;
let copy: string;
let tracker: string;
let trackerRun: string;
let issue: string;
let suite: string;
beforeAll(async () => {
  await Promise.all([writeSuiteAndChat(), writeTracker(), writeTemplate()]);
});

async function writeSuiteAndChat(): Promise<void> {
  const made = await program.post("/testSuites", {
    name: HOSTILE,
    description: HOSTILE,
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    tests: [
      {
        name: HOSTILE,
        prompt: HOSTILE.repeat(200),
        expectedOutput: {
          assertions: [{ diff_type: "added", entity: "messages", where: { text: HOSTILE } }],
        },
      },
    ],
  });
  expectStatus(made, 201);
  suite = made.body.suiteId;
  const { body } = await program.get(`/testSuites/${suite}?expand=true`);
  const environment = await program.environment();
  chat = environment.environmentId;
  const labels = { model: HOSTILE.slice(0, 100) };
  chatRun = await startRun(program, chat, { testId: body.tests[0].id, labels });
  const call = async (method: string, args: object) => {
    const answer = await program.chat(environment, method, { channel: "C01GENERAL", ...args });
    expect([method, answer.ok, answer.error]).toEqual([method, true, undefined]);
  };
  await call("conversations.setTopic", { topic: HOSTILE });
  await call("chat.postMessage", { text: HOSTILE, username: HOSTILE });
  await call("chat.postMessage", { text: `<${LINK}|click me> ${"x".repeat(30_000)}` });
  const most = LARGE.slice(0, 5_000); // the service accepts little more
  const attachment = { title: most, title_link: LINK, text: most, pretext: HOSTILE };
  await call("chat.postMessage", { text: "An attachment", attachments: [attachment] });
  expectStatus(await program.post("/evaluateRun", { runId: chatRun }), 200);
}

async function writeTracker(): Promise<void> {
  const environment = await program.environment({
    templateService: "tracker",
    templateName: "tracker_default",
    impersonateUserId: "b0000000-0000-4000-8000-000000000001",
  });
  tracker = environment.environmentId;
  trackerRun = await startRun(program, tracker);
  const create = async (type: string, input: object): Promise<string> => {
    const name = `${type}Create`;
    const kind = `${type[0]?.toUpperCase()}${type.slice(1)}CreateInput`;
    const query = `mutation($input: ${kind}!) { ${name}(input: $input) { ${type} { id } } }`;
    return (await graphql(program, environment, query, { input }))[name][type].id;
  };
  const { teams } = await graphql(program, environment, "{ teams { nodes { id } } }");
  const teamId = teams.nodes[0].id;
  const label = await create("issueLabel", { name: LARGE.slice(0, 500), teamId });
  const projectId = await create("project", { name: LARGE.slice(0, 500), teamIds: [teamId] });
  const fields = { teamId, projectId, labelIds: [label], title: HOSTILE, description: LONGEST };
  issue = await create("issue", fields);
  await create("comment", { issueId: issue, body: LONGEST });
  expectStatus(await program.post("/diffRun", { runId: trackerRun }), 200);
}

async function writeTemplate(): Promise<void> {
  const seed = {
    extends: "chat_base",
    users: [
      {
        id: "U0HOSTILE",
        name: "hostile",
        real_name: LARGE.slice(0, 600_000),
        email: "h@acme.test",
      },
    ],
    messages: [{ channel: "general", ts: "1767603600.731938", user: "hostile", text: HOSTILE }],
  };
  const template = { name: "hostile", service: "chat", description: HOSTILE, seed };
  expectStatus(await program.post("/templates/import", template), 201);
  copy = (await program.environment({ templateName: "hostile" })).environmentId;
}

test.each(PAGES)("$name", async ({ path, shows }) => {
  await open(path(), async (page) => {
    await page.getByText(shows).and(page.locator(":not(option)")).first().waitFor();
    await waitUntilLoaded(page);
    const found = (await page.evaluate(`({
      executed: window.executed,
      elements: document.querySelectorAll("main :is(img, script, iframe, b, i)").length,
      links: document.querySelectorAll('a[href^="javascript:" i]').length,
      characters: document.documentElement.outerHTML.length,
    })`)) as { characters: number };
    expect(found).toEqual({
      executed: undefined,
      elements: 0,
      links: 0,
      characters: expect.any(Number),
    } as never);
    expect(found.characters).toBeLessThan(CHARACTERS_MAX);
  });
});
