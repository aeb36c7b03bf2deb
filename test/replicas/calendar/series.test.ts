/** Series: instances in lists, changed ones, and what a change of the series does to them. */
import { describe, expect, test } from "bun:test";
import { type Environment, JOHN, useScene } from "./scene";

const { database, environment, copyFor, call, get, send, changesOf } = useScene();

const EVENTS = "calendars/primary/events";
const LONDON = "Europe/London";
const WEEKLY = ["RRULE:FREQ=WEEKLY;COUNT=4"];

/** Mondays at nine in London, from 9 March 2026: the clocks go forward on 29 March. */
const create = (env: Environment, fields: object = {}) =>
  send(env, "POST", EVENTS, {
    id: "series",
    summary: "Weekly",
    start: { dateTime: "2026-03-16T09:00:00", timeZone: LONDON },
    end: { dateTime: "2026-03-16T09:30:00", timeZone: LONDON },
    recurrence: WEEKLY,
    ...fields,
  });

const SECOND = "series_20260323T090000Z";
const THIRD = "series_20260330T080000Z";
const MONTH = "timeMin=2026-03-10T00:00:00Z&timeMax=2026-05-01T00:00:00Z";

const instances = async (env: Environment, query = "") =>
  (await get(env, `${EVENTS}/series/instances?${query}`)).items;
const starts = async (env: Environment, query = "") =>
  (await instances(env, query)).map(({ start }: any) => start.dateTime ?? start.date);
const listed = async (env: Environment, query: string) =>
  (await get(env, `${EVENTS}?${MONTH}&${query}`)).items;
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe("a series", () => {
  test("has instances at the same wall clock, also after a change of the clocks", async () => {
    const env = await environment();
    const created = await create(env);

    expect(created).toMatchObject({ recurrence: WEEKLY, sequence: 0 });
    const found = await instances(env);
    expect(found.map(({ id, start, end }: any) => [id, start.dateTime, end.dateTime])).toEqual([
      ["series_20260316T090000Z", "2026-03-16T09:00:00Z", "2026-03-16T09:30:00Z"],
      [SECOND, "2026-03-23T09:00:00Z", "2026-03-23T09:30:00Z"],
      [THIRD, "2026-03-30T09:00:00+01:00", "2026-03-30T09:30:00+01:00"],
      ["series_20260406T080000Z", "2026-04-06T09:00:00+01:00", "2026-04-06T09:30:00+01:00"],
    ]);
    expect(found[1]).toMatchObject({
      recurringEventId: "series",
      originalStartTime: { dateTime: "2026-03-23T09:00:00Z", timeZone: LONDON },
      iCalUID: created.iCalUID,
      summary: "Weekly",
    });
    expect(found[1].recurrence).toBeUndefined();
    expect(await get(env, `${EVENTS}/${SECOND}`)).toEqual(found[1]);
  });

  test("of whole days has days as its instances", async () => {
    const env = await environment();
    await create(env, {
      ...{ start: { date: "2026-03-28" }, end: { date: "2026-03-30" } },
      recurrence: ["RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20260401"],
    });

    const found = await instances(env);
    expect(found.map(({ id, start, end }: any) => [id, start, end])).toEqual([
      ["series_20260328", { date: "2026-03-28" }, { date: "2026-03-30" }],
      ["series_20260330", { date: "2026-03-30" }, { date: "2026-04-01" }],
      ["series_20260401", { date: "2026-04-01" }, { date: "2026-04-03" }],
    ]);
  });

  test.each([
    ["no rule", { recurrence: ["FREQ=DAILY"] }, "Invalid recurrence rule."],
    [
      "a rule of 2,001 characters",
      { recurrence: [`RRULE:FREQ=DAILY;${"X".repeat(2_000)}`] },
      "Invalid recurrence rule.",
    ],
    [
      "no zone",
      { start: { dateTime: "2026-03-16T09:00:00Z" } },
      "Missing time zone definition for start time.",
    ],
  ])("is rejected with %s", async (_case, fields, message) => {
    const env = await environment();
    const body = {
      ...{ summary: "Weekly", recurrence: WEEKLY },
      start: { dateTime: "2026-03-16T09:00:00", timeZone: LONDON },
      end: { dateTime: "2026-03-16T09:30:00Z", timeZone: LONDON },
      ...fields,
    };

    expect(await call(env, "POST", EVENTS, body)).toMatchObject({
      status: 400,
      body: { error: { message } },
    });
  });
});

