/** Reminders by mail: when they fall due, and who gets them. */
import { describe, expect, test } from "bun:test";
import { expectRefusal, expectStatus } from "../../support/program";
import { JOHN, ROBIN, timed } from "./scene";
import { AGENT, useWorld } from "./world-scene";

const { database, program, environment: environmentWith, call: callWith } = useWorld("reminded");
const NOW = "2026-01-05T09:00:00.000Z";
const CLOCK = { clock: { now: NOW, mode: "frozen" } };

const environment = () => environmentWith(CLOCK);
type Environment = Awaited<ReturnType<typeof environment>>;

const call = (env: Environment, verb: string, path: string, body: object, person = AGENT) =>
  callWith(env, verb, `calendar/calendar/v3/${path}`, body, person);

const byMail = (...minutes: number[]) => ({
  reminders: {
    useDefault: false,
    overrides: minutes.map((each) => ({ method: "email", minutes: each })),
  },
});
const guests = (...emails: string[]) => ({ attendees: emails.map((email) => ({ email })) });
const NOON = { summary: "Lunch", ...timed("2026-01-08T12:00:00Z", "2026-01-08T13:00:00Z") };
const create = (env: Environment, body: object, calendar = "primary") =>
  call(env, "POST", `calendars/${calendar}/events`, { ...NOON, ...body });
const setDefaults = (env: Environment, minutes: number, person: string, calendar = person) =>
  call(
    env,
    "PATCH",
    `users/me/calendarList/${calendar}`,
    { defaultReminders: [{ method: "email", minutes }] },
    person,
  );

/** Moves the clock, and returns what is due, and the mails that this sends. */
async function advance({ environmentId: envId }: Environment, body: object) {
  const { body: run } = await program.post("/startRun", { envId });
  const moved = await program.post(`/env/${envId}/clock`, body);
  expectStatus(moved, 200);
  const include = { runId: run.runId, include: ["clock"] };
  const { body: ended } = await program.post("/diffRun", include);
  const mails = ended.diff.inserts
    .filter(({ __table__: table }: any) => table === "mail_messages")
    .map(({ mailbox, subject }: any) => [mailbox, subject])
    .toSorted();
  const effects = moved.body.effects.map(({ at, kind, id }: any) => {
    expect(kind).toBe("event_reminder");
    return [at, id];
  });
  return { mails, effects };
}

const of = (effects: [string, string][], id: string) => effects.filter(([, each]) => each === id);

describe("a reminder by mail", () => {
  test("is sent at its time, once, to the owner of the calendar", async () => {
    const env = await environment();
    const { id } = await create(env, byMail(60, 1440));
    const moved = await advance(env, { to: "2026-01-09T00:00:00Z" });

    expect(moved.effects).toEqual([
      ["2026-01-07T12:00:00.000Z", id],
      ["2026-01-08T11:00:00.000Z", id],
    ]);
    const subject = "Notification: Lunch @ Thu Jan 8, 2026 12pm - 1pm (GMT) (Agent)";
    expect(moved.mails.map(([mailbox]: string[]) => mailbox)).toEqual([AGENT, AGENT]);
    for (const [, text] of moved.mails) expect(text).toStartWith(subject.slice(0, -7));
    expect(await advance(env, { advance: "P1D" })).toEqual({ effects: [], mails: [] });
  });

  test("is sent at the end of a move, and not by one that ends before", async () => {
    const env = await environment();
    const { id } = await create(env, byMail(60));

    expect(await advance(env, { to: "2026-01-08T10:59:59Z" })).toEqual({ effects: [], mails: [] });
    const { effects } = await advance(env, { to: "2026-01-08T11:00:00Z" });
    expect(effects).toEqual([["2026-01-08T11:00:00.000Z", id]]);
  });

  test("follows the event to another time, and ends with it", async () => {
    const env = await environment();
    const moved = await create(env, byMail(60));
    const cancelled = await create(env, byMail(60));
    const later = timed("2026-01-10T12:00:00Z", "2026-01-10T13:00:00Z");
    await call(env, "PATCH", `calendars/primary/events/${moved.id}`, later);
    await call(env, "PATCH", `calendars/primary/events/${cancelled.id}`, { status: "cancelled" });
    const { effects } = await advance(env, { advance: "P7D" });

    expect(effects).toEqual([["2026-01-10T11:00:00.000Z", moved.id]]);
  });

  test("of whole days counts from the midnight of the calendar", async () => {
    const env = await environment();
    const day = { start: { date: "2026-01-08" }, end: { date: "2026-01-09" } };
    const { id } = await create(env, { ...day, ...guests(ROBIN) });
    await setDefaults(env, 30, ROBIN);
    const { effects, mails } = await advance(env, { to: "2026-01-09T00:00:00Z" });

    expect(of(effects, id)).toEqual([["2026-01-07T22:30:00.000Z", id]]);
    const subject = expect.stringContaining("Lunch @ Thu Jan 8, 2026 (");
    expect(mails).toContainEqual([ROBIN, subject]);
  });

  test("is found far away, and of a series at each of its times, also at changed ones", async () => {
    const env = await environment();
    const zone = { timeZone: "Europe/London" };
    const series = await create(env, {
      ...byMail(30),
      start: { ...NOON.start, ...zone },
      end: { ...NOON.end, ...zone },
      recurrence: ["RRULE:FREQ=MONTHLY;COUNT=5"],
    });
    const instance = (day: string) => `calendars/primary/events/${series.id}_${day}T120000Z`;
    await call(env, "PATCH", instance("20260208"), { summary: "Dinner", ...evening("2026-02-08") });
    await call(env, "PATCH", instance("20260308"), { status: "cancelled" });
    const { effects, mails } = await advance(env, { to: "2026-12-01T00:00:00Z" });

    expect(effects).toEqual([
      ["2026-01-08T11:30:00.000Z", `${series.id}_20260108T120000Z`],
      ["2026-02-08T17:30:00.000Z", `${series.id}_20260208T120000Z`],
      // Summer time: the same clock.
      ["2026-04-08T10:30:00.000Z", `${series.id}_20260408T110000Z`],
      ["2026-05-08T10:30:00.000Z", `${series.id}_20260508T110000Z`],
    ]);
    expect(mails.map(([, subject]: string[]) => subject?.split(" @")[0])).toEqual([
      "Notification: Dinner",
      ...["Notification: Lunch", "Notification: Lunch", "Notification: Lunch"],
    ]);
  });
});

