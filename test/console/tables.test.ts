/** A service that the console knows nothing of: its tables, with what its runs changed. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { EnvironmentDetail, RunEvent } from "~/clients/typescript/schema";
import { createHistory } from "~/console/rebuilt";
import type { Ask, Rows } from "~/console/rows";
import type { RunData } from "~/console/run-data";
import { tablesAfter } from "~/console/services/tables/data";
import { tableRecords } from "~/console/services/tables/records";
import { violationsOf, waitUntilLoaded } from "../support/browser";
import { useConsole } from "./console";
import { chatScene, type Scene } from "./scene";

const { program, open } = useConsole();

const TEMPLATE: Rows = {
  mails: [
    { box: "in", number: 1, title: "First", body: "One", isRead: false },
    { box: "in", number: 2, title: "Second", body: "Two", isRead: false },
    { box: "out", number: 1, title: "Third", body: "Three", isRead: true },
  ],
  people: [{ id: "p1", name: "Ann", address: "ann@example.test" }],
};

/** A change of a mail. `columns`: new values; of a removal, the old ones. */
const change = (
  operation: RunEvent["operation"],
  box: string,
  number: number,
  columns: Record<string, unknown>,
): RunEvent => ({
  ...{ transaction: 1, operation, table: "mails", key: { box, number }, request: null },
  before: operation === "delete" ? columns : null,
  after: operation === "delete" ? null : columns,
});

describe("the tables after changes", () => {
  const after = (...events: RunEvent[]) =>
    (tablesAfter(TEMPLATE, events).get("mails") ?? []).map(({ row, change: mark }) => [
      `${row["box"]} ${row["number"]} ${row["title"]} ${row["isRead"]}`,
      mark,
    ]);
  const first = ["in 1 First false", undefined];
  const third = ["out 1 Third true", undefined];

  test("mark rows by their keys, whatever columns those have", () => {
    expect(
      after(
        change("update", "in", 2, { isRead: true }),
        change("insert", "out", 2, { title: "Fourth", isRead: true }),
        change("delete", "out", 1, TEMPLATE["mails"]?.[2] ?? {}),
      ),
    ).toEqual([
      first,
      ["in 2 Second true", "changed"],
      ["out 1 Third true", "removed"],
      ["out 2 Fourth true", "new"],
    ]);
  });

  test("mark nothing that is as it was, and miss what came and went", () => {
    expect(
      after(
        change("update", "in", 2, { isRead: true }),
        change("update", "in", 2, { isRead: false }),
        change("insert", "out", 2, { title: "Fourth" }),
        change("delete", "out", 2, { title: "Fourth" }),
      ),
    ).toEqual([first, ["in 2 Second false", undefined], third]);
  });

  test("have the rows of other tables, and tables that only changes name", () => {
    const event = { ...change("insert", "in", 1, { name: "Red" }), table: "labels" };
    const tables = tablesAfter(TEMPLATE, [event]);
    expect([...tables.keys()]).toEqual(["mails", "people", "labels"]);
    expect(tables.get("people")?.map(({ row }) => row)).toEqual([...(TEMPLATE["people"] ?? [])]);
    expect(tables.get("labels")?.map((each) => each.change)).toEqual(["new"]);
  });
});

test("the base of a run has whole rows that it changed, and no more than names of others", async () => {
  const ask = (async () => ({ rows: TEMPLATE })) as Ask;
  const environment = { templateSchema: "mail_default" } as EnvironmentDetail;
  const events = [change("update", "in", 2, { isRead: true })];
  const { mails, people } = await tableRecords.base(ask, environment, events);
  expect(mails?.[0]).toEqual({ title: "First" });
  expect(mails?.[1]).toEqual({ ...TEMPLATE["mails"]?.[1] });
  expect(people).toEqual([{ id: "p1", name: "Ann" }]);
});

test("a run rebuilds rows by the keys that its changes name", () => {
  const events = [
    change("update", "in", 2, { isRead: true }),
    change("update", "out", 1, { isRead: false }),
  ];
  const calls = [
    { n: 1, changes: [1] },
    { n: 2, changes: [2] },
  ];
  const data = {
    events,
    calls,
    base: TEMPLATE,
    attribution: "exact",
    sent: [],
  } as unknown as RunData;
  const history = createHistory(data, tableRecords);
  const shown = (count: number) =>
    history
      .placesAfter(count)
      .map(({ id, rows }) => [
        id,
        ...rows.map(({ row, changedBy }) => [row["title"], row["isRead"], changedBy]),
      ]);
  const first = ["First", false, undefined];
  expect(shown(0)).toEqual([]);
  expect(shown(1)).toEqual([["mails", first, ["Second", true, 1], ["Third", true, undefined]]]);
  expect(shown(2)).toEqual([["mails", first, ["Second", true, 1], ["Third", false, 2]]]);
  const [, second] = history.lines;
  expect(second && history.touched(second)[0]?.rows).toHaveLength(2);
});

describe("the pages of such a service", () => {
  let scene: Scene;
  let details: object;
  beforeAll(async () => {
    scene = await chatScene(program);
    details = (await program.get(`/env/${scene.environmentId}`)).body;
  });

  /** Answers the environment as one of a service that the console does not know. */
  const asUnknown = (page: Page) =>
    page.route(`**/api/platform/env/${scene.environmentId}`, (route) =>
      route.fulfill({ json: { ...details, service: "notes" } }),
    );
  const openAs = (path: string, use: (page: Page) => Promise<void>) =>
    open("/suites", async (page) => {
      await asUnknown(page);
      await page.goto(`${program.url}/console${path}`);
      await use(page);
    });

  test("an environment shows its tables, and the calls that changed them", async () => {
    await openAs(`/environments/${scene.environmentId}?table=messages`, async (page) => {
      const rows = page.getByRole("region", { name: "Rows of messages" }).getByRole("row");
      const changed = rows.filter({ hasText: "Hello all of you" });
      await changed.getByText("new by call 5").waitFor();
      expect(await changed.getAttribute("class")).toBe("tinted");
      const old = rows.filter({ hasText: "Welcome to Acme!" });
      expect(await old.getAttribute("class")).toBeNull();
      await page.getByLabel("Table").selectOption("channels");
      const channels = page.getByRole("region", { name: "Rows of channels" }).getByRole("row");
      await channels.filter({ hasText: "launch" }).getByText("new by call 6").waitFor();
      await page.getByLabel("Filter").fill("launch");
      expect(await channels.count()).toBe(2);
      await waitUntilLoaded(page);
      expect(await violationsOf(page)).toEqual([]);
    });
  });

  test("a run shows the rows of each table that its calls changed", async () => {
    await openAs(`/runs/${scene.runId}`, async (page) => {
      const world = page.getByRole("region", { name: "The world at a call" });
      await world.getByRole("heading", { name: "reactions" }).waitFor();
      const places = await world.getByRole("heading", { level: 3 }).allTextContents();
      expect(places).toContain("messages");
      expect(places).toContain("channels");
      await world.getByText("launch").waitFor();
    });
  });

  test("the playground has its tools, and no code but for them", async () => {
    await openAs(`/playground?environment=${scene.environmentId}`, async (page) => {
      await page.getByRole("region", { name: "Try a call" }).getByLabel("Name").waitFor();
      const group = (name: string) => page.getByRole("group", { name }).getByRole("button");
      expect(await group("Kind of call").allTextContents()).toEqual(["tools"]);
      expect(await group("Client").allTextContents()).toEqual(["MCP"]);
    });
  });
});
