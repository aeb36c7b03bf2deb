/** A calendar environment in the browser: week, agenda, busy times, one event, and what a run changed. */
import { beforeAll, expect, test } from "bun:test";
import { missedByKeyboard, violationsOf, waitUntilLoaded } from "../support/browser";
import { eventually } from "../support/database";
import { useConsole } from "./console";
import { calendarScene, type Scene } from "./scene";

const { program, open } = useConsole();

let scene: Scene;
beforeAll(async () => {
  scene = await calendarScene(program);
});

test("a week shows the events at their hours, and tints what differs from the template", async () => {
  await open(`/environments/${scene.environmentId}`, async (page) => {
    const monday = page.getByRole("region", { name: "Mon 5" });
    const moved = monday.getByRole("button", { name: /Stand-up/ });
    await moved.getByText("changed by call 2").waitFor();
    expect(await moved.getByText("11:00–11:15").count()).toBe(1);
    const wednesday = page.getByRole("region", { name: "Wed 7" });
    const removed = wednesday.getByRole("button", { name: /Planning/ });
    await removed.getByText("removed by call 4").waitFor();
    const thursday = page.getByRole("region", { name: "Thu 8" });
    await thursday
      .getByRole("button", { name: /Budget of May/ })
      .getByText("new by call 5")
      .waitFor();
    const release = thursday.getByRole("button", { name: /Release 4.3/ });
    expect(await release.locator(".by").count()).toBe(0);
    // An event is as high as it is long, and stands below the earlier one.
    const [first, second] = [
      await thursday.getByRole("button", { name: /Budget of May/ }).boundingBox(),
      await release.boundingBox(),
    ];
    expect(Math.round(second!.y - first!.y)).toBe(4 * 44);

    await thursday.getByRole("button", { name: /Budget of May/ }).click();
    const opened = page.getByRole("region", { name: "Event" });
    await opened.getByText("Robin Ray").or(opened.getByText("robin@acme.test")).first().waitFor();
    await opened.getByText(/^Thursday,? 8 January 2026, 10:00–11:00/).waitFor();
    await waitUntilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
    expect(await missedByKeyboard(page)).toEqual([]);
  });
});

test("another person sees the own calendar in the own zone", async () => {
  await open(`/environments/${scene.environmentId}`, async (page) => {
    await page.getByLabel("As user").selectOption("robin@acme.test");
    await page.getByText("Times in Europe/Berlin").waitFor();
    const monday = page.getByRole("region", { name: "Mon 5" });
    await monday
      .getByRole("button", { name: /Stand-up/ })
      .getByText("12:00–12:15")
      .waitFor();
    await page.getByRole("button", { name: /Dentist/ }).waitFor({ state: "detached" });
  });
});

test("the agenda lists two weeks, and one goes on to others", async () => {
  await open(`/environments/${scene.environmentId}?view=agenda`, async (page) => {
    const tuesday = page.getByRole("region", { name: /^Tuesday,? 6 January 2026$/ });
    await tuesday.getByRole("listitem").filter({ hasText: "Login review" }).waitFor();
    await tuesday.getByText("changed by call 3").waitFor();
    await page.getByRole("button", { name: "Later" }).click();
    await page.getByText("No events in these days.").waitFor();
    await page.getByRole("button", { name: "Today" }).click();
    await tuesday.waitFor();
  });
});

test("busy times of people stand below each other", async () => {
  await open(`/environments/${scene.environmentId}?view=people&day=2026-01-07`, async (page) => {
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("John Doe").getByText("busy 08:30–09:30").waitFor();
    await eventually(async () => expect(await row("Robin Ray").getByText("free").count()).toBe(1));
    await waitUntilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("As user").selectOption("robin@acme.test");
    await row("John Doe").getByText("not shared").waitFor();
  });
});

test("a run shows the events, answers and rules that its calls changed, by calendar", async () => {
  await open(`/runs/${scene.runId}`, async (page) => {
    const world = page.getByRole("region", { name: "The world at a call" });
    await world.getByRole("heading", { name: "Agent Smith" }).waitFor();
    await world.getByText("Budget of May").first().waitFor();
    const review = world.locator(".place", { hasText: "Login review (ENG-2)" });
    await review.getByText("agent@acme.test accepted").waitFor();
    expect(await world.getByText("shared with").count()).toBe(1);
    await waitUntilLoaded(page);
    expect(await violationsOf(page)).toEqual([]);
  });
});

test("the playground calls any operation of the API", async () => {
  await open(`/playground?environment=${scene.environmentId}`, async (page) => {
    const form = page.getByRole("region", { name: "Try a call" });
    await form.getByLabel("Name").selectOption("GET calendar/v3/users/me/calendarList");
    await form.getByRole("button", { name: "Call" }).click();
    await form.getByText("Dates that concern all of us").waitFor();
  });
});
