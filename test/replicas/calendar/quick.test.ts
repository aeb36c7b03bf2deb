/** Events from one line of text. */
import { beforeAll, expect, test } from "bun:test";
import { expectStatus } from "../../support/program";
import { type Environment, TEAM, useScene } from "./scene";

const scene = useScene();
const EVENTS = "calendars/primary/events";
/** A Friday; in London summer time begins on Sunday, 29 March. */
const NOW = "2026-03-27T09:00:00Z";
const FROZEN = { clock: { mode: "frozen", now: NOW } };

let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment(FROZEN);
});
const pathOf = (text: string) => `${EVENTS}/quickAdd?text=${encodeURIComponent(text)}`;
const add = (text: string) => scene.send(environment, "POST", pathOf(text));

const at = (day: string, from: string, to: string, offset = "Z") => ({
  start: { dateTime: `${day}T${from}:00${offset}`, timeZone: "Europe/London" },
  end: { dateTime: `${day}T${to}:00${offset}`, timeZone: "Europe/London" },
});
const days = (from: string, to: string) => ({ start: { date: from }, end: { date: to } });
const SUMMER = "+01:00";

test.each([
  ["Lunch with Robin tomorrow at noon", "Lunch with Robin", at("2026-03-28", "12:00", "13:00")],
  ["Review on Monday 14:00-15:30", "Review", at("2026-03-30", "14:00", "15:30", SUMMER)],
  ["Call with John noon-1pm Monday", "Call with John", at("2026-03-30", "12:00", "13:00", SUMMER)],
  ["Plan 11am - noon tomorrow", "Plan", at("2026-03-28", "11:00", "12:00")],
  ["Sync today at 3pm for 45 minutes", "Sync", at("2026-03-27", "15:00", "15:45")],
  ["Workshop for an hour and a half today 1pm", "Workshop", at("2026-03-27", "13:00", "14:30")],
  ["For 1 hour 30 minutes: draft, today 1pm", "draft", at("2026-03-27", "13:00", "14:30")],
  [
    "Stand-up for half an hour 30 March 10:00",
    "Stand-up",
    at("2026-03-30", "10:00", "10:30", SUMMER),
  ],
  ["Check-in in 2 hours", "Check-in", at("2026-03-27", "11:00", "12:00")],
  ["Call New York 2026-03-30 9am EST", "Call New York", at("2026-03-30", "15:00", "16:00", SUMMER)],
  ["From 10 to 11:30 tomorrow: interview", "interview", at("2026-03-28", "10:00", "11:30")],
  ["Party tomorrow evening", "Party", at("2026-03-28", "20:00", "21:00")],
  ["Offsite July 4 - July 6", "Offsite", days("2026-07-04", "2026-07-07")],
  ["Conference on 1 April for 2 days", "Conference", days("2026-04-01", "2026-04-03")],
  ["Write the report", "Write the report", days("2026-03-27", "2026-03-28")],
  ["Check in Tuesday", "Check", days("2026-03-31", "2026-04-01")],
])("%p", async (text, summary, span) => {
  const event = await add(text);

  expect(event).toMatchObject({ summary, ...span, eventType: "default", status: "confirmed" });
  expect(event).not.toHaveProperty("location");
});

test.each([
  ["Dinner with Michael 7PM tomorrow at Cafe Roma", "Dinner with Michael", "Cafe Roma"],
  ["Appointment at Somewhere on June 3rd 10am-10:25am", "Appointment", "Somewhere"],
  ["Planning in room 4 today 2pm", "Planning", "room 4"],
])("%p has a place", async (text, summary, location) => {
  expect(await add(text)).toMatchObject({ summary, location });
});

test("a change of the clock does not shift the time of a day", async () => {
  const skipped = await add("Too early 29 March 1:30am for 30 minutes");

  expect(skipped.start.dateTime).toBe("2026-03-29T02:30:00+01:00");
});

test("the length is that of the user's setting, in the zone of the calendar, which has the event alone", async () => {
  const { sql } = scene.database;
  const other = await scene.environment(FROZEN);
  await sql`
    update ${sql(`${other.schemaName}.users`)} set settings = ${sql.json({ defaultEventLength: "25" })}
  `;
  const changes = await scene.changesOf(other, () =>
    scene.send(other, "POST", `${TEAM}/events/quickAdd?text=Retro%20today%203pm`),
  );

  expect(changes).toMatchObject({ updates: [], deletes: [] });
  expect(changes.inserts).toHaveLength(1);
  const [{ summary, start, end }] = changes.inserts;
  expect(summary).toBe("Retro");
  expect(Date.parse(end.dateTime) - Date.parse(start.dateTime)).toBe(25 * 60_000);
});

test.each([
  ["", 400, "required"],
  ["?text=", 400, "required"],
  ["?text=%20", 400, "required"],
  [`?text=${"a".repeat(1_025)}`, 400, "invalidParameter"],
])("the query %p is rejected", async (query, status, reason) => {
  const answer = await scene.call(environment, "POST", `${EVENTS}/quickAdd${query}`);

  expectStatus({ ...answer, body: answer.body } as never, status);
  expect(answer.body.error.errors[0].reason).toBe(reason);
});

test("a text of any form is read", async () => {
  for (const part of [
    "1 ",
    "10:00 ",
    "monday ",
    "for 1 hour ",
    "from 1 to ",
    "12/",
    "at A ",
    "\u0000",
    "💥",
    "noon-noon ",
    "in 99999 years ",
    "Feb 31 25:61 ",
  ]) {
    const { status } = await scene.call(environment, "POST", pathOf(part.repeat(60)));
    expect([part, status < 500]).toEqual([part, true]);
  }
});
