/** Answers that calendars give by themselves. */
import { describe, expect, test } from "bun:test";
import { type Environment, JOHN, timed, useScene } from "./scene";

const { database, environment, call, send, get, changesOf, copyFor } = useScene();

const EVENTS = "calendars/primary/events";
const ELBE = "c_elbe@resource.calendar.google.com";
const ALSTER = "c_alster@resource.calendar.google.com";

const office = () =>
  environment({
    templateName: "calendar_bench_default",
    impersonateUserId: "assistant@harborline.test",
  });
const berlin = (day: string, from: string, to: string) => ({
  start: { dateTime: `${day}T${from}:00`, timeZone: "Europe/Berlin" },
  end: { dateTime: `${day}T${to}:00`, timeZone: "Europe/Berlin" },
});
const invite = (env: Environment, times: object, guests: readonly string[], more: object = {}) =>
  send(env, "POST", EVENTS, {
    ...{ summary: "Talk", ...times, attendees: guests.map((email) => ({ email })) },
    ...more,
  });
const answersOf = ({ attendees }: any) =>
  attendees.map(({ responseStatus }: any) => responseStatus);

describe("a room", () => {
  test("accepts at a time at which it is free, and declines at others", async () => {
    const env = await office();
    const guests = [ELBE, ALSTER, "priya.nair@harborline.test"];

    const taken = await invite(env, berlin("2026-03-17", "13:30", "14:30"), [ELBE, ALSTER]);
    const free = await invite(env, berlin("2026-03-17", "16:00", "17:00"), guests);

    expect(answersOf(taken)).toEqual(["declined", "declined"]);
    expect(answersOf(free)).toEqual(["accepted", "accepted", "needsAction"]);
    const again = await invite(env, berlin("2026-03-17", "16:30", "17:30"), [ELBE]);
    expect(answersOf(again)).toEqual(["declined"]);
  });

  test("answers again after another time, also one that overlaps with the former", async () => {
    const env = await office();
    const { id } = await invite(env, berlin("2026-03-18", "09:00", "10:00"), [ELBE]);
    const moveTo = (times: object) => send(env, "PATCH", `${EVENTS}/${id}`, times);

    expect(answersOf(await moveTo(berlin("2026-03-18", "09:30", "10:30")))).toEqual(["accepted"]);
    expect(answersOf(await moveTo(berlin("2026-03-17", "12:00", "13:00")))).toEqual(["declined"]);
    expect(answersOf(await moveTo(berlin("2026-03-17", "09:00", "10:00")))).toEqual(["accepted"]);
  });

  test("answers when it is added, and keeps its answer to a change of the title", async () => {
    const env = await office();
    const { id } = await invite(env, berlin("2026-03-17", "11:00", "12:00"), []);
    const attendees = [{ email: ELBE }];

    expect(answersOf(await send(env, "PATCH", `${EVENTS}/${id}`, { attendees }))).toEqual([
      "declined",
    ]);
    const diff = await changesOf(env, () =>
      send(env, "PATCH", `${EVENTS}/${id}`, { summary: "Other" }),
    );
    expect(diff.updates.map((row: any) => row.__table__)).toEqual(["events"]);
  });

  test("accepts a series if each occurrence finds it free", async () => {
    const env = await office();
    const recurrence = ["RRULE:FREQ=DAILY;COUNT=3"];

    const free = await invite(env, berlin("2026-03-18", "17:00", "18:00"), [ELBE], { recurrence });
    const taken = await invite(env, berlin("2026-03-16", "11:00", "12:00"), [ELBE], { recurrence });

    expect(answersOf(free)).toEqual(["accepted"]);
    expect(answersOf(taken)).toEqual(["declined"]);
    const moved = { ...berlin("2026-03-17", "11:00", "12:00") };
    const { items } = await get(env, `${EVENTS}/${free.id}/instances`);
    const instance = await send(env, "PATCH", `${EVENTS}/${items[1].id}`, moved);
    expect(answersOf(instance)).toEqual(["declined"]);
    expect(answersOf(await get(env, `${EVENTS}/${free.id}`))).toEqual(["accepted"]);
  });
});