const evening = (day: string) => timed(`${day}T18:00:00Z`, `${day}T19:00:00Z`);

describe("who is reminded", () => {
  test("guests by their own copy, unless they have declined", async () => {
    const env = await environment();
    const { id } = await create(env, guests(JOHN, ROBIN));
    const copy = (person: string) => `calendars/${person}/events/${id}`;
    await call(env, "PATCH", copy(JOHN), byMail(120), JOHN);
    await call(env, "PATCH", copy(ROBIN), byMail(120), ROBIN);
    const no = { attendees: [{ email: ROBIN, responseStatus: "declined" }] };
    await call(env, "PATCH", copy(ROBIN), no, ROBIN);
    const { mails } = await advance(env, { advance: "P7D" });

    expect(mails.map(([mailbox]: string[]) => mailbox)).toEqual([JOHN]);
  });

  test("everyone who has a calendar with such reminders in the list, but nobody of what is hidden", async () => {
    const env = await environment();
    const team = "c_team@group.calendar.google.com";
    await setDefaults(env, 15, AGENT, team);
    await setDefaults(env, 45, ROBIN, team);
    const shown = await create(env, {}, team);
    const hidden = await create(env, { visibility: "private" }, team);
    const { effects } = await advance(env, { advance: "P7D" });

    expect(of(effects, shown.id)).toEqual([
      ["2026-01-08T11:15:00.000Z", shown.id],
      ["2026-01-08T11:45:00.000Z", shown.id],
    ]);
    // Robin reads the calendar only.
    expect(of(effects, hidden.id)).toEqual([["2026-01-08T11:45:00.000Z", hidden.id]]);
  });

  test("nobody else of what a guest has made private in the own calendar", async () => {
    const env = await environment();
    const shown = await create(env, guests(JOHN));
    const hidden = await create(env, guests(JOHN));
    const copy = `calendars/${JOHN}/events/${hidden.id}`;
    await call(env, "PATCH", copy, { visibility: "private" }, JOHN);
    const entry = { id: JOHN, defaultReminders: [{ method: "email", minutes: 15 }] };
    await call(env, "POST", "users/me/calendarList", entry);
    const { effects } = await advance(env, { advance: "P7D" });

    expect(of(effects, shown.id)).toHaveLength(1);
    expect(of(effects, hidden.id)).toEqual([]);
  });

  test("nobody by pop-ups, and guests from outside neither", async () => {
    const env = await environment();
    await create(env, { ...guests("kim@elsewhere.test"), reminders: { useDefault: true } });

    expect(await advance(env, { advance: "P30D" })).toEqual({ effects: [], mails: [] });
  });
});

test("an environment of calendars alone reports the reminders", async () => {
  const env = await program.environment({
    ...{ templateService: "calendar", templateName: "calendar_default" },
    ...{ impersonateUserId: AGENT, ...CLOCK },
  });
  const { id } = await create(env, { ...byMail(60), ...guests(JOHN) });

  expect(await advance(env, { advance: "P7D" })).toEqual({
    effects: [["2026-01-08T11:00:00.000Z", id]],
    mails: [],
  });
});

test("more events with reminders than a move reads are an error, and the clock stays", async () => {
  const env = await environment();
  const { id } = await create(env, byMail(60));
  const { sql } = database;
  const events = sql`${sql(env.schemaName)}.calendar_events`;
  await sql`
    insert into ${events}
    select (jsonb_populate_record(e, jsonb_build_object('id', e.id || n))).*
    from ${events} e, generate_series(1, 5000) n where e.id = ${id}
  `;
  const path = `/env/${env.environmentId}/clock`;
  const answer = await program.post(path, { advance: "P1D" });

  const detail =
    "More than 5000 events with reminders by mail begin within four weeks of that time";
  expectRefusal(answer, 400, "invalid_request", detail);
  expect((await program.get(path)).body).toMatchObject({ now: NOW });
});
