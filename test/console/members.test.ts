/** A world has a tab for each service, and its run is one timeline with the service of each call. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { EnvironmentDetail, RunEvent } from "~/clients/typescript/schema";
import { createHistory } from "~/console/rebuilt";
import type { Ask, Rows } from "~/console/rows";
import type { RunData } from "~/console/run-data";
import { memberOf } from "~/console/services/member";
import { recordsOf } from "~/console/services/records";
import { violationsOf, waitUntilLoaded } from "../support/browser";
import { expectStatus } from "../support/program";
import { useConsole } from "./console";
import { graphql, startRun } from "./scene";

const { program, open } = useConsole();

const TEAM = "c0000000-0000-4000-8000-000000000001";
const CREATE =
  "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }";
const COMMENT =
  "mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }";

let world: any;
let runId: string;
beforeAll(async () => {
  world = await program.environment({
    ...{ templateService: "world", templateName: "acme", impersonateUserId: undefined },
    impersonateEmail: "agent@acme.test",
  });
  const chat = { environmentUrl: world.services.chat.url };
  const tracker = { environmentUrl: world.services.tracker.url };
  runId = await startRun(program, world.environmentId);
  const text = "The build is broken";
  await program.chat(chat, "chat.postMessage", { channel: "C01GENERAL", text });
  const input = { teamId: TEAM, title: "Repair the build" };
  const { issueCreate } = await graphql(program, tracker, CREATE, { input });
  const comment = { issueId: issueCreate.issue.id, body: "Seen in **chat**" };
  await graphql(program, tracker, COMMENT, { input: comment });
  await program.chat(chat, "chat.postMessage", { channel: "C02RANDOM", text: "Filed" });
  expectStatus(await program.post("/diffRun", { runId }), 200);
});

test("a row of its run leads to its place in the tab of its service", async () => {
  const said = { diff_type: "added", entity: "chat_messages", where: { text: "Filed" } };
  const suite = await program.post("/testSuites", {
    name: `Worlds ${crypto.randomUUID()}`,
    ...{ templateService: "world", templateName: "acme" },
    tests: [{ name: "File it", prompt: "File it.", expectedOutput: { assertions: [said] } }],
  });
  expectStatus(suite, 201);
  const { body } = await program.get(`/testSuites/${suite.body.suiteId}?expand=true`);
  const { environmentId, services } = (
    await program.post("/initEnv", {
      ...{ templateService: "world", templateName: "acme" },
      impersonateEmail: "agent@acme.test",
    })
  ).body;
  const filing = await startRun(program, environmentId, { testId: body.tests[0].id });
  const message = { channel: "C02RANDOM", text: "Filed" };
  await program.chat({ environmentUrl: services.chat.url }, "chat.postMessage", message);
  expectStatus(await program.post("/evaluateRun", { runId: filing }), 200);
  await open(`/runs/${filing}`, async (page) => {
    const why = page.getByRole("region", { name: "Why" });
    await why.getByRole("link", { name: "#random" }).click();
    await page.getByRole("article").getByText("Filed").waitFor();
    expect(page.url()).toEndWith(`/environments/${environmentId}?service=chat&channel=C02RANDOM`);
  });
});

describe("one service of a world", () => {
  const services = {
    chat: { url: "/chat", mcpUrl: "/chat/mcp", userId: "U1" },
    tracker: { url: "/tracker", mcpUrl: "/tracker/mcp", userId: null },
  };
  const acme = {
    service: "world",
    services,
    templateSchema: "acme",
  } as unknown as EnvironmentDetail;

  test("is as an environment of its own", () => {
    expect(memberOf(acme, "chat")).toMatchObject({
      ...{ service: "chat", environmentUrl: "/chat", mcpUrl: "/chat/mcp", impersonateUserId: "U1" },
    });
    expect(memberOf(acme, "tracker").impersonateUserId).toBe("");
    const alone = { ...acme, service: "chat" } as EnvironmentDetail;
    expect(memberOf(alone, "chat")).toBe(alone);
  });

  test("gives a run its places, and the rest of the world its own", async () => {
    const template: Rows = {
      chat_users: [{ id: "U1", name: "ann", real_name: "Ann" }],
      chat_channels: [{ id: "C1", name: "general" }],
      tracker_users: [{ id: "T1", name: "Ann" }],
      tracker_teams: [{ id: "E1", name: "Engineering" }],
    };
    const ask = (async (path: string) => {
      const wanted = new URL(path, "http://server").searchParams.get("tables")?.split(",") ?? [];
      const rows = Object.entries(template).filter(([table]) => wanted.includes(table));
      return { rows: Object.fromEntries(rows) };
    }) as Ask;
    const added = (table: string, key: object, after: object) =>
      ({ operation: "insert", table, key, after, before: null }) as unknown as RunEvent;
    const events = [
      added("chat_messages", { channel_id: "C1", ts: "1" }, { text: "Hi", user_id: "U1" }),
      added("tracker_issues", { id: "I1" }, { title: "Crash", identifier: "ENG-1" }),
      added("mail_letters", { id: "L1" }, { title: "A letter" }),
    ];
    const calls = [1, 2, 3].map((n) => ({ n, changes: [n] }));
    const records = recordsOf("world");

    const base = await records.base(ask, { ...acme, status: "deleted" }, events);
    const data = { events, calls, base, attribution: "exact", sent: [] } as unknown as RunData;
    const history = createHistory(data, records);

    expect(history.lines.map((line) => history.touched(line).map(({ id }) => id))).toEqual([
      ["C1"],
      ["I1"],
      ["mail_letters"],
    ]);
    expect(["C1", "U1", "T1", "I1", "L1"].map((id) => history.names.get(id))).toEqual([
      ...["#general", "Ann", "Ann", "ENG-1", "A letter"],
    ]);
  });
});

test("an environment has a tab for each service, with its own view and marks", async () => {
  await open(`/environments/${world.environmentId}`, async (page) => {
    const changed = page.getByRole("article").filter({ hasText: "The build is broken" });
    await changed.getByText("new by call 1").waitFor();
    await waitUntilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("As user").selectOption("U02JOHNADOE");

    await page.getByRole("group", { name: "Service" }).getByText("tracker").click();

    // The user of chat is none of the tracker.
    expect(new URL(page.url()).search).toBe("?service=tracker");
    const card = page.locator(".card.tinted");
    await card.getByText("Repair the build").waitFor();
    // The marks may be there before the calls.
    await card.locator(".by").getByText("new by call 3", { exact: true }).waitFor();
    await waitUntilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
  });
});

test("a service in which the person has no account is shown by its tables", async () => {
  const part = await program.environment({
    ...{ templateService: "world", templateName: "acme", impersonateUserId: undefined },
    impersonateEmail: "agent@acme.test",
  });
  const details = (await program.get(`/env/${part.environmentId}`)).body;
  const services = { ...details.services, chat: { ...details.services.chat, userId: null } };
  await open("/suites", async (page) => {
    await page.route(`**/api/platform/env/${part.environmentId}`, (route) =>
      route.fulfill({ json: { ...details, services } }),
    );
    await page.goto(`${program.url}/console/environments/${part.environmentId}?table=channels`);
    const rows = page.getByRole("region", { name: "Rows of channels" }).getByRole("row");
    await rows.filter({ hasText: "random" }).waitFor();
    const tables = await page.getByLabel("Table").getByRole("option").allTextContents();
    expect(tables).toContain("messages");
    expect(tables.filter((name) => /issues|_messages/.test(name))).toEqual([]);
  });
});

test("a run is one timeline, whose calls name their services and show their places", async () => {
  await open(`/runs/${runId}`, async (page) => {
    const call = (n: number) => page.getByRole("article", { name: `Call ${n}`, exact: true });
    for (const [n, service] of ["chat", "tracker", "tracker", "chat"].entries())
      await call(n + 1)
        .getByText(service, { exact: true })
        .waitFor();
    await call(1).getByRole("heading", { name: "#general" }).waitFor();
    await call(1).getByText("The build is broken").last().waitFor();
    await call(3).getByText("commented").waitFor();
    const moment = page.getByRole("region", { name: "The world at a call" });
    await moment.getByRole("heading", { name: "#random" }).waitFor();
    await moment.getByText("Repair the build").first().waitFor();
    await page.getByLabel("Filter").fill("tracker issueCreate");
    await page.getByRole("status").getByText("1 of 4").waitFor();
    await waitUntilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.getByText("__service__").count()).toBe(0);
  });
});

test("lists and the playground show the services", async () => {
  await open("/environments?service=world", async (page) => {
    const id = page.getByTitle(world.environmentId, { exact: true });
    await page.getByRole("row").filter({ has: id }).getByText("chat, tracker").waitFor();
  });
  await open("/playground?template=acme", async (page) => {
    await page.getByLabel("The agent acts as").selectOption({ label: "John Doe" });
    await page.getByRole("button", { name: "Create an environment" }).click();
    const tabs = page.getByRole("group", { name: "Service" });
    const code = page.getByRole("region", { name: "Code" });
    await code.getByText("chat.postMessage").first().waitFor();
    await tabs.getByText("tracker").click();
    await code.getByText("createIssue").waitFor();
    const form = page.getByRole("region", { name: "Try a call" });
    await form.getByLabel("Name").selectOption("issueCreate");
    await form.getByRole("button", { name: "Call", exact: true }).click();
    await form.getByRole("region", { name: "Changes of tracker_issues" }).waitFor();
  });
  await open("/templates/acme?part=world", async (page) => {
    await page.getByRole("button", { name: "Show the world" }).click();
    await page.getByRole("group", { name: "Service" }).getByText("tracker").waitFor();
    await page.getByRole("article").first().waitFor();
  });
  await open("/templates/acme", async (page) => {
    const ids = page.getByRole("region", { name: "Ids" });
    await ids.getByText("chat_channels").first().waitFor();
    await ids.getByText("tracker_teams").first().waitFor();
  });
});