describe("a list", () => {
  test("has series, or with singleEvents their instances in order and in pages", async () => {
    const env = await environment();
    await create(env);
    await create(env, { id: "other", recurrence: ["RRULE:FREQ=DAILY"] });

    expect(ids(await listed(env, "q=weekly"))).toEqual(["other", "series"]);
    const query = `${MONTH}&q=weekly&singleEvents=true&orderBy=startTime&maxResults=20`;
    const pages: any[] = [];
    for (let token = ""; token !== undefined; ) {
      const page = await get(env, `${EVENTS}?${query}${token && `&pageToken=${token}`}`);
      pages.push(page.items);
      token = page.nextPageToken;
    }
    const all = pages.flat();
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 10]);
    expect(new Set(ids(all)).size).toBe(50);
    expect(all.filter(({ recurringEventId }) => recurringEventId === "series")).toHaveLength(4);
    const times = all.map(({ start }) => Date.parse(start.dateTime));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test("of a series without an end stops", async () => {
    const env = await environment();
    await create(env, { recurrence: ["RRULE:FREQ=SECONDLY"] });

    expect(await instances(env, "maxResults=2500")).toHaveLength(730);
    const { items } = await get(env, `${EVENTS}?${MONTH}&singleEvents=true&maxResults=9999`);
    expect(items).toHaveLength(2_500);
  });

  test("has a series in a window only if an instance is in it", async () => {
    const env = await environment();
    await create(env);
    const between = "timeMin=2026-03-17T00:00:00Z&timeMax=2026-03-18T00:00:00Z&q=weekly";

    expect((await get(env, `${EVENTS}?${between}`)).items).toEqual([]);
    await send(env, "PATCH", `${EVENTS}/${THIRD}`, {
      start: { dateTime: "2026-03-17T09:00:00Z" },
      end: { dateTime: "2026-03-17T10:00:00Z" },
    });
    expect(ids((await get(env, `${EVENTS}?${between}`)).items)).toEqual(["series", THIRD]);
    const single = await get(env, `${EVENTS}?${between}&singleEvents=true`);
    expect(ids(single.items)).toEqual([THIRD]);
  });

  test("finds an instance that was moved behind the end of its series", async () => {
    const env = await environment();
    await create(env);
    await send(env, "PATCH", `${EVENTS}/${THIRD}`, {
      start: { dateTime: "2026-07-01T09:00:00Z" },
      end: { dateTime: "2026-07-01T10:00:00Z" },
    });

    const query = "timeMin=2026-06-30T00:00:00Z&singleEvents=true";
    expect(ids((await get(env, `${EVENTS}?${query}`)).items)).toEqual([THIRD]);
  });
});