describe("a person who is away", () => {
  const MARCUS = "marcus.webb@harborline.test";

  test("declines with the message of the absence what is new and falls into it", async () => {
    const env = await office();

    const during = await invite(env, berlin("2026-03-10", "20:00", "20:30"), [MARCUS]);
    const after = await invite(env, berlin("2026-03-11", "20:00", "20:30"), [MARCUS]);

    expect(during.attendees).toEqual([
      { email: MARCUS, responseStatus: "declined", comment: "I am at TPM until Tuesday." },
    ]);
    expect(answersOf(after)).toEqual(["needsAction"]);
  });

  test("keeps an answer of his own", async () => {
    const env = await office();
    const attendees = [{ email: MARCUS, responseStatus: "accepted" }];

    const event = await invite(env, berlin("2026-03-10", "20:00", "20:30"), [], { attendees });

    expect(answersOf(event)).toEqual(["accepted"]);
  });

  test("declines neither his own meeting nor, as a copy that is imported, anything", async () => {
    const env = await office();
    const me = "assistant@harborline.test";
    await send(env, "POST", EVENTS, away("declineOnlyNewConflictingInvitations"));
    const own = await invite(env, berlin("2026-03-12", "16:00", "17:00"), [me]);
    const imported = await send(env, "POST", `${EVENTS}/import`, {
      ...{ iCalUID: "1@example.org", summary: "Copy", attendees: [{ email: ELBE }] },
      ...berlin("2026-03-19", "12:00", "13:00"),
    });

    expect([...answersOf(own), ...answersOf(imported)]).toEqual(["needsAction", "needsAction"]);
  });

  const away = (mode: string, more: object = {}) => ({
    ...{ summary: "Away", eventType: "outOfOffice", ...berlin("2026-03-12", "09:00", "18:00") },
    outOfOfficeProperties: { autoDeclineMode: mode, declineMessage: "On a train" },
    ...more,
  });
  const answerTo = async (env: Environment, id: string) => {
    const { attendees } = await get(env, `${EVENTS}/${id}`);
    return attendees.find(({ self }: any) => self);
  };

  test("declines 500 invitations, and is rejected as a whole if there are more", async () => {
    const env = await office();
    const { sql } = database;
    const [events, attendees] = ["events", "event_attendees"].map(
      (table) => sql`${sql(env.schemaName)}.${sql(table)}`,
    );
    const copy = (first: number, last: number) =>
      sql.begin(async (tx) => {
        for (const [table, id] of [
          [events, "id"],
          [attendees, "eventId"],
        ] as const)
          await tx`
          insert into ${table ?? tx``}
          select (jsonb_populate_record(e, jsonb_build_object(${id}::text, 'kickoff' || n))).*
          from ${table ?? tx``} e, generate_series(${first}::int, ${last}::int) n where ${tx(id)} = 'kickoff'
        `;
      });
    const everything = away("declineAllConflictingInvitations");
    // With the one that is there.
    await copy(1, 500);
    const changes = await changesOf(env, async () => {
      const { status, body } = await call(env, "POST", EVENTS, everything);
      expect([status, body.error.errors[0].reason]).toEqual([403, "quotaExceeded"]);
    });
    expect(changes).toEqual({ inserts: [], updates: [], deletes: [] });

    await send(env, "DELETE", `${EVENTS}/kickoff500`);
    const { updates } = await changesOf(env, () => send(env, "POST", EVENTS, everything));
    expect(updates).toHaveLength(500);
  });

  test("declines what he has been invited to, if the absence says so", async () => {
    const env = await office();
    await send(env, "POST", EVENTS, away("declineOnlyNewConflictingInvitations"));
    expect(await answerTo(env, "kickoff")).toMatchObject({ responseStatus: "needsAction" });

    const mode = "declineAllConflictingInvitations";
    const { updates, inserts } = await changesOf(env, () => send(env, "POST", EVENTS, away(mode)));

    expect(await answerTo(env, "kickoff")).toMatchObject({
      ...{ responseStatus: "declined", comment: "On a train" },
    });
    // His own meetings stay, and those of other days.
    expect(updates.map(({ key }: any) => key)).toEqual([
      { eventId: "kickoff", email: "assistant@harborline.test" },
    ]);
    expect(inserts.map((row: any) => row.__table__)).toEqual(["events"]);
    expect(await answerTo(env, "budgetq2")).toMatchObject({ responseStatus: "accepted" });
    expect(await answerTo(env, "fulldemo")).toMatchObject({ responseStatus: "needsAction" });
  });

  test("declines one occurrence of a series, and more when the absence moves", async () => {
    const env = await environment();
    const robin = await copyFor(env, JOHN);
    const series = {
      start: { dateTime: "2026-02-02T10:00:00", timeZone: "Europe/London" },
      end: { dateTime: "2026-02-02T11:00:00", timeZone: "Europe/London" },
      recurrence: ["RRULE:FREQ=DAILY;COUNT=4"],
    };
    const { id } = await invite(robin, series, ["agent@acme.test"]);
    const agent = await copyFor(robin, "agent@acme.test");
    const { id: absence } = await send(agent, "POST", EVENTS, {
      ...away("declineAllConflictingInvitations"),
      ...timed("2026-02-03T09:00:00Z", "2026-02-03T17:00:00Z"),
    });
    const mine = async () =>
      (await get(agent, `${EVENTS}/${id}/instances`)).items.map((each: any) =>
        answersOf(each).join(),
      );

    expect(await mine()).toEqual(["needsAction", "declined", "needsAction", "needsAction"]);
    await send(agent, "PATCH", `${EVENTS}/${absence}`, {
      ...timed("2026-02-04T09:00:00Z", "2026-02-04T17:00:00Z"),
    });
    expect(await mine()).toEqual(["needsAction", "declined", "declined", "needsAction"]);
  });
});
