/** The timeline of a run: what others changed between the calls, and the events that calls and others caused. */
import { expect, test } from "bun:test";
import type { Call, EnvironmentEvent, RunEvent } from "~/clients/typescript/schema";
import { type TimelineData, timelineOf } from "~/console/timeline";
import { violationsOf } from "../support/browser";
import { expectStatus } from "../support/program";
import { APP } from "../support/socket-mode";
import { useConsole } from "./console";
import { startRun } from "./scene";

const { program, open } = useConsole();

const JOHN = "U02JOHNADOE";
const FROZEN = { clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" } };

const call = (n: number, changes: number[]) =>
  ({ n, changes, request: `r${n}` }) as unknown as Call;
const change = (actor?: RunEvent["actor"]) => ({ actor }) as unknown as RunEvent;
const event = (n: number, by: string, request: string | null = null) =>
  ({ n, cause: { by, request } }) as unknown as EnvironmentEvent;
const shown = (data: Partial<TimelineData>) =>
  timelineOf({ calls: [], events: [], sent: [], attribution: "exact", ...data }).lines.map(
    ({ by, changes, sent, upTo }) => [by, changes.length, sent.map(({ n }) => n), upTo],
  );

test("changes of others stand after the call that changed something before them", () => {
  const counterpart = change("counterpart");
  const events = [
    change("clock"),
    change(),
    counterpart,
    counterpart,
    change(),
    change(),
    counterpart,
  ];
  const calls = [call(1, []), call(2, [2]), call(3, []), call(4, [5])];
  expect(shown({ calls, events })).toEqual([
    ["clock", 1, [], 1],
    [1, 0, [], 0],
    [2, 1, [], 2],
    ["counterpart", 2, [], 4],
    [3, 0, [], 2],
    [4, 1, [], 5],
    [0, 1, [], 6],
    ["counterpart", 1, [], 7],
  ]);
  const pending = { calls, events, attribution: "pending" } as const;
  expect(shown(pending).map(([by]) => by)).toEqual([1, 2, 3, 4]);
});

test("events stand with their calls, or after the call with an event before them", () => {
  const calls = [call(1, []), call(2, [])];
  const sent = [
    event(1, "hand"),
    event(2, "call", "r1"),
    event(3, "call", "r1"),
    event(4, "counterpart"),
    event(5, "call", "r2"),
    event(6, "call", "of another run"),
  ];
  expect(shown({ calls, sent })).toEqual([
    [0, 0, [1], 0],
    [1, 0, [2, 3], 0],
    ["counterpart", 0, [4], 0],
    [2, 0, [5], 0],
    [0, 0, [6], 0],
  ]);
});

test("the page of a run marks counterparts, and shows who received which event; that of the environment, their state", async () => {
  const environment = await program.environment({
    ...FROZEN,
    counterparts: [
      {
        ...{ name: "john-answers", as: JOHN },
        when: { diff_type: "added", entity: "messages", where: { text: "Hello" } },
        say: { text: "Hello back" },
      },
      { name: "john-asks", as: JOHN, at: "PT5M", say: { channel: "C01GENERAL", text: "News?" } },
    ],
    events: { apps: [{ app: APP, events: ["message.channels", "reaction_added"] }] },
  });
  const runId = await startRun(program, environment.environmentId);
  const { ts } = await program.chat(environment, "chat.postMessage", {
    ...{ channel: "C01GENERAL", text: "Hello" },
  });
  await program.chat(environment, "reactions.add", {
    channel: "C01GENERAL",
    timestamp: ts,
    name: "wave",
  });
  expectStatus(await program.post("/diffRun", { runId }), 200);
  await open(`/runs/${runId}`, async (page) => {
    const first = page.getByRole("article", { name: "Call 1", exact: true });
    await first.getByText("message.channels", { exact: true }).waitFor();
    expect(await first.getByText(`pending to ${APP}`).count()).toBe(1);
    const theirs = page.getByRole("article", { name: "By a counterpart" });
    expect(await theirs.first().getByText("1 message added").count()).toBe(1);
    expect(await theirs.first().textContent()).toContain("Hello back");
    const articles = await page.getByRole("article").all();
    const labels = await Promise.all(articles.map((each) => each.getAttribute("aria-label")));
    expect(labels).toEqual(["Call 1", "By a counterpart", "By a counterpart", "Call 2"]);
    await page.getByLabel("Show").selectOption("with events");
    await page.getByText("3 of 4").waitFor();
    await first.getByRole("button", { name: "1 chat.postMessage" }).click();
    await first.getByText("Payload").click();
    await first.locator(".sent pre").getByText('"text": "Hello"').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
  await open(`/environments/${environment.environmentId}`, async (page) => {
    await page.getByText("2 counterparts").click();
    const rows = page.getByRole("region", { name: "Counterparts" }).getByRole("row");
    const cells = async (name: string) =>
      await rows.filter({ hasText: name }).locator("th, td").allTextContents();
    expect((await cells("john-answers")).slice(0, 4)).toEqual([
      "john-answers",
      JOHN,
      "a row of messages is added",
      "1 time",
    ]);
    expect((await cells("john-asks")).slice(2, 4)).toEqual(["PT5M from the beginning", "0 times"]);
    await page.getByText("1 app with events").click();
    const app = page
      .getByRole("region", { name: "Apps" })
      .getByRole("row")
      .filter({ hasText: APP });
    expect(await app.textContent()).toContain("message.channels, reaction_added");
    expect(await violationsOf(page)).toEqual([]);
  });
});