describe("an instance", () => {
  test("that is changed is one row, and keeps its place in the rule", async () => {
    const env = await environment();
    await create(env, { attendees: [{ email: JOHN }] });
    let changed: any;
    const diff = await changesOf(env, async () => {
      changed = await send(env, "PATCH", `${EVENTS}/${SECOND}`, {
        ...{ summary: "Later", recurrence: WEEKLY },
      });
    });

    expect(changed).toMatchObject({ summary: "Later", attendees: [{ email: JOHN }] });
    expect(changed.recurrence).toBeUndefined();
    expect([diff.inserts.length, diff.updates.length, diff.deletes.length]).toEqual([1, 0, 0]);
    expect(diff.inserts[0]).toMatchObject({ id: SECOND, summary: "Later" });
    const found = await instances(env);
    expect(found.map(({ summary }: any) => summary)).toEqual([
      ...["Weekly", "Later", "Weekly", "Weekly"],
    ]);
    expect(found[1].originalStartTime.dateTime).toBe("2026-03-23T09:00:00Z");
  });

  test("that is deleted is absent, and listed as cancelled with its series", async () => {
    const env = await environment();
    await create(env);
    await send(env, "DELETE", `${EVENTS}/${SECOND}`);

    expect(await starts(env)).toHaveLength(3);
    expect(await instances(env, "showDeleted=true")).toHaveLength(4);
    const items = await listed(env, "q=");
    expect(items.find(({ id }: any) => id === SECOND)).toMatchObject({
      ...{ status: "cancelled", recurringEventId: "series" },
    });
    expect(await listed(env, "singleEvents=true&q=weekly")).toHaveLength(3);
    expect((await call(env, "DELETE", `${EVENTS}/${SECOND}`)).status).toBe(410);
  });

  test("is found by its original start", async () => {
    const env = await environment();
    await create(env);
    const moved = {
      start: { dateTime: "2026-03-24T15:00:00Z" },
      end: { dateTime: "2026-03-24T16:00:00Z" },
    };
    await send(env, "PATCH", `${EVENTS}/${SECOND}`, moved);

    expect(await starts(env, "originalStart=2026-03-23T10:00:00%2B01:00")).toEqual([
      "2026-03-24T15:00:00Z",
    ]);
    expect((await call(env, "GET", `${EVENTS}/series/instances?originalStart=x`)).status).toBe(400);
  });

  test("that the rule does not have is not found", async () => {
    const env = await environment();
    await create(env);

    for (const id of ["series_20260324T090000Z", "series_20260323", "none_20260323T090000Z"])
      expect((await call(env, "GET", `${EVENTS}/${id}`)).status).toBe(404);
    expect((await call(env, "GET", `${EVENTS}/dentist/instances`)).status).toBe(404);
    expect((await call(env, "GET", `${EVENTS}/planning/instances`)).status).toBe(400);
  });

  test("can be declined by an attendee alone", async () => {
    const env = await environment();
    await create(env, { attendees: [{ email: JOHN }] });
    const john = await copyFor(env, JOHN);
    await send(john, "PATCH", `${EVENTS}/${SECOND}`, {
      attendees: [{ email: JOHN, responseStatus: "declined" }],
    });

    const answers = (await instances(john)).map(
      ({ attendees }: any) => attendees[0].responseStatus,
    );
    expect(answers).toEqual(["needsAction", "declined", "needsAction", "needsAction"]);
  });
});

describe("a change of the series", () => {
  test("reaches changed instances in the fields that they have from it", async () => {
    const env = await environment();
    await create(env);
    await send(env, "PATCH", `${EVENTS}/${SECOND}`, { summary: "Own" });
    await send(env, "PATCH", `${EVENTS}/series`, { summary: "New", location: "Room 3" });

    expect((await instances(env)).map(({ summary, location }: any) => [summary, location])).toEqual(
      [
        ["New", "Room 3"],
        ["Own", "Room 3"],
        ["New", "Room 3"],
        ["New", "Room 3"],
      ],
    );
  });

  test("of its rule removes changed instances that it no longer has", async () => {
    const env = await environment();
    await create(env);
    for (const id of [SECOND, THIRD]) await send(env, "PATCH", `${EVENTS}/${id}`, { summary: id });
    await send(env, "PATCH", `${EVENTS}/series`, { recurrence: ["RRULE:FREQ=WEEKLY;COUNT=2"] });

    expect((await instances(env)).map(({ summary }: any) => summary)).toEqual(["Weekly", SECOND]);
    expect((await call(env, "GET", `${EVENTS}/${THIRD}`)).status).toBe(404);
  });

  test("that deletes it cancels all its instances", async () => {
    const env = await environment();
    await create(env);
    await send(env, "PATCH", `${EVENTS}/${SECOND}`, { summary: "Own" });
    const { nextSyncToken } = await get(env, `${EVENTS}?singleEvents=true`);
    await send(env, "DELETE", `${EVENTS}/series`);

    expect(await listed(env, "singleEvents=true&q=own")).toEqual([]);
    expect((await get(env, `${EVENTS}/${SECOND}`)).status).toBe("cancelled");
    const { items } = await get(env, `${EVENTS}?singleEvents=true&syncToken=${nextSyncToken}`);
    expect(items.map(({ status }: any) => status)).toEqual(["cancelled", "cancelled", "cancelled"]);
  });
});

test("a list of more series than are read is rejected, not shortened", async () => {
  const env = await environment();
  await create(env);
  const events = `"${env.schemaName}".events`;
  await database.sql.unsafe(`
    insert into ${events} select (jsonb_populate_record(e, jsonb_build_object('id', 'copy' || n))).*
    from ${events} e, generate_series(1, 5000) n where e.id = 'series'
  `);

  const answer = await call(env, "GET", `${EVENTS}?${MONTH}`);

  expect([answer.status, answer.body.error.errors[0].reason]).toEqual([403, "quotaExceeded"]);
});
